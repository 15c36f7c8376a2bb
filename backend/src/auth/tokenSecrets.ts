import { createHash, randomBytes } from 'node:crypto';

/** Random bytes of a token: as many as its hash has. Nobody can guess so many, so a plain and quick hash is enough. */
const BYTES = 32;

export const makeToken = (prefix: string): string => `${prefix}${randomBytes(BYTES).toString('base64url')}`;

/** Returns the form of a token that is stored, and found again. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
