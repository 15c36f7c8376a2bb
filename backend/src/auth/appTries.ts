import { limits } from '@lightbox/contract/limits.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { TotpDoc } from '@lightbox/core/models/totp.js';
import type { ClientSession } from 'mongoose';
import type { Gateway } from '../context.js';
import { spendProof, stepOf } from './authenticator.js';
import { takeTry, wrongCode } from './tries.js';

export const alreadyOn = () => new AppError('CONFLICT', { message: 'An authenticator app is already set up.' });

/**
 * Takes one of the five tries that the codes of an app have outside of a sign-in. The count starts again at the next
 * sign-in, or with a new secret. An unconfirmed secret expires after the lifetime of a code.
 */
export async function takeAppTry(gateway: Gateway, user: ObjectId, confirmed: boolean): Promise<TotpDoc> {
  const wanted = { _id: user, secret: { $exists: true }, confirmedAt: { $exists: confirmed } };
  const existing = await gateway.models.Totp.findOne(wanted).lean<TotpDoc>();
  if (!existing) {
    if (confirmed) throw new AppError('NOT_FOUND');
    const on = await gateway.models.Totp.exists({ _id: user, confirmedAt: { $exists: true } });
    throw on ? alreadyOn() : new AppError('EXPIRED');
  }
  const age = gateway.clock.now().getTime() - existing.createAt.getTime();
  if (!confirmed && age >= limits.codeMinutes * 60_000) throw new AppError('EXPIRED');
  const totp = await takeTry(gateway.models.Totp, wanted);
  if (!totp) throw new AppError('CODE_LOCKED');
  return totp;
}

/** Checks a code of the app outside of a sign-in. Returns the function that spends it in a transaction. */
export async function spendAppCode(
  gateway: Gateway,
  user: ObjectId,
  code: string,
): Promise<(tx: ClientSession) => Promise<boolean>> {
  await gateway.throttle.take('secondFactor', { caller: String(user) });
  const totp = await takeAppTry(gateway, user, true);
  const step = stepOf(gateway, totp, code);
  if (step === null) throw wrongCode(totp.tries);
  await gateway.throttle.reset('secondFactor', { caller: String(user) });
  return (tx) => spendProof(gateway, user, { step }, tx);
}
