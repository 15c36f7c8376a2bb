import type { webhookCalls } from '@lightbox/contract/webhooks/calls.js';
import { TEST_EVENT } from '@lightbox/contract/webhooks/events.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import type { WebhookDeliveryDoc } from '@lightbox/core/models/webhookDelivery.js';
import { newDelivery, tryOf } from '@lightbox/core/webhooks/deliveries.js';
import type { Answer, Context, Gateway } from '../context.js';
import { presentDelivery } from './present.js';
import { requireWebhook } from './webhooks.js';

type Calls = typeof webhookCalls;
type Shown = Answer<ReturnType<typeof presentDelivery>>;

export async function listWebhookDeliveries({
  gateway,
  viewer,
  params,
  query,
}: Context<Calls['listWebhookDeliveries']>): Promise<Answer<ReturnType<typeof presentDelivery>[]>> {
  const { _id } = await requireWebhook(gateway, viewer, params.id);
  const { rows, pagination } = await gateway.pages.list<WebhookDeliveryDoc>(
    {
      model: gateway.models.WebhookDelivery,
      filter: { webhook: _id },
      sort: ['createAt', '_id'],
      direction: -1,
    },
    query,
  );
  return { data: rows.map(presentDelivery), pagination };
}

function requireOn({ on }: WebhookDoc): void {
  if (!on) throw new AppError('CONFLICT', { message: 'The webhook is off.' });
}

/** Enters the try that the delivery waits for. Without Redis, maintenance enters it later. */
async function enter(gateway: Gateway, delivery: WebhookDeliveryDoc): Promise<void> {
  await gateway.queues
    .add([tryOf(delivery, gateway.clock.now())])
    .catch((error) => gateway.warn(error, 'a delivery was put off to maintenance'));
}

export async function testWebhook({ gateway, actor, viewer, params }: Context<Calls['testWebhook']>): Promise<Shown> {
  const webhook = await requireWebhook(gateway, viewer, params.id);
  requireOn(webhook);
  const now = gateway.clock.now();
  const delivery = newDelivery(webhook._id, { event: newId(now), type: TEST_EVENT, data: {}, at: now }, now);
  await gateway.events.change(actor, async (tx) => {
    await gateway.models.WebhookDelivery.create([delivery], { session: tx.session });
    tx.record({ type: 'webhook.tested', record: webhook._id });
    return delivery._id;
  });
  await enter(gateway, delivery);
  return { data: presentDelivery(delivery), status: 201 };
}

export async function replayWebhookDelivery({
  gateway,
  actor,
  viewer,
  params,
}: Context<Calls['replayWebhookDelivery']>): Promise<Shown> {
  const { WebhookDelivery } = gateway.models;
  const found = await WebhookDelivery.findById(oid(params.id)).readConcern(NEWEST).lean<WebhookDeliveryDoc>();
  if (!found) throw new AppError('NOT_FOUND');
  const webhook = await requireWebhook(gateway, viewer, String(found.webhook));
  requireOn(webhook);
  // One that waits for its next try is sent at once: the job of that try finds another turn.
  const now = gateway.clock.now();
  let again = null as WebhookDeliveryDoc | null;
  await gateway.events.change(actor, async (tx) => {
    again = await WebhookDelivery.findOneAndUpdate(
      { _id: found._id },
      { $set: { state: 'waiting', round: 0, nextTryAt: now }, $inc: { turn: 1 } },
      { session: tx.session, returnDocument: 'after' },
    ).lean<WebhookDeliveryDoc>();
    if (!again) throw new AppError('NOT_FOUND');
    tx.record({ type: 'webhook.replayed', record: webhook._id, records: [found._id] });
    return found._id;
  });
  const delivery = again as WebhookDeliveryDoc;
  await enter(gateway, delivery);
  return { data: presentDelivery(delivery) };
}
