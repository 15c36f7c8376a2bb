import type { securityCalls, TotpState } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireUser } from '@lightbox/core/access/users.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import { isPassword } from '@lightbox/core/keys/password.js';
import type { TotpDoc, UserDoc } from '@lightbox/core/models/types.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context, Gateway } from '../context.js';
import { newRecoveryCodes, newSecret, spendProof, stepOf } from './authenticator.js';
import { needsTotp } from './authorize.js';
import { wrongCode } from './codes.js';

const alreadyOn = () => new AppError('CONFLICT', { message: 'An authenticator app is set up already.' });

export async function getTotp({ gateway, viewer }: Context<typeof securityCalls.getTotp>): Promise<Answer<TotpState>> {
  const totp = await gateway.models.Totp.findById(viewer._id).lean<TotpDoc>();
  const on = totp?.confirmedAt;
  return {
    data: {
      on: on !== undefined,
      ...(on ? { since: on.toISOString() } : {}),
      recoveryCodesLeft: on ? totp.recoveryCodes.length : 0,
      required: await needsTotp(gateway, viewer.role),
    },
  };
}

type SetUp = typeof securityCalls.setUpTotp;

/** Two steps in one call: a new secret, and then the code that shows that the app has it. */
export const setUpTotp = (context: Context<SetUp>): Promise<Answer<DataOf<SetUp>>> =>
  context.body.code === undefined ? start(context) : turnOn(context, context.body.code);

async function start({ gateway, actor, viewer }: Context<SetUp>): Promise<Answer<DataOf<SetUp>>> {
  const user = await requireUser(gateway, viewer, viewer.id);
  const { sealed, secret, uri } = newSecret(gateway, user._id, user.email);
  await gateway.events.change(actor, async (tx) => {
    if (await gateway.models.Totp.exists({ _id: user._id, confirmedAt: { $exists: true } }).session(tx.session)) {
      throw alreadyOn();
    }
    const fresh = { secret: sealed, createAt: gateway.clock.now(), lastStep: 0, tries: 0, recoveryCodes: [] };
    await gateway.models.Totp.updateOne({ _id: user._id }, { $set: fresh }, { upsert: true, session: tx.session });
    tx.record({ type: 'totp.start', table: 'users', record: user._id });
    return user._id;
  });
  return { data: { secret, uri } };
}

async function turnOn({ gateway, actor, viewer }: Context<SetUp>, code: string): Promise<Answer<DataOf<SetUp>>> {
  const totp = await takeTry(gateway, viewer._id, false);
  const step = stepOf(gateway, totp, code);
  if (step === null) throw wrongCode(limits.codeTries - totp.tries);
  const { shown, kept } = newRecoveryCodes(gateway, viewer._id);
  const now = gateway.clock.now();
  await gateway.events.change(actor, async (tx) => {
    const changed = await gateway.models.Totp.updateOne(
      { _id: viewer._id, secret: totp.secret, confirmedAt: { $exists: false } },
      { $set: { confirmedAt: now, lastStep: step, tries: 0, recoveryCodes: kept } },
      { session: tx.session },
    );
    if (changed.modifiedCount !== 1) throw alreadyOn();
    await gateway.models.User.updateOne({ _id: viewer._id }, { $set: { totpAt: now } }, { session: tx.session });
    tx.record({ type: 'totp.on', table: 'users', record: viewer._id });
    return viewer._id;
  });
  return { data: { recoveryCodes: shown } };
}

/**
 * One of the five tries that an app has outside of a sign-in, before anything is compared. They begin anew with the next
 * sign-in, or with a new secret. One that was never confirmed is good for as long as a code.
 */
async function takeTry(gateway: Gateway, user: ObjectId, confirmed: boolean): Promise<TotpDoc> {
  const wanted = { _id: user, confirmedAt: { $exists: confirmed } };
  const known = await gateway.models.Totp.findOne(wanted).lean<TotpDoc>();
  if (!known) {
    const other = await gateway.models.Totp.exists({ _id: user });
    throw confirmed ? new AppError('NOT_FOUND') : other ? alreadyOn() : new AppError('EXPIRED');
  }
  const age = gateway.clock.now().getTime() - known.createAt.getTime();
  if (!confirmed && age >= limits.codeMinutes * 60_000) throw new AppError('EXPIRED');
  const totp = await gateway.models.Totp.findOneAndUpdate(
    { ...wanted, tries: { $lt: limits.codeTries } },
    { $inc: { tries: 1 } },
    { returnDocument: 'after' },
  ).lean<TotpDoc>();
  if (!totp) throw new AppError('CODE_LOCKED');
  return totp;
}

type Remove = typeof securityCalls.removeTotp;

export async function removeTotp(context: Context<Remove>): Promise<Answer<unknown>> {
  const { gateway, viewer } = context;
  await changeProven(context, async (tx) => {
    await dropTotp(gateway, viewer._id, tx.session);
    tx.record({ type: 'totp.off', table: 'users', record: viewer._id });
  });
  return { data: null };
}

type Renew = typeof securityCalls.renewRecoveryCodes;

/** For those who have used up their codes, or lost the paper: the codes before are worth nothing from now on. */
export async function renewRecoveryCodes(context: Context<Renew>): Promise<Answer<DataOf<Renew>>> {
  const { gateway, viewer } = context;
  const { shown, kept } = newRecoveryCodes(gateway, viewer._id);
  await changeProven(context, async (tx) => {
    const changed = await gateway.models.Totp.updateOne(
      { _id: viewer._id, confirmedAt: { $exists: true } },
      { $set: { recoveryCodes: kept } },
      { session: tx.session },
    );
    if (changed.modifiedCount !== 1) throw new AppError('NOT_FOUND');
    tx.record({ type: 'totp.recovery', table: 'users', record: viewer._id });
  });
  return { data: { recoveryCodes: shown } };
}

/** A change to one's own app, with a proof that is spent by the change itself. */
async function changeProven(
  { gateway, actor, viewer, body }: Context<Remove | Renew>,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await gateway.throttle.take('secondFactor', { caller: viewer.id });
  const spend = await proveOneself(gateway, viewer._id, body);
  await gateway.throttle.reset('secondFactor', { caller: viewer.id });
  await gateway.events.change(actor, async (tx) => {
    if (!(await spend(tx.session))) throw new AppError('WRONG_CODE');
    await work(tx);
    return viewer._id;
  });
}

/** By the app's code or the password; gives what spends the proof in the transaction. */
async function proveOneself(
  gateway: Gateway,
  id: ObjectId,
  { code, password }: BodyOf<Remove>,
): Promise<(tx: ClientSession) => Promise<boolean>> {
  if (code !== undefined) {
    const totp = await takeTry(gateway, id, true);
    const step = stepOf(gateway, totp, code);
    if (step === null) throw wrongCode(limits.codeTries - totp.tries);
    return (tx) => spendProof(gateway, id, { step }, tx);
  }
  const user = await gateway.models.User.findById(id).lean<UserDoc>();
  if (!user?.totpAt) throw new AppError('NOT_FOUND');
  if (!(await isPassword(user.passwordHash, password ?? ''))) {
    throw fieldError('password', texts.passwordNotRight);
  }
  return async () => true;
}

/** Takes the app off an account as part of a transaction. */
export async function dropTotp(gateway: Gateway, user: ObjectId, tx: ClientSession): Promise<void> {
  await gateway.models.Totp.deleteOne({ _id: user }, { session: tx });
  await gateway.models.User.updateOne({ _id: user }, { $unset: { totpAt: 1 } }, { session: tx });
}

/** For somebody who has lost the app and the recovery codes: an administrator knows who they are. */
export async function resetUserTotp({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof userCalls.resetUserTotp>): Promise<Answer<unknown>> {
  if (params.id === viewer.id) throw new AppError('NOT_ONESELF');
  const user = await requireUser(gateway, viewer, params.id);
  if (!user.totpAt) return { data: null, message: texts.totpReset };
  await gateway.events.change(actor, async (tx) => {
    await dropTotp(gateway, user._id, tx.session);
    tx.record({ type: 'totp.reset', table: 'users', record: user._id });
    return user._id;
  });
  return { data: null, message: texts.totpReset };
}
