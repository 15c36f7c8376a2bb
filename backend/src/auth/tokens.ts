import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import type { Clock } from '@lightbox/core/db/clock.js';
import { AppError } from '@lightbox/core/errors.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import { hmac, type Keys } from '@lightbox/core/keys/keyring.js';
import jwt from 'jsonwebtoken';

const tokenTypes = ['access', 'verification', 'guest', 'sender', 'queues'] as const;

export interface Claims {
  /** Id of the account; of a guest's token the id of the link, of a sender's that of the request. */
  sub: string;
  typ: (typeof tokenTypes)[number];
  /** Id of the session of an access token or of the queue board’s, of the code of a verification token, or of the opening of a guest link or a request. */
  rid: string;
  exp: number;
  iat: number;
  jti: string;
}

const ISSUER = 'lightbox';
const AUDIENCE = 'lightbox';

/** One algorithm. `accept` checks the expiry by the product's own clock, which is the same on every machine. */
export const rules = { algorithms: ['HS256' as const], issuer: ISSUER, audience: AUDIENCE, ignoreExpiration: true };

/**
 * Signs and verifies the bearer tokens. A token names a person; the database is asked at each call if the session is
 * still alive.
 */
export class Tokens {
  private readonly keyObjects = new Map<string, KeyObject>();

  constructor(
    private readonly keys: Keys,
    private readonly clock: Clock,
  ) {}

  access(userId: string, sessionId: string): string {
    return this.sign({ sub: userId, typ: 'access', rid: sessionId }, limits.accessTokenMinutes);
  }

  verification(userId: string, codeId: string): string {
    return this.sign({ sub: userId, typ: 'verification', rid: codeId }, limits.codeMinutes);
  }

  guest(linkId: string, openingId: string): string {
    return this.sign({ sub: linkId, typ: 'guest', rid: openingId }, limits.guestMinutes);
  }

  sender(requestId: string, openingId: string): string {
    return this.sign({ sub: requestId, typ: 'sender', rid: openingId }, limits.guestMinutes);
  }

  /** For the cookie of the queue board. */
  queues(userId: string, sessionId: string): string {
    return this.sign({ sub: userId, typ: 'queues', rid: sessionId }, limits.queueBoardMinutes);
  }

  /**
   * Returns the claims of a socket's token, or of a cookie. HTTP requests are verified by Passport (`passport.ts`) with the same rules.
   */
  verify(token: string, typ: Claims['typ']): Claims {
    const key = this.keyOf(token);
    if (!key) throw new AppError('AUTHENTICATION_FAILED');
    try {
      return this.accept(jwt.verify(token, key, rules), typ);
    } catch (error) {
      throw error instanceof AppError ? error : new AppError('AUTHENTICATION_FAILED');
    }
  }

  /**
   * Returns the key that a token names; null when it names none of ours, or cannot be read. It is a key object, because
   * jsonwebtoken would first try to read raw bytes as a public key, which costs more than all the rest.
   */
  keyOf(token: string): KeyObject | null {
    try {
      const kid: unknown = jwt.decode(token, { complete: true })?.header.kid;
      const found = typeof kid === 'string' ? this.keys.tokens.find(kid) : undefined;
      return found ? this.keyObject(found) : null;
    } catch {
      // jsonwebtoken throws when the payload is not JSON.
      return null;
    }
  }

  private keyObject({ id, key }: { id: string; key: Buffer }): KeyObject {
    const keyObject = this.keyObjects.get(id) ?? createSecretKey(key);
    this.keyObjects.set(id, keyObject);
    return keyObject;
  }

  /**
   * Returns the claims of a verified token. Throws `JWT_EXPIRED` for an expired one, `AUTHENTICATION_FAILED` for one of
   * another type.
   */
  accept(claims: unknown, ...types: Claims['typ'][]): Claims {
    if (!isClaims(claims) || !types.includes(claims.typ)) throw new AppError('AUTHENTICATION_FAILED');
    if (claims.exp * 1000 <= this.clock.now().getTime()) throw new AppError('JWT_EXPIRED');
    return claims;
  }

  private sign(claims: Pick<Claims, 'sub' | 'typ' | 'rid'>, minutes: number): string {
    const { current } = this.keys.tokens;
    const iat = Math.floor(this.clock.now().getTime() / 1000);
    return jwt.sign({ ...claims, iat, exp: iat + minutes * 60, jti: randomUUID() }, this.keyObject(current), {
      algorithm: 'HS256',
      keyid: current.id,
      issuer: ISSUER,
      audience: AUDIENCE,
    });
  }

  /** Derives the refresh cookie of one generation of a session, so nothing of it is stored. */
  refreshValue(sessionId: string, generation: number): string {
    const { id, key } = this.keys.refresh.current;
    return [sessionId, generation, id, refreshProof(key, sessionId, generation)].join('.');
  }

  readRefresh(value: string): { sessionId: string; generation: number } | null {
    const [sessionId = '', generation = '', keyId = '', proof = ''] = value.split('.');
    const key = this.keys.refresh.find(keyId);
    if (!key || !/^[0-9a-f]{24}$/.test(sessionId) || !/^\d{1,9}$/.test(generation)) return null;
    return isSame(refreshProof(key.key, sessionId, Number(generation)), proof)
      ? { sessionId, generation: Number(generation) }
      : null;
  }
}

const refreshProof = (key: Buffer, sessionId: string, generation: number) =>
  hmac(key, sessionId, String(generation)).toString('base64url');

/** True for complete claims. jsonwebtoken would also accept a token without `exp`. */
function isClaims(claims: unknown): claims is Claims {
  if (typeof claims !== 'object' || claims === null) return false;
  const { sub, typ, rid, exp, iat, jti } = claims as Record<string, unknown>;
  return (
    typeof sub === 'string' &&
    /^[0-9a-f]{24}$/.test(sub) &&
    tokenTypes.includes(typ as Claims['typ']) &&
    typeof rid === 'string' &&
    /^[0-9a-f]{24}$/.test(rid) &&
    typeof exp === 'number' &&
    typeof iat === 'number' &&
    typeof jti === 'string'
  );
}
