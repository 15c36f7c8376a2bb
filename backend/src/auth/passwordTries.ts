import { limits } from '@lightbox/contract/limits.js';
import { loginWaitSeconds, throttles } from '@lightbox/contract/throttles.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import { networkOf } from '@lightbox/core/net/network.js';
import type { Gateway } from '../context.js';

interface From {
  email: string;
  address: string;
}

/** One try at the password of an account, counted before the password is looked at: many at once are no way round it. */
export interface PasswordTry extends From {
  /** The account has to wait. Only the right password, from a place that the account is known at, goes on all the same. */
  refusal: AppError | null;
  /** Wrong passwords since the last right one, with this try. */
  failures: number;
}

/** Throws when this address may try no more. */
export async function takePasswordTry({ throttle }: Gateway, from: From): Promise<PasswordTry> {
  await throttle.take('loginPair', from);
  await throttle.check('loginAddress', from);
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

/** True when the owner of the account is to be told: once, until the next right password. */
export async function countWrong({ throttle }: Gateway, tried: PasswordTry): Promise<boolean> {
  await throttle.take('loginAddress', tried);
  return tried.failures >= throttles.loginFailures.points && (await throttle.tryTake('guessMail', tried));
}

/**
 * A right password starts the count anew if the account's address is proven. It must not otherwise, or a registration with
 * somebody's address would be a way to guess on.
 */
export async function countRight({ throttle }: Gateway, tried: PasswordTry, proven: boolean): Promise<void> {
  if (proven) {
    for (const name of ['loginPair', 'loginFailures', 'guessMail'] as const) await throttle.reset(name, tried);
  } else {
    await throttle.giveBack('loginPair', tried);
    if (!tried.refusal) await throttle.giveBack('loginFailures', tried);
  }
  if (!tried.refusal) await throttle.giveBack('loginTries', tried);
}

/** An address as records keep it that need only to recognize it. */
export const placeOf = (gateway: Gateway, address: string): string =>
  hmac(gateway.keys.codes.current.key, 'place', networkOf(address)).toString('base64url');

/** Whether the account signed in from this network lately, or has just chosen a new password there. */
export async function isKnownPlace(gateway: Gateway, user: ObjectId, address: string): Promise<boolean> {
  const since = new Date(gateway.clock.now().getTime() - limits.knownPlaceDays * 86_400_000);
  const network = networkOf(address);
  const [sessions, reset] = await Promise.all([
    gateway.models.Session.find({ user, createAt: { $gte: since } }, { ip: 1 }).lean<SessionDoc[]>(),
    gateway.models.Code.exists({ user, purpose: 'reset', usedFrom: placeOf(gateway, address) }),
  ]);
  return reset !== null || sessions.some(({ ip }) => networkOf(ip) === network);
}
