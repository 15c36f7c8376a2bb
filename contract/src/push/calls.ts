import { z } from 'zod';
import { notificationKinds } from '../audit/actions.js';
import { call } from '../call.js';
import { Id } from '../ids.js';
import { limits } from '../limits.js';

/** The kinds of push notifications: those of the notification centre, and a new message. */
export const pushKinds = [...notificationKinds, 'message.new'] as const;
export const PushKind = z.enum(pushKinds);
export type PushKind = z.infer<typeof PushKind>;

/**
 * Everything that goes through a push service, encrypted for the browser: the kind, and the opaque id of the image, the
 * account or the chat partner. After quiet hours several notices are one push: a summary with their number. The service
 * worker words it.
 */
export const PushPayload = z.strictObject({
  kind: z.enum([...pushKinds, 'summary']),
  recordId: Id.optional(),
  count: z.int().min(2).optional(),
});
export type PushPayload = z.infer<typeof PushPayload>;

const base64url = (pattern: RegExp) => z.string().regex(pattern, 'Must be a key as browsers write it.');

const Endpoint = z
  .url({
    protocol: /^https?$/,
    error: 'Must be the address of a push service.',
  })
  .max(limits.pushEndpointLength, `Must be at most ${limits.pushEndpointLength} characters.`);

/** `PushSubscription.toJSON()` (W3C Push API). */
export const PushSubscriptionJson = z.strictObject({
  endpoint: Endpoint,
  expirationTime: z.number().int().positive().max(8.64e15).nullish(),
  keys: z.strictObject({
    /** An uncompressed point on P-256. */
    p256dh: base64url(/^B[\w-]{86}=?$/),
    /** Sixteen bytes. */
    auth: base64url(/^[\w-]{22}(==)?$/),
  }),
});

export const pushCalls = {
  getPushKey: call({
    method: 'get',
    path: '/push/key',
    who: 'push.use',
    action: 'push.use',
    summary: 'The public key that browsers subscribe with; null while the server sends nothing to devices',
    data: z.object({ key: z.string().nullable() }),
  }),
  subscribePush: call({
    method: 'post',
    path: '/push/subscriptions',
    who: 'push.use',
    action: 'push.use',
    summary: 'Notify this browser; the same endpoint again is the same record, moved to this session',
    body: PushSubscriptionJson,
    data: z.object({ id: Id }),
    status: 201,
    throttles: ['pushSubscription'],
  }),
  unsubscribePush: call({
    method: 'delete',
    path: '/push/subscriptions',
    who: 'push.use',
    action: 'push.use',
    summary: 'Notify this browser no more; what is not there is already gone',
    body: z.strictObject({ endpoint: Endpoint }),
  }),
};
