import { randomBytes } from 'node:crypto';
import type { Passkey, PasskeyQuestion } from '@lightbox/contract/auth/passkeys.js';
import type { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { PasskeyDoc } from '@lightbox/core/models/passkey.js';
import {
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';
import { keepRecoveryCodes, newRecoveryCodes } from './authenticator.js';
import { dropPasskey } from './authenticators.js';
import { beginCeremony, type Ceremony, spendCeremony } from './ceremonies.js';
import { endAccess } from './endAccess.js';
import { issueNotMe } from './notMe.js';
import { relyingParty } from './passkeyAssertion.js';
import { cutSockets } from './sessions.js';

const present = ({ _id, name, createAt, usedAt, synced }: PasskeyDoc): Passkey => ({
  id: String(_id),
  name,
  createAt: createAt.toISOString(),
  ...(usedAt ? { usedAt: usedAt.toISOString() } : {}),
  synced,
});

const passkeysOf = (gateway: Gateway, user: ObjectId) =>
  gateway.models.Passkey.find({ user }).sort({ createAt: 1 }).limit(limits.passkeys).lean<PasskeyDoc[]>();

export async function listPasskeys({
  gateway,
  viewer,
}: Context<typeof securityCalls.listPasskeys>): Promise<Answer<Passkey[]>> {
  return { data: (await passkeysOf(gateway, viewer._id)).map(present) };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
const tooMany = () => new AppError('CONFLICT', { message: `An account has at most ${limits.passkeys} passkeys.` });

const ceremonyOf = (session: ObjectId): Ceremony => ({ purpose: 'register', session });

type Ask = typeof securityCalls.askNewPasskey;

export async function askNewPasskey({ gateway, actor, viewer }: Context<Ask>): Promise<Answer<PasskeyQuestion>> {
  const passkeys = await passkeysOf(gateway, viewer._id);
  if (passkeys.length >= limits.passkeys) throw tooMany();
  await gateway.events.change(actor, async (tx) => {
    await gateway.models.User.updateOne(
      { _id: viewer._id, passkeyHandle: { $exists: false } },
      { $set: { passkeyHandle: randomBytes(32).toString('base64url') } },
      { session: tx.session },
    );
    tx.record({ type: 'passkey.start', record: viewer._id });
    return viewer._id;
  });
  const user = await requireUser(gateway, viewer, viewer.id);
  const { ceremony, challenge } = beginCeremony(gateway, ceremonyOf(viewer.sessionId));
  const options = await generateRegistrationOptions({
    rpName: 'Lightbox',
    rpID: relyingParty(gateway).rpID,
    userName: user.email,
    userID: bytesOf(user.passkeyHandle ?? ''),
    challenge: bytesOf(challenge),
    timeout: limits.ceremonyMinutes * 60_000,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { data: { ceremony, options: { ...options } } };
}

type Add = typeof securityCalls.addPasskey;

export async function addPasskey({ gateway, actor, viewer, body }: Context<Add>): Promise<Answer<DataOf<Add>>> {
  const passkey = await newPasskey(gateway, viewer._id, viewer.sessionId, body);
  let [recoveryCodes, ended]: [string[] | undefined, ObjectId[]] = [undefined, []];
  const save = async (tx: Transaction) => {
    const { Passkey, User } = gateway.models;
    if ((await Passkey.countDocuments({ user: viewer._id }).session(tx.session)) >= limits.passkeys) throw tooMany();
    await Passkey.create([passkey], { session: tx.session });
    const first = { _id: viewer._id, passkeyAt: { $exists: false } };
    await User.updateOne(first, { $set: { passkeyAt: passkey.createAt } }, { session: tx.session });
    recoveryCodes = await firstRecoveryCodes(gateway, viewer._id, tx.session);
    ended = await endAccess(gateway, viewer._id, 'signInChanged', tx.session, { except: viewer.sessionId });
    const notMe = await issueNotMe(gateway, viewer._id, tx.session, { passkey: passkey._id });
    tx.record({
      type: 'passkey.add',
      record: passkey._id,

      refs: { notMe },
    });
    return passkey._id;
  };
  await gateway.events.change(actor, save).catch((error) => {
    throw isDuplicate(error) ? new AppError('CONFLICT', { message: 'You have already added this passkey.' }) : error;
  });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: { passkey: present(passkey), ...(recoveryCodes ? { recoveryCodes } : {}) } };
}

/** Verifies the credential that an authenticator has made for this session. Returns its record. */
async function newPasskey(
  gateway: Gateway,
  user: ObjectId,
  session: ObjectId,
  { ceremony, response, name }: BodyOf<Add>,
): Promise<PasskeyDoc> {
  const expectedChallenge = await spendCeremony(gateway, ceremonyOf(session), ceremony);
  const { rpID, expectedOrigin } = relyingParty(gateway);
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin,
    expectedRPID: rpID,
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) throw new AppError('PASSKEY_REFUSED');
  const { credential, credentialDeviceType } = registrationInfo;
  return {
    _id: newId(gateway.clock.now()),
    user,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    synced: credentialDeviceType === 'multiDevice',
    name,
    createAt: gateway.clock.now(),
  };
}

/**
 * Creates recovery codes if this is the account's first authenticator. An account with an app or another passkey has
 * codes already.
 */
async function firstRecoveryCodes(gateway: Gateway, user: ObjectId, tx: ClientSession): Promise<string[] | undefined> {
  const { Passkey, Totp } = gateway.models;
  const app = await Totp.exists({ _id: user, confirmedAt: { $exists: true } }).session(tx);
  if (app || (await Passkey.countDocuments({ user }).session(tx)) > 1) return undefined;
  const { shown, kept } = newRecoveryCodes(gateway, user);
  await keepRecoveryCodes(gateway, user, kept, tx);
  return shown;
}

type Rename = typeof securityCalls.renamePasskey;

export async function renamePasskey({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<Rename>): Promise<Answer<DataOf<Rename>>> {
  const _id = oid(params.id);
  const own = { _id, user: viewer._id };
  await gateway.events.change(actor, async (tx) => {
    const named = await gateway.models.Passkey.updateOne(own, { $set: body }, { session: tx.session });
    if (named.matchedCount !== 1) throw new AppError('NOT_FOUND');
    tx.record({ type: 'passkey.rename', record: _id });
    return _id;
  });
  const passkey = await gateway.models.Passkey.findOne(own).lean<PasskeyDoc>();
  if (!passkey) throw new AppError('NOT_FOUND');
  return { data: present(passkey) };
}

export async function removePasskey({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof securityCalls.removePasskey>): Promise<Answer<unknown>> {
  const _id = oid(params.id);
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    if (!(await dropPasskey(gateway, viewer._id, _id, tx.session))) throw new AppError('NOT_FOUND');
    ended = await endAccess(gateway, viewer._id, 'signInChanged', tx.session, { except: viewer.sessionId });
    const notMe = await issueNotMe(gateway, viewer._id, tx.session);
    tx.record({ type: 'passkey.remove', record: _id, refs: { notMe } });
    return _id;
  });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: null };
}
