import { AppError } from '@lightbox/core/errors.js';
import type { Request, Response } from 'express';
import { Passport } from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { type Claims, rules, type Tokens } from './tokens.js';

export type Authenticate = (req: Request, res: Response, typ: Claims['typ']) => Promise<Claims>;

/** Bearer tokens through Passport's JWT strategy; an instance of its own, so that gateways in one process do not meet. */
export function createAuthenticate(tokens: Tokens): Authenticate {
  const passport = new Passport();
  passport.use(
    new Strategy(
      {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        secretOrKeyProvider: (_req, token: string, done) => {
          const key = tokens.keyOf(token);
          // Handed on to jsonwebtoken as it is, which takes it; only the types have not heard of it.
          if (key) done(null, key as unknown as Buffer);
          else done(new AppError('AUTHENTICATION_FAILED'));
        },
        ...rules,
      },
      (claims: unknown, done: (error: unknown, claims?: unknown) => void) => done(null, claims),
    ),
  );
  return (req, res, typ) =>
    new Promise((resolve, reject) => {
      // Node keeps the first of several; whoever stands in front may have judged by another.
      if ((req.headersDistinct.authorization?.length ?? 0) > 1) return reject(new AppError('AUTHENTICATION_FAILED'));
      if (!req.headers.authorization) return reject(new AppError('UNAUTHENTICATED'));
      const answer = (_error: unknown, claims: unknown) => {
        try {
          resolve(tokens.accept(claims, typ));
        } catch (refused) {
          reject(refused);
        }
      };
      passport.authenticate('jwt', { session: false }, answer)(req, res, reject);
    });
}
