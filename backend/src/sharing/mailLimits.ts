import type { Gateway } from '../context.js';

/** A mail to an address that may have an account. The caller learns nothing about that. */
type ToAddress = 'guestMail' | 'inviteMail' | 'requestMail';

/** Takes a point for a mail to a person about a share. Returns false when the person got too many mails about images. */
export const mayMailPerson = ({ throttle }: Gateway, recipient: string): Promise<boolean> =>
  throttle.tryTake('shareMail', { recipient });

/**
 * Takes a point for a mail to an address: that of its kind, and one of all mails about images to the person, whichever way
 * they come. Returns false when the address got too many.
 */
export async function mayMailAddress(gateway: Gateway, kind: ToAddress, email: string): Promise<boolean> {
  if (!(await gateway.throttle.tryTake(kind, { email }))) return false;
  return mayMailPerson(gateway, await recipientOf(gateway, email));
}

/** As `mayMailAddress`, for a mail that the caller asks for alone: it is refused. */
export async function requireMailToAddress(gateway: Gateway, kind: ToAddress, email: string): Promise<void> {
  await gateway.throttle.take(kind, { email });
  await gateway.throttle.take('shareMail', { recipient: await recipientOf(gateway, email) });
}

/** Returns the account that gets the mails to an address, or the address if there is none. */
async function recipientOf({ models }: Gateway, email: string): Promise<string> {
  const person = await models.User.findOne({ email }, { _id: 1 }).lean();
  return person ? String(person._id) : email;
}
