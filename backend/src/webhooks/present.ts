import type { Webhook, WebhookDelivery } from '@lightbox/contract/webhooks/calls.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import type { WebhookDeliveryDoc } from '@lightbox/core/models/webhookDelivery.js';

export const presentWebhook = ({ _id, url, events, on, createAt, failingSince, stoppedAt }: WebhookDoc): Webhook => ({
  id: String(_id),
  url,
  events,
  on,
  createAt: createAt.toISOString(),
  ...(failingSince ? { failingSince: failingSince.toISOString() } : {}),
  ...(stoppedAt ? { stoppedAt: stoppedAt.toISOString() } : {}),
});

export function presentDelivery(delivery: WebhookDeliveryDoc): WebhookDelivery {
  const { _id, event, type, at, state, tries, lastTryAt, nextTryAt, status, fault } = delivery;
  return {
    id: String(_id),
    eventId: String(event),
    event: type,
    at: at.toISOString(),
    state,
    tries,
    ...(lastTryAt ? { lastTryAt: lastTryAt.toISOString() } : {}),
    ...(nextTryAt ? { nextTryAt: nextTryAt.toISOString() } : {}),
    ...(status === undefined ? {} : { status }),
    ...(fault ? { fault } : {}),
  };
}
