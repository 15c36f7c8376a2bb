import type { authCalls } from '@lightbox/contract/auth/calls.js';
import type { PasskeyQuestion } from '@lightbox/contract/auth/passkeys.js';
import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import type { PasskeyDoc } from '@lightbox/core/models/passkey.js';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import type { Answer, Context, Gateway } from '../context.js';
import { accountRefusal } from './accountRefusal.js';
import { beginCeremony, type Ceremony } from './ceremonies.js';
import { beginAccess } from './endAccess.js';
import { openSession, recordFailure } from './login.js';
import { checkAssertion, noteUse, relyingParty } from './passkeyAssertion.js';
import { takeAddressTry } from './passwordTries.js';

async function question(gateway: Gateway, about: Ceremony, passkeys: PasskeyDoc[]): Promise<PasskeyQuestion> {
  const { ceremony, challenge } = beginCeremony(gateway, about);
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(gateway).rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: limits.ceremonyMinutes * 60_000,
    userVerification: 'required',
    allowCredentials: passkeys.map(({ credentialId: id, transports }) => ({ id, transports })),
  });
  return { ceremony, options: { ...options } };
}

/** Names no account: the browser offers the passkeys that it has for this site. */
export async function askPasskey({ gateway }: Context<typeof authCalls.askPasskey>): Promise<Answer<PasskeyQuestion>> {
  return { data: await question(gateway, { purpose: 'signIn' }, []) };
}

export async function askStepUpPasskey({
  gateway,
  viewer,
}: Context<typeof securityCalls.askStepUpPasskey>): Promise<Answer<PasskeyQuestion>> {
  const passkeys = await gateway.models.Passkey.find({ user: viewer._id }).limit(limits.passkeys).lean<PasskeyDoc[]>();
  if (passkeys.length === 0) throw new AppError('NOT_FOUND');
  return { data: await question(gateway, { purpose: 'stepUp', session: viewer.sessionId }, passkeys) };
}

type Call = typeof authCalls.passkeySignIn;

/**
 * Signs in with a passkey alone. It is both factors: the possession of a device, and the device's own check of its
 * user.
 */
export async function passkeySignIn({ gateway, actor, body, req, res }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const address = req.ip ?? '';
  await takeAddressTry(gateway, { address });
  const assertion = await checkAssertion(gateway, { purpose: 'signIn' }, body, ({ user }) =>
    recordFailure(gateway, actor.ip, user, 'auth.login', 'PASSKEY_REFUSED'),
  );
  await gateway.throttle.giveBack('loginAddress', { address });
  const { user } = assertion;
  const refused = accountRefusal(user);
  if (refused) {
    await recordFailure(gateway, actor.ip, user._id, 'auth.login', refused);
    throw new AppError(refused);
  }
  return openSession(gateway, actor, { user, reason: 'passkey', req, res }, async ({ session }) => {
    const right = (await beginAccess(gateway, user, session)) && (await noteUse(gateway, assertion, session));
    if (!right) throw new AppError('PASSKEY_REFUSED');
  });
}
