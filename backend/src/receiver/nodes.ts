import { roleMay } from '@lightbox/contract/permissions.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { holdUser, touch } from '@lightbox/core/access/hold.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { DicomNodeDoc } from '@lightbox/core/models/dicomNode.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { isWithin } from '@lightbox/core/net/network.js';
import type { Gateway, Viewer } from '../context.js';

/** The reasons for the refusal of a device. */
export type NodeRefusal = 'UNKNOWN_NODE' | 'ADDRESS' | 'ACCOUNT';

/** A device with the account that owns what it sends. */
export interface AdmittedNode {
  node: DicomNodeDoc;
  viewer: Viewer;
}

/** Returns the device of an AE title that calls from an address; its refusal when it may not store. */
export async function admitNode(
  gateway: Gateway,
  title: string,
  address: string,
): Promise<AdmittedNode | { refusal: NodeRefusal; node?: DicomNodeDoc }> {
  const node = await gateway.models.DicomNode.findOne({ title }).readConcern(NEWEST).lean<DicomNodeDoc>();
  if (!node) return { refusal: 'UNKNOWN_NODE' };
  if (node.addresses.length > 0 && !isWithin(address, node.addresses)) return { refusal: 'ADDRESS', node };
  const user = await gateway.models.User.findById(node.user).readConcern(NEWEST).lean<UserDoc>();
  if (!isUsable(user) || !roleMay(user.role, 'image.upload')) return { refusal: 'ACCOUNT', node };
  return { node, viewer: viewerOf(node, user) };
}

/** The account, as the caller of an upload. */
const viewerOf = (node: DicomNodeDoc, { _id, role }: UserDoc): Viewer => ({
  id: String(_id),
  _id,
  role,
  secondFactor: false,
  sessionId: node._id,
});

/** The device acts for the account of its binding, as long as both are there at the commit. */
export const actorOf = (gateway: Gateway, { node, viewer }: AdmittedNode, ip: string): Actor => ({
  id: viewer._id,
  node: node._id,
  ip,
  hold: {
    of: `${node._id} ${viewer.id}`,
    check: async (session) => {
      const { DicomNode } = gateway.models;
      const bound = { _id: node._id, user: viewer._id, title: node.title };
      const still = await DicomNode.findOneAndUpdate(bound, touch, { session }).lean();
      const user = still && (await holdUser(gateway.models, { _id: viewer._id }, session));
      if (!user || !roleMay(user.role, 'image.upload')) throw new AppError('AUTHENTICATION_FAILED');
    },
  },
});

const SEEN_MS = 60_000;

/** Notes that a device has called. */
export async function noteCall({ models, clock }: Gateway, _id: ObjectId): Promise<void> {
  const now = clock.now();
  const before = new Date(now.getTime() - SEEN_MS);
  await models.DicomNode.updateOne(
    { _id, $or: [{ lastSeenAt: { $lt: before } }, { lastSeenAt: { $exists: false } }] },
    { $set: { lastSeenAt: now } },
  );
}
