import { limits } from '@lightbox/contract/limits.js';
import type { DeliveryFault } from '@lightbox/contract/webhooks/calls.js';
import type { WebhookBody } from '@lightbox/contract/webhooks/events.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import type { WebhookDeliveryDoc } from '@lightbox/core/models/webhookDelivery.js';
import { ForbiddenEndpoint } from '@lightbox/core/net/endpoints.js';
import type { JobData } from '@lightbox/core/queues/jobs.js';
import { DAY_MS } from '@lightbox/core/times.js';
import { tryOf } from '@lightbox/core/webhooks/deliveries.js';
import { isKnownNews, mayLearn } from '@lightbox/core/webhooks/judge.js';
import { openSecret, signatures } from '@lightbox/core/webhooks/secrets.js';
import { NewerVersion } from '../failures.js';
import type { JobContext } from '../jobContext.js';
import type { Poster } from '../net/poster.js';
import { stopWebhook } from './stopWebhook.js';
import { leaveTurn, takeTurn } from './turns.js';

const minute = 60;
const hour = 60 * minute;
/** Seconds before each further try, as Standard Webhooks recommends: about three days in all. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** Each pause is up to a fifth longer, so that the deliveries of an address that was away do not come back together. */
const JITTER = 0.2;
const GONE = 410;

type Outcome = { status: number; fault?: 'answer' } | { status?: never; fault: DeliveryFault };

/**
 * Makes one try of a delivery: judges it again, signs it, sends it and writes the outcome. A job of an earlier turn does
 * nothing. When a worker dies during a try, the same delivery is sent again with the same `webhook-id`.
 */
export async function deliverWebhook(
  core: Core,
  poster: Poster,
  { deliveryId, turn }: JobData<'deliverWebhook'>,
  { later, isLastAttempt }: JobContext,
): Promise<void> {
  const { Webhook, WebhookDelivery } = core.models;
  const delivery = await WebhookDelivery.findById(oid(deliveryId)).lean<WebhookDeliveryDoc>();
  if (delivery?.state !== 'waiting' || delivery.turn !== turn) return;
  if (!isKnownNews(delivery.type))
    throw new NewerVersion('The delivery is of an event that this version does not know.');
  const webhook = await Webhook.findById(delivery.webhook).lean<WebhookDoc>();
  if (!webhook) {
    // It was stored while its webhook was deleted. A waiting delivery would come again every half minute.
    await WebhookDelivery.deleteOne({ _id: delivery._id });
    return;
  }
  if (!webhook.on) return end(core, delivery, { state: 'failed', fault: 'off' });
  if (!(await mayLearn(core, webhook, delivery))) return end(core, delivery, { state: 'withheld' });
  if (!takeTurn(webhook)) return later(waitMs(webhook));
  try {
    const outcome = await send(core, poster, webhook, delivery);
    await (outcome.fault ? failed(core, webhook, delivery, outcome) : delivered(core, webhook, delivery, outcome));
  } catch (error) {
    // Redis keeps the job, so that nothing would try the delivery again.
    if (isLastAttempt && !isAway(error)) await end(core, delivery, { state: 'failed' });
    throw error;
  } finally {
    leaveTurn(webhook);
  }
}

/**
 * A delivery whose webhook has enough under way looks again after this time. While the address fails, many may wait, and
 * their looks must cost little.
 */
const waitMs = ({ failingSince }: WebhookDoc): number => (failingSince ? 60_000 : 500) * (1 + Math.random());

async function send(
  { keys, clock }: Core,
  poster: Poster,
  { _id, url, secret, previous, previousUntil }: WebhookDoc,
  { event, type, at, data }: WebhookDeliveryDoc,
): Promise<Outcome> {
  const id = String(event);
  const now = clock.now();
  const body = JSON.stringify({ id, type, timestamp: at.toISOString(), data } satisfies WebhookBody);
  const sealed = [secret, ...(previous && previousUntil && now < previousUntil ? [previous] : [])];
  const seconds = Math.floor(now.getTime() / 1000);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Lightbox-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures(
      sealed.map((one) => openSecret(keys, _id, one)),
      { id, at: seconds, body },
    ),
  };
  try {
    const status = await poster.post(url, headers, Buffer.from(body), limits.webhookSeconds * 1000);
    return status >= 200 && status < 300 ? { status } : { status, fault: 'answer' };
  } catch (error) {
    if (error instanceof ForbiddenEndpoint) return { fault: 'address' };
    const { name } = error as Error;
    return { fault: name === 'AbortError' || name === 'TimeoutError' ? 'timeout' : 'unreachable' };
  }
}

/** Ends a delivery whose job is given up: maintenance would enter it again. */
export const giveUpDelivery = (core: Core, { deliveryId, turn }: JobData<'deliverWebhook'>): Promise<void> =>
  end(core, { _id: oid(deliveryId), turn }, { state: 'failed' });

/** Writes the end of a delivery, unless another worker or a replay was faster. */
async function end(
  { models }: Core,
  { _id, turn }: Pick<WebhookDeliveryDoc, '_id' | 'turn'>,
  fields: Partial<WebhookDeliveryDoc>,
): Promise<void> {
  await models.WebhookDelivery.updateOne(
    { _id, turn, state: 'waiting' },
    { $set: fields, $unset: { nextTryAt: 1 }, $inc: { turn: 1 } },
  );
}

async function delivered(
  { models, clock }: Core,
  { _id: webhook, failingSince }: WebhookDoc,
  { _id, turn }: WebhookDeliveryDoc,
  { status }: Outcome,
): Promise<void> {
  await models.WebhookDelivery.updateOne(
    { _id, turn },
    {
      $set: { state: 'delivered', status, lastTryAt: clock.now() },
      $unset: { nextTryAt: 1, fault: 1 },
      $inc: { turn: 1, tries: 1, round: 1 },
    },
  );
  if (failingSince) await models.Webhook.updateOne({ _id: webhook }, { $unset: { failingSince: 1 } });
}

/** Writes the failure and plans the next try. Turns the webhook off after days of failures, and when its address is gone. */
async function failed(
  core: Core,
  webhook: WebhookDoc,
  delivery: WebhookDeliveryDoc,
  { status, fault }: Outcome,
): Promise<void> {
  const { models, clock, queues } = core;
  const now = clock.now();
  const pause = pauses[delivery.round];
  const nextTryAt = pause && new Date(now.getTime() + pause * 1000 * (1 + Math.random() * JITTER));
  const written = await models.WebhookDelivery.findOneAndUpdate(
    { _id: delivery._id, turn: delivery.turn },
    {
      $set: {
        lastTryAt: now,
        fault,
        ...(status ? { status } : {}),
        ...(nextTryAt ? { nextTryAt } : { state: 'failed' }),
      },
      $unset: { ...(status ? {} : { status: 1 }), ...(nextTryAt ? {} : { nextTryAt: 1 }) },
      $inc: { turn: 1, tries: 1, round: 1 },
    },
    { returnDocument: 'after' },
  ).lean<WebhookDeliveryDoc>();
  if (!written) return;
  const { _id, failingSince } = webhook;
  await models.Webhook.updateOne({ _id, failingSince: { $exists: false } }, { $set: { failingSince: now } });
  const tooLong = failingSince && now.getTime() - failingSince.getTime() >= limits.webhookFailingDays * DAY_MS;
  if (status === GONE || tooLong) await stopWebhook(core, webhook);
  if (nextTryAt) await queues.add([tryOf(written, now)]);
}
