import type { PasskeyAnswer } from '@lightbox/contract/auth/passkeys.js';
import type { Core } from '@lightbox/core/core.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { PasskeyDoc } from '@lightbox/core/models/passkey.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { ClientSession } from 'mongoose';
import { type Ceremony, spendCeremony } from './ceremonies.js';

/**
 * Returns the domain that passkeys are bound to. Browsers accept no IP address as domain, so 127.0.0.1 becomes
 * `localhost`.
 */
export function relyingParty({ config }: Core): { rpID: string; expectedOrigin: string[] } {
  const { hostname } = new URL(config.publicUrl);
  return { rpID: hostname === '127.0.0.1' ? 'localhost' : hostname, expectedOrigin: config.allowedOrigins };
}

/** A valid use of a passkey, with its owner and the signature counter of the authenticator. */
export interface Assertion {
  passkey: PasskeyDoc;
  user: UserDoc;
  counter: number;
}

/**
 * Checks the signature of a passkey, and that its device has verified the person. Throws `EXPIRED` for a ceremony that
 * is over and `PASSKEY_REFUSED` for every other fault. `onRefused` gets the passkey, if it is one of ours.
 */
export async function checkAssertion(
  core: Core,
  about: Ceremony,
  { ceremony, response }: PasskeyAnswer,
  onRefused: (passkey: PasskeyDoc) => Promise<void> = async () => undefined,
): Promise<Assertion> {
  const expectedChallenge = await spendCeremony(core, about, ceremony);
  const passkey = await core.models.Passkey.findOne({ credentialId: response.id }).lean<PasskeyDoc>();
  const user = passkey && (await core.models.User.findById(passkey.user).lean<UserDoc>());
  if (!user) throw new AppError('PASSKEY_REFUSED');
  const { userHandle } = response.response;
  const ofUser = userHandle === undefined || userHandle === user.passkeyHandle;
  const counter =
    ofUser && (await newCounter(core, passkey, expectedChallenge, response as AuthenticationResponseJSON));
  if (typeof counter === 'number') return { passkey, user, counter };
  await onRefused(passkey);
  throw new AppError('PASSKEY_REFUSED');
}

/**
 * Returns the new counter. Null for a wrong signature, and for a counter that went back: the passkey may have been
 * copied.
 */
async function newCounter(
  core: Core,
  passkey: PasskeyDoc,
  expectedChallenge: string,
  response: AuthenticationResponseJSON,
): Promise<number | null> {
  const { rpID, expectedOrigin } = relyingParty(core);
  const { credentialId: id, publicKey, counter } = passkey;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      expectedRPID: rpID,
      credential: { id, publicKey: new Uint8Array(bufferOf(publicKey)), counter },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

/**
 * Records the use as part of a transaction. Returns false when a concurrent use has changed the counter, or the passkey
 * is gone.
 */
export async function noteUse(core: Core, { passkey, counter }: Assertion, tx: ClientSession): Promise<boolean> {
  const { _id, counter: before } = passkey;
  const noted = await core.models.Passkey.updateOne(
    { _id, counter: before },
    { $set: { counter, usedAt: core.clock.now() } },
    { session: tx },
  );
  return noted.matchedCount === 1;
}

/**
 * Checks an assertion of a signed-in person, who must own the passkey. Returns the function that records its use in a
 * transaction.
 */
export async function spendAssertion(
  core: Core,
  about: Ceremony,
  answer: PasskeyAnswer,
  user: ObjectId,
): Promise<(tx: ClientSession) => Promise<boolean>> {
  const assertion = await checkAssertion(core, about, answer);
  if (!assertion.passkey.user.equals(user)) throw new AppError('PASSKEY_REFUSED');
  return (tx) => noteUse(core, assertion, tx);
}
