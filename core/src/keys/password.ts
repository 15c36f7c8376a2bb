import { createHash } from 'node:crypto';
import { argon2 } from './argon2.js';

export const hashPassword = (password: string): Promise<string> => argon2('hash', password);

/**
 * Returns the same digest for the same password and `salt` each time, to find a record by. Callers protect it with a
 * key.
 */
export async function digestOf(password: string, salt: string): Promise<string> {
  const bytes = createHash('sha256').update(salt).digest().subarray(0, 16);
  return Buffer.from(await argon2('digest', password, bytes)).toString('base64url');
}

let decoy: Promise<string> | undefined;

/**
 * Checks a password. Without a stored hash it takes as long as with one, so that the time does not reveal whether an
 * account exists.
 */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('decoy');
  const same = await argon2('verify', stored || (await decoy), password);
  return same && Boolean(stored);
}
