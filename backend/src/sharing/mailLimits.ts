import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import type { Gateway } from '../context.js';

/*
 * Mails about images to one person are counted by the address, and never by the account: what is left of the count would
 * tell whether an address has an account, or has got one.
 */

/** A mail to an address that may have an account. The caller learns nothing about that. */
type ToAddress = 'guestMail' | 'inviteMail' | 'requestMail';

/** Takes a point for a mail to a person about a share. Returns false when the person got too many mails about images. */
export const mayMailPerson = async (gateway: Gateway, person: ObjectId, tx: ClientSession): Promise<boolean> =>
  gateway.throttle.tryTake('shareMail', { email: await addressOf(gateway, person, tx) });

/** As `mayMailPerson`, for a mail that the caller asks for alone: it is refused. */
export async function requireMailToPerson(gateway: Gateway, person: ObjectId): Promise<void> {
  await gateway.throttle.take('shareMail', { email: await addressOf(gateway, person, null) });
}

/**
 * Takes a point for a mail to an address: that of its kind, and one of all mails about images to the person, whichever way
 * they come. Returns false when the address got too many.
 */
export const mayMailAddress = async ({ throttle }: Gateway, kind: ToAddress, email: string): Promise<boolean> =>
  (await throttle.tryTake(kind, { email })) && (await throttle.tryTake('shareMail', { email }));

/** As `mayMailAddress`, for a mail that the caller asks for alone: it is refused. */
export async function requireMailToAddress({ throttle }: Gateway, kind: ToAddress, email: string): Promise<void> {
  await throttle.take(kind, { email });
  await throttle.take('shareMail', { email });
}

async function addressOf({ models }: Gateway, person: ObjectId, tx: ClientSession | null): Promise<string> {
  const user = await models.User.findById(person, { email: 1 }).session(tx).lean<Pick<UserDoc, 'email'>>();
  if (!user) throw new AppError('NOT_FOUND');
  return user.email;
}
