import { AppError } from '@lightbox/core/errors.js';
import type { Request, Response } from 'express';
import { Passport } from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { type Claims, rules, type Tokens } from './tokens.js';

export type Authenticate = (req: Request, res: Response, ...types: Claims['typ'][]) => Promise<Claims>;

/**
 * Authenticates bearer tokens with Passport's JWT strategy. Has its own Passport instance, so that several gateways in
 * one process do not share state.
 */
export function createAuthenticate(tokens: Tokens): Authenticate {
  const passport = new Passport();
  passport.use(
    new Strategy(
      {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        secretOrKeyProvider: (_req, token: string, done) => {
          const key = tokens.keyOf(token);
          // passport-jwt passes the key on to jsonwebtoken, which accepts a key object. Only the types of passport-jwt
          // do not.
          if (key) done(null, key as unknown as Buffer);
          else done(new AppError('AUTHENTICATION_FAILED'));
        },
        ...rules,
      },
      (claims: unknown, done: (error: unknown, claims?: unknown) => void) => done(null, claims),
    ),
  );
  return (req, res, ...types) =>
    new Promise((resolve, reject) => {
      // Node uses the first of several headers; a proxy in front may have checked another one.
      if ((req.headersDistinct.authorization?.length ?? 0) > 1) return reject(new AppError('AUTHENTICATION_FAILED'));
      if (!req.headers.authorization) return reject(new AppError('UNAUTHENTICATED'));
      const answer = (_error: unknown, claims: unknown) => {
        try {
          resolve(tokens.accept(claims, ...types));
        } catch (refused) {
          reject(refused);
        }
      };
      passport.authenticate('jwt', { session: false }, answer)(req, res, reject);
    });
}
