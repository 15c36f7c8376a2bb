import { createECDH } from 'node:crypto';
import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { pushCalls } from '@lightbox/contract/push/calls.js';
import { vapidPublicKey } from '@lightbox/core/config/keys.js';
import { isDuplicate, newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { PushSubscriptionDoc } from '@lightbox/core/models/pushSubscription.js';
import { isEndpoint } from '@lightbox/core/net/endpoints.js';
import { DAY_MS } from '@lightbox/core/times.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';

type Subscribe = typeof pushCalls.subscribePush;

export async function getPushKey({
  gateway: { config },
}: Context<typeof pushCalls.getPushKey>): Promise<Answer<DataOf<typeof pushCalls.getPushKey>>> {
  return { data: { key: config.vapidKey && vapidPublicKey(config.vapidKey) } };
}

export async function subscribePush({
  gateway,
  actor,
  viewer,
  body,
}: Context<Subscribe>): Promise<Answer<DataOf<Subscribe>>> {
  if (!gateway.config.vapidKey) throw new AppError('PUSH_OFF');
  const existing = await gateway.models.PushSubscription.findOne({
    endpoint: body.endpoint,
  }).lean<PushSubscriptionDoc>();
  if (existing && isSame(existing, viewer, body)) {
    await gateway.models.PushSubscription.updateOne({ _id: existing._id }, { $set: seenNow(gateway, body) });
    return { data: { id: String(existing._id) }, status: 200 };
  }
  await gateway.throttle.take('pushSubscription', { caller: viewer.id });
  if (!isPoint(body.keys.p256dh)) throw fieldError('keys.p256dh', 'Must be a key as browsers write it.');
  if (!(await isEndpoint(body.endpoint, gateway.config.pushOrigins))) {
    throw fieldError('endpoint', 'Must be the address of a push service.');
  }
  // Of two concurrent first calls one fails at the unique index; its second try finds the record of the other.
  const id = await saveSubscription(gateway, actor, viewer, body).catch((error) => {
    if (!isDuplicate(error)) throw error;
    return saveSubscription(gateway, actor, viewer, body);
  });
  return { data: { id: String(id) }, status: existing?._id.equals(id) ? 200 : 201 };
}

const isSame = (existing: PushSubscriptionDoc, viewer: Viewer, { keys }: BodyOf<Subscribe>): boolean =>
  existing.user.equals(viewer._id) &&
  existing.session.equals(viewer.sessionId) &&
  existing.p256dh === keys.p256dh &&
  existing.auth === keys.auth;

function seenNow({ clock }: Gateway, { expirationTime }: BodyOf<Subscribe>) {
  const seenAt = clock.now();
  const latest = seenAt.getTime() + limits.pushDays * DAY_MS;
  return { seenAt, expiresAt: new Date(Math.min(latest, expirationTime ?? latest)) };
}

/** True for a point on P-256. web-push could not encrypt for any other key. */
function isPoint(p256dh: string): boolean {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  try {
    pair.computeSecret(Buffer.from(p256dh, 'base64url'));
    return true;
  } catch {
    return false;
  }
}

/** Stores the subscription. An endpoint belongs to one browser, and so to the account that signed in there last. */
const saveSubscription = (gateway: Gateway, actor: Actor, viewer: Viewer, body: BodyOf<Subscribe>): Promise<ObjectId> =>
  gateway.events.change(actor, async (tx) => {
    const { PushSubscription } = gateway.models;
    const { endpoint, keys } = body;
    const saved = await PushSubscription.findOneAndUpdate(
      { endpoint },
      {
        $set: { user: viewer._id, session: viewer.sessionId, ...keys, ...seenNow(gateway, body) },
        $setOnInsert: { _id: newId(gateway.clock.now()) },
      },
      { upsert: true, returnDocument: 'after', session: tx.session },
    ).lean<PushSubscriptionDoc>();
    const others = await PushSubscription.find({ user: viewer._id, _id: { $ne: saved._id } }, { _id: 1 })
      .session(tx.session)
      .sort({ seenAt: -1 })
      .skip(limits.pushSubscriptions - 1)
      .lean();
    await PushSubscription.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } }, { session: tx.session });
    tx.record({ type: 'push.subscribe', record: saved._id });
    return saved._id;
  });

export async function unsubscribePush({
  gateway,
  actor,
  viewer,
  body,
}: Context<typeof pushCalls.unsubscribePush>): Promise<Answer<unknown>> {
  const mine = { endpoint: body.endpoint, user: viewer._id };
  if (!(await gateway.models.PushSubscription.exists(mine))) return { data: null };
  await gateway.events.change(actor, async (tx) => {
    const gone = await gateway.models.PushSubscription.findOneAndDelete(mine, {
      session: tx.session,
    }).lean<PushSubscriptionDoc>();
    if (gone) tx.record({ type: 'push.unsubscribe', record: gone._id });
    return viewer._id;
  });
  return { data: null };
}
