import type { DataOf } from '@lightbox/contract/call.js';
import type { Identity, signOnCalls } from '@lightbox/contract/signOn/calls.js';
import type { Core } from '@lightbox/core/core.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { IdentityDoc } from '@lightbox/core/models/identity.js';
import type { SignOn } from '@lightbox/core/models/signOn.js';
import type { ClientSession } from 'mongoose';
import { endAccess } from '../auth/endAccess.js';
import { issueNotMe } from '../auth/notMe.js';
import { cutSockets } from '../auth/sessions.js';
import type { Answer, Context, Gateway } from '../context.js';
import { beginFlow, finishFlow, type SignedOn } from './flow.js';

/**
 * Records the use of a linked sign-in, as part of the transaction that opens the session. Throws when it was unlinked
 * meanwhile.
 */
export async function noteSignOn(core: Core, { identity }: SignOn, tx: ClientSession): Promise<void> {
  const used = await core.models.Identity.updateOne(
    { _id: identity },
    { $set: { usedAt: core.clock.now() } },
    { session: tx },
  );
  if (used.matchedCount !== 1) throw new AppError('SIGN_ON_EXPIRED');
}

/** Links a person at a provider to an account, as part of a transaction. The mail has the link that takes it back. */
export async function linkIdentity(
  gateway: Gateway,
  tx: Transaction,
  user: ObjectId,
  { provider, subject }: SignedOn,
): Promise<IdentityDoc> {
  const identity = newIdentity(gateway, user, { provider, subject });
  await gateway.models.Identity.create([identity], { session: tx.session });
  const notMe = await issueNotMe(gateway, user, tx.session, { identity: identity._id });
  tx.record({ type: 'signOn.linked', record: identity._id, actor: user, reason: provider.id, refs: { notMe } });
  return identity;
}

export const newIdentity = (
  { clock }: Gateway,
  user: ObjectId,
  { provider, subject }: Pick<SignedOn, 'provider' | 'subject'>,
): IdentityDoc => ({
  _id: newId(clock.now()),
  user,
  provider: provider.id,
  issuer: provider.issuer,
  subject,
  createAt: clock.now(),
});

/** Returns the accounts at providers with which a person signs in. */
export async function identitiesOf({ models, signOn }: Gateway, user: ObjectId): Promise<Identity[]> {
  const identities = await models.Identity.find({ user }).sort({ _id: 1 }).lean<IdentityDoc[]>();
  return identities.map(({ _id, provider, createAt, usedAt }) => ({
    id: String(_id),
    provider,
    name: signOn.all.find(({ id }) => id === provider)?.name ?? provider,
    createAt: createAt.toISOString(),
    ...(usedAt ? { usedAt: usedAt.toISOString() } : {}),
  }));
}

export const listIdentities = async ({
  gateway,
  viewer,
}: Context<typeof signOnCalls.listIdentities>): Promise<Answer<Identity[]>> => ({
  data: await identitiesOf(gateway, viewer._id),
});

type Begin = typeof signOnCalls.beginLink;

export async function beginLink({
  gateway,
  viewer,
  params,
  body,
  req,
  res,
}: Context<Begin>): Promise<Answer<DataOf<Begin>>> {
  const purpose = { for: 'link', session: viewer.sessionId } as const;
  return { data: { url: await beginFlow(gateway, { req, res, ...params, ...body, purpose }) } };
}

type Finish = typeof signOnCalls.finishLink;

export async function finishLink({
  gateway,
  actor,
  viewer,
  params,
  body,
  req,
  res,
}: Context<Finish>): Promise<Answer<DataOf<Finish>>> {
  const purpose = { for: 'link', session: viewer.sessionId } as const;
  const signedOn = await finishFlow(gateway, { req, res, ...params, ...body, purpose });
  let ended: ObjectId[] = [];
  await gateway.events
    .change(actor, async (tx) => {
      const { _id } = await linkIdentity(gateway, tx, viewer._id, signedOn);
      ended = await endAccess(gateway, viewer._id, 'signInChanged', tx.session, { except: viewer.sessionId });
      return _id;
    })
    .catch((error) => {
      throw isDuplicate(error) ? new AppError('SIGN_ON_LINKED') : error;
    });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: signedOn.returnTo ? { returnTo: signedOn.returnTo } : {} };
}

export async function unlink({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof signOnCalls.unlink>): Promise<Answer<unknown>> {
  const _id = oid(params.id);
  let ended: ObjectId[] = [];
  await gateway.events.change(actor, async (tx) => {
    const removed = await gateway.models.Identity.deleteOne({ _id, user: viewer._id }, { session: tx.session });
    if (removed.deletedCount !== 1) throw new AppError('NOT_FOUND');
    ended = await endAccess(gateway, viewer._id, 'signInChanged', tx.session, { except: viewer.sessionId });
    const notMe = await issueNotMe(gateway, viewer._id, tx.session);
    tx.record({ type: 'signOn.unlinked', record: _id, refs: { notMe } });
    return _id;
  });
  cutSockets(gateway, ended, 'signInChanged');
  return { data: null };
}
