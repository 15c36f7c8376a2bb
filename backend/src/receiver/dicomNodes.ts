import type { BodyOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import type { DicomNode, receiverCalls } from '@lightbox/contract/receiver/calls.js';
import { texts } from '@lightbox/contract/texts.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { holdUser, touch } from '@lightbox/core/access/hold.js';
import { isDuplicate, newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Transaction } from '@lightbox/core/events/events.js';
import type { DicomNodeDoc } from '@lightbox/core/models/dicomNode.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context, Gateway } from '../context.js';

type Calls = typeof receiverCalls;
type Fields = BodyOf<Calls['createDicomNode']>;

const mayUpload = (user: UserDoc): boolean => isUsable(user) && roleMay(user.role, 'image.upload');

async function present({ models }: Gateway, nodes: DicomNodeDoc[]): Promise<DicomNode[]> {
  const users = await models.User.find(
    { _id: { $in: nodes.map(({ user }) => user) } },
    { firstname: 1, lastname: 1, role: 1, status: 1, active: 1, deletedAt: 1 },
  ).lean<UserDoc[]>();
  const byId = new Map(users.map((user) => [String(user._id), user]));
  return nodes.map(({ _id, title, addresses, user, createAt, lastSeenAt }) => {
    const owner = byId.get(String(user));
    return {
      id: String(_id),
      title,
      addresses,
      user: { id: String(user), firstname: owner?.firstname ?? '', lastname: owner?.lastname ?? '' },
      accepted: owner !== undefined && mayUpload(owner),
      createAt: createAt.toISOString(),
      ...(lastSeenAt ? { lastSeenAt: lastSeenAt.toISOString() } : {}),
    };
  });
}

export async function listDicomNodes({ gateway }: Context<Calls['listDicomNodes']>): Promise<Answer<DicomNode[]>> {
  const nodes = await gateway.models.DicomNode.find()
    .sort({ title: 1 })
    .limit(limits.dicomNodes)
    .lean<DicomNodeDoc[]>();
  return { data: await present(gateway, nodes) };
}

/** Throws unless the account may own what a device sends. Its closing conflicts with the transaction. */
async function requireOwner(gateway: Gateway, tx: Transaction, user: ObjectId): Promise<void> {
  const owner = await holdUser(gateway.models, { _id: user }, tx.session);
  if (!owner || !mayUpload(owner)) throw fieldError('userId', texts.notAnUploader);
}

/** One AE title belongs to one device. */
const onlyOne = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw isDuplicate(error) ? new AppError('CONFLICT', { message: texts.aeTitleTaken }) : error;
  });

const fieldsOf = ({ title, addresses, userId }: Fields) => ({ title, addresses, user: oid(userId) });

export async function createDicomNode({
  gateway,
  actor,
  viewer,
  body,
}: Context<Calls['createDicomNode']>): Promise<Answer<DicomNode>> {
  const node: DicomNodeDoc = {
    _id: newId(gateway.clock.now()),
    ...fieldsOf(body),
    by: viewer._id,
    createAt: gateway.clock.now(),
  };
  const write = gateway.events.change(actor, async (tx) => {
    const { DicomNode } = gateway.models;
    await requireOwner(gateway, tx, node.user);
    // Two administrators who take the last place at once conflict here.
    await DicomNode.updateMany({}, touch, { session: tx.session });
    const count = await DicomNode.countDocuments().session(tx.session);
    if (count >= limits.dicomNodes) {
      throw new AppError('CONFLICT', { message: `There are at most ${limits.dicomNodes} devices.` });
    }
    await DicomNode.create([node], { session: tx.session });
    tx.record({ type: 'dicomNode.created', record: node._id, records: [node.user], reason: node.title });
    return node._id;
  });
  await onlyOne(write);
  const [shown] = await present(gateway, [node]);
  return { data: shown as DicomNode };
}

export async function changeDicomNode({
  gateway,
  actor,
  viewer,
  params,
  body,
}: Context<Calls['changeDicomNode']>): Promise<Answer<DicomNode>> {
  const _id = oid(params.id);
  const fields = fieldsOf(body);
  let changed = null as DicomNodeDoc | null;
  const write = gateway.events.change(actor, async (tx) => {
    // First what is not there, then what is wrong with it.
    const found = await gateway.models.DicomNode.exists({ _id }).session(tx.session);
    if (!found) throw new AppError('NOT_FOUND');
    await requireOwner(gateway, tx, fields.user);
    changed = await gateway.models.DicomNode.findOneAndUpdate(
      { _id },
      { $set: { ...fields, changedBy: viewer._id, changedAt: gateway.clock.now() }, ...touch },
      { session: tx.session, returnDocument: 'after' },
    ).lean<DicomNodeDoc>();
    if (!changed) throw new AppError('NOT_FOUND');
    tx.record({ type: 'dicomNode.changed', record: _id, records: [fields.user], reason: fields.title });
    return _id;
  });
  await onlyOne(write);
  const [shown] = await present(gateway, [changed as DicomNodeDoc]);
  return { data: shown as DicomNode };
}

export async function deleteDicomNode({
  gateway,
  actor,
  params,
}: Context<Calls['deleteDicomNode']>): Promise<Answer<unknown>> {
  const _id = oid(params.id);
  await gateway.events.change(actor, async (tx) => {
    const gone = await gateway.models.DicomNode.findOneAndDelete({ _id }, { session: tx.session }).lean<DicomNodeDoc>();
    if (!gone) throw new AppError('NOT_FOUND');
    tx.record({ type: 'dicomNode.removed', record: _id, records: [gone.user], reason: gone.title });
    return _id;
  });
  return { data: null };
}
