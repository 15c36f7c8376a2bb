import type { securityCalls, TotpState } from '@lightbox/contract/auth/securityCalls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { texts } from '@lightbox/contract/texts.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireUser } from '@lightbox/core/access/users.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { TotpDoc } from '@lightbox/core/models/totp.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context } from '../context.js';
import { alreadyOn, takeAppTry } from './appTries.js';
import { keepRecoveryCodes, newRecoveryCodes, newSecret, stepOf } from './authenticator.js';
import { dropApp, dropAuthenticators } from './authenticators.js';
import { hasSecondFactor, needsSecondFactor } from './authorize.js';
import { endAccess } from './endAccess.js';
import { issueNotMe } from './notMe.js';
import { cutSockets } from './sessions.js';
import { wrongCode } from './tries.js';

export async function getTotp({ gateway, viewer }: Context<typeof securityCalls.getTotp>): Promise<Answer<TotpState>> {
  const totp = await gateway.models.Totp.findById(viewer._id).lean<TotpDoc>();
  const on = totp?.confirmedAt;
  return {
    data: {
      on: on !== undefined,
      ...(on ? { since: on.toISOString() } : {}),
      recoveryCodesLeft: totp?.recoveryCodes.length ?? 0,
      required: await needsSecondFactor(gateway, viewer.role),
    },
  };
}

type SetUp = typeof securityCalls.setUpTotp;

/**
 * Sets up an app in two calls: the first returns a new secret, the second sends a code that proves that the app has it.
 */
export const setUpTotp = (context: Context<SetUp>): Promise<Answer<DataOf<SetUp>>> =>
  context.body.code === undefined ? start(context) : turnOn(context, context.body.code);

async function start({ gateway, actor, viewer }: Context<SetUp>): Promise<Answer<DataOf<SetUp>>> {
  const user = await requireUser(gateway, viewer, viewer.id);
  const { sealed, secret, uri } = newSecret(gateway, user._id, user.email);
  await gateway.events.change(actor, async (tx) => {
    if (await gateway.models.Totp.exists({ _id: user._id, confirmedAt: { $exists: true } }).session(tx.session)) {
      throw alreadyOn();
    }
    const fresh = { secret: sealed, createAt: gateway.clock.now(), lastStep: 0, tries: 0 };
    await gateway.models.Totp.updateOne(
      { _id: user._id },
      // An account with passkeys keeps its recovery codes for now.
      { $set: fresh, $setOnInsert: { recoveryCodes: [] } },
      { upsert: true, session: tx.session },
    );
    tx.record({ type: 'totp.start', record: user._id });
    return user._id;
  });
  return { data: { secret, uri } };
}

async function turnOn({ gateway, actor, viewer }: Context<SetUp>, code: string): Promise<Answer<DataOf<SetUp>>> {
  const totp = await takeAppTry(gateway, viewer._id, false);
  const step = stepOf(gateway, totp, code);
  if (step === null) throw wrongCode(totp.tries);
  const { shown, kept } = newRecoveryCodes(gateway, viewer._id);
  const now = gateway.clock.now();
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    const changed = await gateway.models.Totp.updateOne(
      { _id: viewer._id, secret: totp.secret ?? '', confirmedAt: { $exists: false } },
      { $set: { confirmedAt: now, lastStep: step, tries: 0 } },
      { session: tx.session },
    );
    if (changed.modifiedCount !== 1) throw alreadyOn();
    await keepRecoveryCodes(gateway, viewer._id, kept, tx.session);
    await gateway.models.User.updateOne({ _id: viewer._id }, { $set: { totpAt: now } }, { session: tx.session });
    ended = await endAccess(gateway, viewer._id, 'signInChanged', tx.session, { except: viewer.sessionId });
    const notMe = await issueNotMe(gateway, viewer._id, tx.session, { app: now });
    tx.record({ type: 'totp.on', record: viewer._id, refs: { notMe } });
    return viewer._id;
  });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: { recoveryCodes: shown } };
}

export async function removeTotp({
  gateway,
  actor,
  viewer,
}: Context<typeof securityCalls.removeTotp>): Promise<Answer<unknown>> {
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    const on = { _id: viewer._id, confirmedAt: { $exists: true } };
    if (!(await gateway.models.Totp.exists(on).session(tx.session))) throw new AppError('NOT_FOUND');
    await dropApp(gateway, viewer._id, tx.session);
    ended = await endAccess(gateway, viewer._id, 'signInChanged', tx.session, { except: viewer.sessionId });
    const notMe = await issueNotMe(gateway, viewer._id, tx.session);
    tx.record({ type: 'totp.off', record: viewer._id, refs: { notMe } });
    return viewer._id;
  });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: null };
}

type Renew = typeof securityCalls.renewRecoveryCodes;

/**
 * Replaces the recovery codes of a person who has used them up or lost the paper. The old codes do not work any more.
 */
export async function renewRecoveryCodes({ gateway, actor, viewer }: Context<Renew>): Promise<Answer<DataOf<Renew>>> {
  const { shown, kept } = newRecoveryCodes(gateway, viewer._id);
  await gateway.events.change(actor, async (tx) => {
    const user = await gateway.models.User.findById(viewer._id).session(tx.session).lean<UserDoc>();
    if (!hasSecondFactor(user)) throw new AppError('NOT_FOUND');
    const at = await keepRecoveryCodes(gateway, viewer._id, kept, tx.session);
    const notMe = await issueNotMe(gateway, viewer._id, tx.session, { recoveryCodes: at });
    tx.record({ type: 'totp.recovery', record: viewer._id, refs: { notMe } });
    return viewer._id;
  });
  return { data: { recoveryCodes: shown } };
}

/**
 * Removes all authenticators of a person who has lost the app, the passkeys and the recovery codes. The administrator
 * has to know who asks.
 */
export async function resetUserTotp({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof userCalls.resetUserTotp>): Promise<Answer<unknown>> {
  if (params.id === viewer.id) throw new AppError('NOT_ONESELF');
  const user = await requireUser(gateway, viewer, params.id);
  if (!hasSecondFactor(user)) return { data: null, message: texts.totpReset };
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    await dropAuthenticators(gateway, user._id, tx.session);
    ended = await endAccess(gateway, user._id, 'signInChanged', tx.session);
    const notMe = await issueNotMe(gateway, user._id, tx.session);
    tx.record({ type: 'totp.reset', record: user._id, refs: { notMe } });
    return user._id;
  });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: null, message: texts.totpReset };
}
