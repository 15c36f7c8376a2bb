import type { DataOf } from '@lightbox/contract/call.js';
import { type ScimToken, type scimCalls, scimPrefix } from '@lightbox/contract/scim/calls.js';
import type { Core } from '@lightbox/core/core.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ScimTokenDoc } from '@lightbox/core/models/scimToken.js';
import type { Request } from 'express';
import { hashToken, makeToken } from '../auth/tokenSecrets.js';
import type { Answer, Context } from '../context.js';

const TOUCH_MS = 60_000;

/** Returns the token of a SCIM call. It is read at each call, so a revoked one ends at once. */
export async function requireScimToken({ models, clock, warn }: Core, req: Request): Promise<ScimTokenDoc> {
  const { authorization = '' } = req.headers;
  if (!authorization) throw new AppError('UNAUTHENTICATED');
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
  const found = token.startsWith(scimPrefix)
    ? await models.ScimToken.findOne({ hash: hashToken(token) }).lean<ScimTokenDoc>()
    : null;
  if (!found || (req.headersDistinct.authorization?.length ?? 0) > 1) throw new AppError('AUTHENTICATION_FAILED');
  const now = clock.now();
  if (now.getTime() - (found.usedAt?.getTime() ?? 0) > TOUCH_MS) {
    await models.ScimToken.updateOne({ _id: found._id }, { $set: { usedAt: now } }).catch((error) =>
      warn(error, 'the use of a token was not written'),
    );
  }
  return found;
}

const present = ({ _id, name, provider, createAt, usedAt }: ScimTokenDoc): ScimToken => ({
  id: String(_id),
  name,
  provider,
  createAt: createAt.toISOString(),
  ...(usedAt ? { usedAt: usedAt.toISOString() } : {}),
});

export async function listScimTokens({
  gateway,
}: Context<typeof scimCalls.listScimTokens>): Promise<Answer<ScimToken[]>> {
  const tokens = await gateway.models.ScimToken.find().sort({ _id: -1 }).limit(100).lean<ScimTokenDoc[]>();
  return { data: tokens.map(present) };
}

type Create = typeof scimCalls.createScimToken;

export async function createScimToken({
  gateway,
  actor,
  viewer,
  body: { name, provider },
}: Context<Create>): Promise<Answer<DataOf<Create>>> {
  gateway.signOn.require(provider);
  const token = makeToken(scimPrefix);
  const createAt = gateway.clock.now();
  const doc = { _id: newId(createAt), name, provider, hash: hashToken(token), madeBy: viewer._id, createAt };
  await gateway.events.change(actor, async (tx) => {
    await gateway.models.ScimToken.create([doc], { session: tx.session });
    tx.record({ type: 'scim.tokenCreated', record: doc._id, reason: provider });
    return doc._id;
  });
  return { data: { ...present(doc), token } };
}

export async function revokeScimToken({
  gateway,
  actor,
  params,
}: Context<typeof scimCalls.revokeScimToken>): Promise<Answer<unknown>> {
  const _id = oid(params.id);
  await gateway.events.change(actor, async (tx) => {
    const { deletedCount } = await gateway.models.ScimToken.deleteOne({ _id }, { session: tx.session });
    if (deletedCount !== 1) throw new AppError('NOT_FOUND');
    tx.record({ type: 'scim.tokenRevoked', record: _id });
    return _id;
  });
  return { data: null };
}
