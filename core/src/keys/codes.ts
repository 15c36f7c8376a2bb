import { randomBytes } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { isSame } from './isSame.js';
import { hmac, type KeyRing } from './keyring.js';

/**
 * The stored part of a one-time code. The code itself is derived from it with the key ring. So the worker that mails it
 * needs no stored copy, and an attacker who has only the database has nothing to test guesses against.
 */
export interface CodeSeed {
  keyId: string;
  salt: string;
}

export const newCodeSeed = (ring: KeyRing): CodeSeed => ({
  keyId: ring.current.id,
  salt: randomBytes(16).toString('base64url'),
});

const keyOf = (ring: KeyRing, seed: CodeSeed): Buffer | null => ring.find(seed.keyId)?.key ?? null;

/** Returns six digits; null when the key was retired. 48 bits modulo 10^6 favour no digit by more than one in 10^8. */
export function codeOf(ring: KeyRing, id: string, seed: CodeSeed): string | null {
  const key = keyOf(ring, seed);
  if (!key) return null;
  const number = hmac(key, 'code', id, seed.salt).readUIntBE(0, 6) % 10 ** limits.codeDigits;
  return String(number).padStart(limits.codeDigits, '0');
}

export const isCode = (ring: KeyRing, id: string, seed: CodeSeed, guess: string): boolean =>
  isSame(codeOf(ring, id, seed), guess);

/** Returns the token of a mailed link: the record's id and a proof that only the key ring can make. */
export function linkTokenOf(ring: KeyRing, id: string, seed: CodeSeed): string | null {
  const key = keyOf(ring, seed);
  return key && `${id}.${hmac(key, 'link', id, seed.salt).toString('base64url')}`;
}

export const isLinkToken = (ring: KeyRing, id: string, seed: CodeSeed, token: string): boolean =>
  isSame(linkTokenOf(ring, id, seed), token);
