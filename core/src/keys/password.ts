import { createHash } from 'node:crypto';
import { type Algorithm, hash, hashRaw, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** OWASP's minimum for Argon2id: 19 MiB, two passes, one lane. */
const options = { algorithm: 2 satisfies Algorithm, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
/**
 * Two hashes at a time: more are slower on two cores and take more memory. A call that finds the queue full is refused.
 */
const LANES = 2;
const QUEUE = 200;

const lanes = pLimit(LANES);

export class PasswordQueueFull extends Error {}

async function inLane<T>(work: () => Promise<T>): Promise<T> {
  if (lanes.pendingCount >= QUEUE) throw new PasswordQueueFull();
  return lanes(work);
}

export const hashPassword = (password: string): Promise<string> => inLane(() => hash(password, options));

/**
 * Returns the same digest for the same password and `salt` each time, to find a record by. Callers protect it with a
 * key.
 */
export async function digestOf(password: string, salt: string): Promise<string> {
  const bytes = createHash('sha256').update(salt).digest().subarray(0, 16);
  return (await inLane(() => hashRaw(password, { ...options, salt: bytes }))).toString('base64url');
}

let decoy: Promise<string> | undefined;

/**
 * Checks a password. Without a stored hash it takes as long as with one, so that the time does not reveal whether an
 * account exists.
 */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('decoy');
  const against = stored || (await decoy);
  const same = await inLane(() => verify(against, password));
  return same && Boolean(stored);
}
