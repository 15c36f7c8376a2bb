import type { Core } from '@lightbox/core/core.js';
import type { WebhookDeliveryDoc } from '@lightbox/core/models/webhookDelivery.js';
import { tryOf } from '@lightbox/core/webhooks/deliveries.js';
import { inBatches } from '../maintenance/inBatches.js';

/** Longer than a try waits for its place and takes. */
const GRACE_MS = 60_000;
const BATCH = 500;

/**
 * Enters the tries again whose time is over and that have not been made: Redis lost them. Those that it still has are not
 * entered twice.
 */
export async function enterDeliveries({ models, queues, clock }: Core): Promise<void> {
  const now = clock.now();
  const overdue = models.WebhookDelivery.find(
    { nextTryAt: { $lt: new Date(now.getTime() - GRACE_MS) } },
    { turn: 1, nextTryAt: 1 },
  )
    .sort({ nextTryAt: 1 })
    .lean<WebhookDeliveryDoc[]>()
    .cursor({ batchSize: BATCH });
  for await (const batch of inBatches(overdue, BATCH)) {
    await queues.add(batch.map((delivery) => tryOf(delivery, now)));
  }
}
