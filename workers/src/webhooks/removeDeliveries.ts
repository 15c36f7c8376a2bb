import type { Core } from '@lightbox/core/core.js';

const BATCH = 500;

/**
 * Removes the deliveries of webhooks that are gone, deleted alone or with their account. There may be any number of them, so
 * they go in batches. Returns true when there may be more.
 */
export async function removeDeliveries({ models: { Webhook, WebhookDelivery } }: Core): Promise<boolean> {
  // The index names each webhook once, however many deliveries it has.
  const named = await WebhookDelivery.distinct('webhook');
  const kept = await Webhook.distinct('_id', { _id: { $in: named } });
  const gone = named.filter((id) => !kept.some((one) => one.equals(id)));
  if (gone.length === 0) return false;
  const left = await WebhookDelivery.find({ webhook: { $in: gone } }, { _id: 1 })
    .limit(BATCH)
    .lean();
  await WebhookDelivery.deleteMany({ _id: { $in: left.map(({ _id }) => _id) } });
  return left.length === BATCH;
}
