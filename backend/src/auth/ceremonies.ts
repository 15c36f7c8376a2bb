import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import { hmac } from '@lightbox/core/keys/keyring.js';

/** The purpose of a ceremony, and its session: a sign-in has none yet. */
export interface Ceremony {
  purpose: 'signIn' | 'stepUp' | 'register';
  session?: ObjectId;
}

/**
 * Derives the challenge of a ceremony from its purpose, its session and its expiry. So nothing is stored for clients
 * that only open the sign-in page, and a challenge works for no other purpose or session.
 */
const challengeOf = (key: Buffer, { purpose, session }: Ceremony, id: string, until: string): string =>
  hmac(key, 'ceremony', purpose, String(session ?? ''), id, until).toString('base64url');

export function beginCeremony(core: Core, about: Ceremony): { ceremony: string; challenge: string } {
  const { id: keyId, key } = core.keys.codes.current;
  const id = String(newId(core.clock.now()));
  const until = String(core.clock.now().getTime() + limits.ceremonyMinutes * 60_000);
  const challenge = challengeOf(key, about, id, until);
  return { ceremony: [id, until, keyId, challenge].join('.'), challenge };
}

/**
 * Returns the challenge that the authenticator must have signed, and spends it before anything is compared. Throws
 * `EXPIRED` when the ceremony is over or was answered. A ceremony of another purpose or session, or not of ours, is
 * `EXPIRED` too and spends nothing.
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
