import { z } from 'zod';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Params, Time } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';
import { tooLong } from '../written.js';
import { TEST_EVENT, WebhookEvent, webhookEvents } from './events.js';

/** The first characters of each secret (Standard Webhooks). */
export const secretPrefix = 'whsec_';

/** The address that gets events, and the events. */
export const WebhookFields = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: texts.webhookAddress })
    .max(limits.webhookUrlLength, tooLong(limits.webhookUrlLength)),
  events: z
    .array(WebhookEvent)
    .min(1, texts.required)
    .max(webhookEvents.length)
    .transform((events) => webhookEvents.filter((event) => events.includes(event))),
});

export const Webhook = z.object({
  id: Id,
  url: z.string(),
  events: z.array(WebhookEvent),
  /** False: a person turned it off, or the product did (`stoppedAt`). */
  on: z.boolean(),
  createAt: Time,
  /** Time of the first failure since the last success. */
  failingSince: Time.optional(),
  /** Time at which the product turned it off. */
  stoppedAt: Time.optional(),
});
export type Webhook = z.infer<typeof Webhook>;

const secret = z.string().startsWith(secretPrefix);
/** The secret is in the answer that makes it, and nowhere else. */
export const CreatedWebhook = Webhook.extend({ secret });

/** The states of a delivery. */
export const deliveryStates = [
  'waiting',
  'delivered',
  /** No try is left, or the webhook was turned off. */
  'failed',
  /** The owner may not learn of the record, or not any more. */
  'withheld',
] as const;

/** The reasons for which a try failed. */
export const deliveryFaults = [
  /** The answer was no success (`status`). */
  'answer',
  'timeout',
  /** No connection. */
  'unreachable',
  /** The name leads to an address that is not public. */
  'address',
  /** The webhook was off. */
  'off',
] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

/** One event for one webhook. */
export const WebhookDelivery = z.object({
  id: Id,
  /** The id that the receiver gets, in `webhook-id`. */
  eventId: Id,
  event: z.enum([...webhookEvents, TEST_EVENT]),
  at: Time,
  state: z.enum(deliveryStates),
  tries: z.int(),
  lastTryAt: Time.optional(),
  /** The next try of a delivery that waits. */
  nextTryAt: Time.optional(),
  /** HTTP status of the last answer. */
  status: z.int().optional(),
  fault: z.enum(deliveryFaults).optional(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const webhookCalls = {
  listWebhooks: call({
    method: 'get',
    path: '/webhooks',
    who: 'webhook.manage',
    action: 'webhook.listed',
    summary: 'The caller’s webhooks, the newest first',
    data: z.array(Webhook),
  }),
  createWebhook: call({
    method: 'post',
    path: '/webhooks',
    who: 'webhook.manage',
    action: 'webhook.created',
    stepUp: 'recent',
    summary: 'Send events of records that the caller may see to an address; the secret is in this answer only',
    body: WebhookFields,
    data: CreatedWebhook,
    status: 201,
    fails: ['CONFLICT'],
    throttles: ['webhook'],
  }),
  listInstallationWebhooks: call({
    method: 'get',
    path: '/webhooks/installation',
    who: 'webhook.manageAll',
    action: 'webhook.listed',
    summary: 'The webhooks of the installation, the newest first',
    data: z.array(Webhook),
  }),
  createInstallationWebhook: call({
    method: 'post',
    path: '/webhooks/installation',
    who: 'webhook.manageAll',
    action: 'webhook.created',
    stepUp: 'recent',
    summary: 'Send the events of the whole installation to an address; the secret is in this answer only',
    body: WebhookFields,
    data: CreatedWebhook,
    status: 201,
    fails: ['CONFLICT'],
    throttles: ['webhook'],
  }),
  changeWebhook: call({
    method: 'put',
    path: '/webhooks/:id',
    who: 'webhook.manage',
    action: 'webhook.changed',
    stepUp: 'recent',
    summary: 'Change the address and the events of a webhook; its secret stays',
    params: Params,
    body: WebhookFields,
    data: Webhook,
    throttles: ['webhook'],
  }),
  switchWebhook: call({
    method: 'put',
    path: '/webhooks/:id/state',
    who: 'webhook.manage',
    action: 'webhook.changed',
    summary: 'Turn a webhook on or off; events while it is off are not sent later',
    params: Params,
    body: z.strictObject({ on: z.boolean() }),
    data: Webhook,
  }),
  rotateWebhookSecret: call({
    method: 'post',
    path: '/webhooks/:id/secret',
    who: 'webhook.manage',
    action: 'webhook.rotated',
    stepUp: 'recent',
    summary: `A new secret; for ${limits.webhookOldSecretHours} hours deliveries are signed with both`,
    params: Params,
    body: z.strictObject({}),
    data: CreatedWebhook,
    throttles: ['webhook'],
  }),
  deleteWebhook: call({
    method: 'delete',
    path: '/webhooks/:id',
    who: 'webhook.manage',
    action: 'webhook.removed',
    summary: 'Delete a webhook with its log of deliveries',
    params: Params,
  }),
  testWebhook: call({
    method: 'post',
    path: '/webhooks/:id/test',
    who: 'webhook.manage',
    action: 'webhook.tested',
    summary: 'Send a test event',
    params: Params,
    body: z.strictObject({}),
    data: WebhookDelivery,
    status: 201,
    fails: ['CONFLICT'],
    throttles: ['webhookSend'],
  }),
  listWebhookDeliveries: call({
    method: 'get',
    path: '/webhooks/:id/deliveries',
    who: 'webhook.manage',
    action: 'webhook.listed',
    summary: `The deliveries of a webhook of the last ${limits.webhookLogDays} days, the newest first`,
    params: Params,
    query: PageQuery,
    data: z.array(WebhookDelivery),
    paged: true,
  }),
  replayWebhookDelivery: call({
    method: 'post',
    path: '/webhooks/deliveries/:id/replay',
    who: 'webhook.manage',
    action: 'webhook.replayed',
    summary: 'Send a delivery again, with the same webhook-id',
    params: Params,
    body: z.strictObject({}),
    data: WebhookDelivery,
    fails: ['CONFLICT'],
    throttles: ['webhookSend'],
  }),
};
