import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { plain } from '@lightbox/contract/plain.js';
import { texts } from '@lightbox/contract/texts.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { accountMoves } from '@lightbox/contract/users/states.js';
import { renameOnCards } from '@lightbox/core/access/cards.js';
import { requireUser } from '@lightbox/core/access/users.js';
import { isDuplicate, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openPersonIfWhole, openProfile, profileOf, sealProfile, unsetClear } from '@lightbox/core/users/profile.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { requireOwnPassword } from '../auth/changePassword.js';
import { endAccess } from '../auth/endAccess.js';
import { cutSockets } from '../auth/sessions.js';
import { isHeld, usernameTaken } from '../auth/usernames.js';
import type { Answer, Context, Gateway } from '../context.js';
import { renewDigest } from '../notifications/noticeSettings.js';
import { acceptInvites } from '../sharing/acceptInvites.js';
import { closeAccount } from './closeAccount.js';
import { endGrounds } from './endGrounds.js';
import { presentOneself, presentUser } from './present.js';
import { setActive } from './setActive.js';

export async function updateProfile({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof userCalls.updateProfile>): Promise<Answer<DataOf<typeof userCalls.updateProfile>>> {
  const user = await requireUser(gateway, viewer, viewer.id);
  const { firstname, lastname, username, language, timeZone, readReceipts, ...about } = body;
  const set = {
    ...(firstname !== undefined ? { firstname } : {}),
    ...(lastname !== undefined ? { lastname } : {}),
    ...(language ? { language } : {}),
    ...(timeZone ? { timeZone } : {}),
    ...(readReceipts === undefined ? {} : { readReceipts }),
    ...(username !== undefined ? { username, usernameKey: plain(username) } : {}),
  };
  if (username && set.usernameKey !== user.usernameKey) {
    await gateway.throttle.take('username', { caller: viewer.id });
    if (await isHeld(gateway, username)) throw usernameTaken();
  }
  try {
    await gateway.events.change(actor, async (tx) => {
      // Read again inside the transaction, so that two concurrent changes of different fields do not undo each other.
      const now = await gateway.models.User.findById(user._id, {}, { session: tx.session }).lean<UserDoc>();
      const profile = profileOf({ ...openProfile(gateway.keys, now ?? user), ...about });
      const named = { ...(now ?? user), ...set };
      const sealed = sealProfile(gateway.keys, user._id, profile);
      await gateway.models.User.updateOne(
        { _id: user._id },
        { $set: { ...set, ...searchFields(named), profile: sealed }, $unset: unsetClear },
        { session: tx.session, strict: false },
      );
      if (named.firstname !== now?.firstname || named.lastname !== now?.lastname)
        await renameOnCards(gateway.models, user._id, named, tx.session);
      if (timeZone && timeZone !== now?.timeZone)
        await renewDigest(gateway, { ...(now ?? user), timeZone }, tx.session);
      tx.record({ type: 'profile.update', record: user._id });
      return user._id;
    });
  } catch (error) {
    throw isDuplicate(error) ? usernameTaken() : error;
  }
  const after = await requireUser(gateway, viewer, viewer.id);
  return { data: presentOneself(openPersonIfWhole(gateway, after)), message: texts.profileUpdated };
}

export async function deleteProfile({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof userCalls.deleteProfile>): Promise<Answer<unknown>> {
  const user = await requireOwnPassword(gateway, viewer._id, 'password', body.password);
  await closeAccount(gateway, actor, user, 'profile.delete');
  return { data: null };
}

export async function deleteUser({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof userCalls.deleteUser>): Promise<Answer<unknown>> {
  if (params.id === viewer.id) throw new AppError('NOT_ONESELF');
  await closeAccount(gateway, actor, await requireUser(gateway, viewer, params.id), 'user.delete');
  return { data: null };
}

export async function toggleUserStatus({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<typeof userCalls.toggleUserStatus>): Promise<Answer<DataOf<typeof userCalls.toggleUserStatus>>> {
  if (params.id === viewer.id) throw new AppError('NOT_ONESELF');
  const user = await requireUser(gateway, viewer, params.id);
  const active = body.active ?? !user.active;
  let sessions: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    const isRepeat = body.active !== undefined && (await hasState(gateway, tx, user._id, active));
    if (!isRepeat) sessions = await setActive(gateway, tx, { ...user, active: !active }, active);
    return user._id;
  });
  cutSockets(gateway, sessions, 'deactivated');
  return { data: presentUser(viewer, openPersonIfWhole(gateway, { ...user, active })) };
}

/** True when the account has the wanted state already: the answer of an earlier call was lost, or another admin was faster. */
async function hasState(
  { models }: Gateway,
  { session }: Transaction,
  _id: ObjectId,
  active: boolean,
): Promise<boolean> {
  return (await models.User.exists({ _id, active, deletedAt: { $exists: false } }).session(session)) !== null;
}

export async function approveProvider({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof userCalls.approveProvider>): Promise<Answer<DataOf<typeof userCalls.approveProvider>>> {
  const user = await decide(gateway, body.email, 'active');
  if (user.status === 'active')
    return { data: presentUser(viewer, openPersonIfWhole(gateway, user)), message: texts.providerActivated };
  await gateway.events.change(actor, async (tx) => {
    const changed = await gateway.models.User.updateOne(
      { _id: user._id, status: { $in: accountMoves.approve.from }, deletedAt: { $exists: false } },
      { $set: { status: accountMoves.approve.to, approvedAt: gateway.clock.now() }, $unset: { rejectedReason: 1 } },
      { session: tx.session },
    );
    // When another admin was faster, there is still one effect and one mail.
    if (changed.modifiedCount !== 1) return await requireDecided(gateway, tx, user._id, accountMoves.approve.to);
    await acceptInvites(gateway, tx, user);
    tx.record({ type: 'user.approve', record: user._id });
    return user._id;
  });
  return {
    data: presentUser(viewer, openPersonIfWhole(gateway, { ...user, status: 'active' })),
    message: texts.providerActivated,
  };
}

/**
 * Takes an approval back within a short time: the provider waits again, and all access ends. Shares that the approval
 * made from invitations stay, and open nothing until the account is approved again.
 */
export async function undoApproval({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof userCalls.undoApproval>): Promise<Answer<DataOf<typeof userCalls.undoApproval>>> {
  const user = await gateway.models.User.findOne({ email: body.email, deletedAt: { $exists: false } }).lean<UserDoc>();
  if (!user) throw new AppError('NOT_FOUND');
  const since = new Date(gateway.clock.now().getTime() - limits.approvalUndoSeconds * 1000);
  let sessions: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    const changed = await gateway.models.User.updateOne(
      {
        _id: user._id,
        role: 'healthProvider',
        status: { $in: accountMoves.reconsider.from },
        approvedAt: { $gt: since },
        deletedAt: { $exists: false },
      },
      { $set: { status: accountMoves.reconsider.to }, $unset: { approvedAt: 1 } },
      { session: tx.session },
    );
    if (changed.modifiedCount !== 1) throw new AppError('EXPIRED');
    sessions = await endAccess(gateway, user._id, 'deactivated', tx.session);
    await endGrounds(gateway, tx, user._id);
    tx.record({ type: 'user.reconsidered', record: user._id });
    return user._id;
  });
  cutSockets(gateway, sessions, 'deactivated');
  return { data: presentUser(viewer, openPersonIfWhole(gateway, { ...user, status: accountMoves.reconsider.to })) };
}

export async function rejectProvider({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof userCalls.rejectProvider>): Promise<Answer<DataOf<typeof userCalls.rejectProvider>>> {
  const user = await decide(gateway, body.email, 'rejected');
  if (user.status === 'rejected')
    return { data: presentUser(viewer, openPersonIfWhole(gateway, user)), message: texts.providerRejected };
  await gateway.events.change(actor, async (tx) => {
    const changed = await gateway.models.User.updateOne(
      { _id: user._id, status: { $in: accountMoves.reject.from }, deletedAt: { $exists: false } },
      { $set: { status: accountMoves.reject.to, rejectedReason: body.reason } },
      { session: tx.session },
    );
    if (changed.modifiedCount !== 1) return await requireDecided(gateway, tx, user._id, accountMoves.reject.to);
    tx.record({ type: 'user.reject', record: user._id, reason: body.reason });
    return user._id;
  });
  return {
    data: presentUser(viewer, openPersonIfWhole(gateway, { ...user, status: 'rejected' })),
    message: texts.providerRejected,
  };
}

/** Returns the provider with that address. Throws `NOT_PENDING` when the decision is not possible any more. */
async function decide(gateway: Gateway, email: string, to: 'active' | 'rejected'): Promise<UserDoc> {
  const user = await gateway.models.User.findOne({ email, deletedAt: { $exists: false } }).lean<UserDoc>();
  if (!user) throw new AppError('NOT_FOUND');
  if (user.role !== 'healthProvider') throw new AppError('NOT_PENDING');
  if (to === 'rejected' && user.status === 'active') throw new AppError('NOT_PENDING');
  return user;
}

/** Returns the id when the account is decided about in this way already. Throws `NOT_PENDING` in any other state. */
async function requireDecided(
  { models }: Gateway,
  { session }: Transaction,
  _id: ObjectId,
  status: 'active' | 'rejected',
): Promise<ObjectId> {
  if (await models.User.exists({ _id, status, deletedAt: { $exists: false } }).session(session)) return _id;
  throw new AppError('NOT_PENDING');
}
