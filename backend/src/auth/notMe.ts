import type { authCalls, Undoable } from '@lightbox/contract/auth/calls.js';
import type { DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Undo } from '@lightbox/core/models/code.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import type { ClientSession } from 'mongoose';
import type { Answer, Context } from '../context.js';
import { dropApp, dropPasskey } from './authenticators.js';
import { codeByLink, issueCode, useCode } from './codes.js';
import { endAccess } from './endAccess.js';
import { cutSockets } from './sessions.js';
import { endStandingAccess } from './standingAccess.js';

/**
 * Issues the code of the "this was not me" link for the mail about a change of the sign-in, in the transaction of the
 * change.
 */
export const issueNotMe = (core: Core, user: ObjectId, tx: ClientSession, undo?: Undo): Promise<ObjectId> =>
  issueCode(core, user, 'notMe', tx, {
    expiresAt: new Date(core.clock.now().getTime() + limits.notMeHours * HOUR_MS),
    ...(undo ? { undo } : {}),
  });

type Call = typeof authCalls.notMe;

/** Handles "this was not me": ends all access to the account and by the account, and undoes the change that the mail was about. */
export async function notMe({ gateway, actor, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const { _id, user, undo } = await codeByLink(gateway, 'notMe', body.token);
  let [undone, ended]: [Undoable | undefined, ObjectId[]] = [undefined, []];
  await gateway.events.change(actor, async (tx) => {
    if (!(await useCode(gateway, _id, tx.session))) throw new AppError('EXPIRED');
    undone = undo && (await takeBack(gateway, user, undo, tx.session));
    ended = await endAccess(gateway, user, 'notMe', tx.session);
    await endStandingAccess(gateway, tx, user);
    tx.record({ type: 'auth.notMe', actor: user, record: user, reason: undone ?? '' });
    return user;
  });
  gateway.settings.forget();
  cutSockets(gateway, ended, 'notMe');
  return { data: undone ? { undone } : {} };
}

/** Undoes a change, unless a later one has replaced it. Returns the kind of what was undone. */
async function takeBack(core: Core, user: ObjectId, undo: Undo, tx: ClientSession): Promise<Undoable | undefined> {
  const { Totp, User } = core.models;
  if ('passkey' in undo) return (await dropPasskey(core, user, undo.passkey, tx)) ? 'passkey' : undefined;
  if ('identity' in undo) {
    const dropped = await core.models.Identity.deleteOne({ _id: undo.identity, user }, { session: tx });
    return dropped.deletedCount === 1 ? 'identity' : undefined;
  }
  if ('password' in undo) {
    // No password opens the account until its owner sets one by mail.
    const closed = await User.updateOne(
      { _id: user, passwordAt: undo.password },
      { $set: { passwordHash: '' } },
      { session: tx },
    );
    return closed.modifiedCount === 1 ? 'password' : undefined;
  }
  if ('recoveryCodes' in undo) {
    const sameCodes = { _id: user, recoveryAt: undo.recoveryCodes };
    const dropped = await Totp.updateOne(sameCodes, { $set: { recoveryCodes: [] } }, { session: tx });
    return dropped.modifiedCount === 1 ? 'recoveryCodes' : undefined;
  }
  const app = await Totp.updateOne(
    { _id: user, confirmedAt: undo.app },
    { $set: { recoveryCodes: [] } },
    { session: tx },
  );
  if (app.matchedCount !== 1) return undefined;
  await dropApp(core, user, tx);
  return 'app';
}
