import { hash } from 'node:crypto';
import { type AnyScope, tokenPrefix } from '@lightbox/contract/auth/personalTokens.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { Passport } from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { type Claims, rules, type Tokens } from './tokens.js';

/** Tokens whose verification is remembered, at most. */
const VERIFIED = 10_000;

/** The session and the account that a bearer token names. A personal token has scopes. */
export type Bearer =
  | Pick<Claims, 'sub' | 'rid' | 'typ'>
  | (Pick<Claims, 'sub' | 'rid'> & { typ: 'personal'; scopes: readonly AnyScope[] });

export type Authenticate = (req: Request, res: Response, ...types: Bearer['typ'][]) => Promise<Bearer>;
type FindPersonal = (token: string) => Promise<Bearer>;

/**
 * Authenticates bearer tokens with Passport's JWT strategy. Has its own Passport instance, so that several gateways in
 * one process do not share state. The signature of a token is verified once, and remembered by the hash of the token; its
 * type and its end are checked at each call, and so is its session. `findPersonal` looks up the tokens that are no JWT.
 */
export function createAuthenticate(tokens: Tokens, findPersonal: FindPersonal): Authenticate {
  const passport = new Passport();
  const tokenOf = ExtractJwt.fromAuthHeaderAsBearerToken();
  const verified = new LRUCache<string, Claims>({ max: VERIFIED });
  passport.use(
    new Strategy(
      {
        jwtFromRequest: tokenOf,
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
      if (hasSeveralAuthorizations(req)) return reject(new AppError('AUTHENTICATION_FAILED'));
      if (!req.headers.authorization) return reject(new AppError('UNAUTHENTICATED'));
      const token = tokenOf(req);
      if (token?.startsWith(tokenPrefix)) {
        if (types.includes('personal')) findPersonal(token).then(resolve, reject);
        else reject(new AppError('AUTHENTICATION_FAILED'));
        return;
      }
      const name = token && hash('sha256', token, 'base64');
      const answer = (_error: unknown, claims: unknown) => {
        try {
          const accepted = tokens.accept(claims, ...types.filter((type) => type !== 'personal'));
          if (name) verified.set(name, accepted);
          resolve(accepted);
        } catch (refused) {
          reject(refused);
        }
      };
      const known = name && verified.get(name);
      if (known) return answer(null, known);
      passport.authenticate('jwt', { session: false }, answer)(req, res, reject);
    });
}

/** `headersDistinct` would make a list of all headers for this. */
function hasSeveralAuthorizations({ rawHeaders }: Request): boolean {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') found++;
  return found > 1;
}
