import { z } from 'zod';
import { type ActionWebhook, actionWebhooks } from '../audit/actions.js';
import { Id, Time } from '../ids.js';

/** The events that a webhook may ask for: those that an action names (`audit/actions.ts`), and a new message. */
export const webhookEvents = [...actionWebhooks, 'message.new'] as const;
export const WebhookEvent = z.enum(webhookEvents);
export type WebhookEvent = ActionWebhook | 'message.new';

/** The kinds of records that events are about, in the order of the screen. */
export const webhookGroups = [
  'image',
  'study',
  'share',
  'guest',
  'request',
  'emergency',
  'analysis',
  'message',
] as const;
export type WebhookGroup = (typeof webhookGroups)[number];
export const eventsOf = (group: WebhookGroup): WebhookEvent[] =>
  webhookEvents.filter((event) => event.startsWith(`${group}.`));

/** An event that the owner of a webhook sends to try it. */
export const TEST_EVENT = 'webhook.test';

/** The records of an event, by their ids. It says nothing else about them. */
export const WebhookData = z.object({
  imageId: Id.optional(),
  studyId: Id.optional(),
  shareId: Id.optional(),
  guestLinkId: Id.optional(),
  requestId: Id.optional(),
  emergencyId: Id.optional(),
  messageId: Id.optional(),
  /** The sender of a message. */
  userId: Id.optional(),
});
export type WebhookData = z.infer<typeof WebhookData>;

/** The body of a delivery (Standard Webhooks). `id` is also in the header `webhook-id`, and the same in each repetition. */
export const WebhookBody = z.object({
  id: Id,
  type: z.enum([...webhookEvents, TEST_EVENT]),
  timestamp: Time,
  data: WebhookData,
});
export type WebhookBody = z.infer<typeof WebhookBody>;
