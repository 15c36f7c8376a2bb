import { limits } from '@lightbox/contract/limits.js';
import { loginWaitSeconds, throttles } from '@lightbox/contract/throttles.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import { networkOf } from '@lightbox/core/net/network.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { Gateway } from '../context.js';

interface From {
  email: string;
  address: string;
}

/**
 * One try of the password of an account. It is counted before the password is checked, so that concurrent tries do not
 * pass the limit.
 */
export interface PasswordTry extends From {
  /**
   * Set when the account has to wait. Then only the right password from a network that the account knows is accepted.
   */
  refusal: AppError | null;
  /** Wrong passwords since the last right one, including this try. */
  failures: number;
}

/**
 * Takes one of the failures that an address may have, before it is known whether the sign-in fails: concurrent sign-ins
 * do not pass the limit. A refused sign-in keeps no point, so that many right ones at once do not block the address.
 */
export async function takeAddressTry({ throttle }: Gateway, from: Pick<From, 'address'>): Promise<void> {
  try {
    await throttle.take('loginAddress', from);
  } catch (error) {
    if (error instanceof AppError) await throttle.giveBack('loginAddress', from);
    throw error;
  }
}

/** Takes a try. Throws when this client address has no tries left. */
export async function takePasswordTry(gateway: Gateway, from: From): Promise<PasswordTry> {
  const { throttle } = gateway;
  await takeAddressTry(gateway, from);
  try {
    await throttle.take('loginPair', from);
  } catch (error) {
    await throttle.giveBack('loginAddress', from);
    throw error;
  }
  const failures = await throttle.count('loginFailures', from);
  try {
    await throttle.wait('loginFailures', from, loginWaitSeconds(failures));
    await throttle.take('loginTries', from);
    return { ...from, refusal: null, failures };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await throttle.giveBack('loginFailures', from);
    return { ...from, refusal: error, failures };
  }
}

/** Gives back the try of a password that was not checked: the address has not failed. */
export const countUnchecked = ({ throttle }: Gateway, tried: PasswordTry): Promise<void> =>
  throttle.giveBack('loginAddress', tried);

/**
 * Called for a wrong password, which keeps the points that its try took. Returns true when the owner must be notified:
 * once until the next right password.
 */
export const takeAlarm = async ({ throttle }: Gateway, tried: PasswordTry): Promise<boolean> =>
  tried.failures >= throttles.loginFailures.points && (await throttle.tryTake('guessMail', tried));

/**
 * Counts a right password. It resets the counts if the account's address is proven. Otherwise it must not: an attacker
 * could register with another person's address, reset the counts and continue to guess.
 */
export async function countRight({ throttle }: Gateway, tried: PasswordTry, proven: boolean): Promise<void> {
  await throttle.giveBack('loginAddress', tried);
  if (proven) {
    for (const name of ['loginPair', 'loginFailures', 'guessMail'] as const) await throttle.reset(name, tried);
  } else {
    await throttle.giveBack('loginPair', tried);
    if (!tried.refusal) await throttle.giveBack('loginFailures', tried);
  }
  if (!tried.refusal) await throttle.giveBack('loginTries', tried);
}

/** Returns the keyed hash of a client's network, for records that only need to recognise it. */
export const placeOf = (gateway: Gateway, address: string): string =>
  hmac(gateway.keys.codes.current.key, 'place', networkOf(address)).toString('base64url');

/** True when the account signed in from this network lately, or has just set a new password there. */
export async function isKnownPlace(gateway: Gateway, user: ObjectId, address: string): Promise<boolean> {
  const since = new Date(gateway.clock.now().getTime() - limits.knownPlaceDays * DAY_MS);
  const network = networkOf(address);
  const [sessions, reset] = await Promise.all([
    gateway.models.Session.find({ user, createAt: { $gte: since } }, { ip: 1 }).lean<SessionDoc[]>(),
    gateway.models.Code.exists({ user, purpose: 'reset', usedFrom: placeOf(gateway, address) }),
  ]);
  return reset !== null || sessions.some(({ ip }) => networkOf(ip) === network);
}
