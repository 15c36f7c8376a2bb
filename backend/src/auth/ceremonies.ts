import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import { hmac } from '@lightbox/core/keys/keyring.js';

/** A passkey is made or used within a session; a sign-in has none yet. */
export interface Ceremony {
  purpose: 'signIn' | 'stepUp' | 'register';
  session?: ObjectId;
}

/**
 * The challenge of a ceremony is derived from what it is for, whose session asked and until when it is good: so nothing is
 * stored for those who only open the sign-in page, and a challenge is worth nothing anywhere else.
 */
const challengeOf = (key: Buffer, { purpose, session }: Ceremony, id: string, until: string): string =>
  hmac(key, 'ceremony', purpose, String(session ?? ''), id, until).toString('base64url');

export function beginCeremony(core: Core, about: Ceremony): { ceremony: string; challenge: string } {
  const { id: keyId, key } = core.keys.codes.current;
  const id = String(newId());
  const until = String(core.clock.now().getTime() + limits.ceremonyMinutes * 60_000);
  const challenge = challengeOf(key, about, id, until);
  return { ceremony: [id, until, keyId, challenge].join('.'), challenge };
}

/**
 * The challenge that the answer must have signed. Spends it before anything is compared. Throws `EXPIRED` when the ceremony is
 * over or was answered, and when it is another purpose's, another session's or none of ours: those spend nothing.
 */
export async function spendCeremony(core: Core, about: Ceremony, ceremony: string): Promise<string> {
  const [id = '', until = '', keyId = '', challenge = ''] = ceremony.split('.');
  const key = core.keys.codes.find(keyId);
  const ours = key !== undefined && isSame(challengeOf(key.key, about, id, until), challenge);
  if (!ours || Number(until) <= core.clock.now().getTime()) throw new AppError('EXPIRED');
  try {
    await core.models.Ceremony.create([{ _id: oid(id), expiresAt: new Date(Number(until)) }]);
  } catch (error) {
    throw isDuplicate(error) ? new AppError('EXPIRED') : error;
  }
  return challenge;
}
