import { date, type Id, id, schemaOf, string } from './fields.js';

/** A browser that wants to be notified (W3C Push API). */
export interface PushSubscriptionDoc {
  _id: Id;
  user: Id;
  /**
   * The session that subscribed, or was last seen with it. Signing out of that session ends the subscription; its
   * timeout does not.
   */
  session: Id;
  endpoint: string;
  p256dh: string;
  auth: string;
  seenAt: Date;
  expiresAt: Date;
}

export const pushSubscription = schemaOf<PushSubscriptionDoc>({
  user: id,
  session: id,
  endpoint: string,
  p256dh: string,
  auth: string,
  seenAt: date,
  expiresAt: date,
})
  .index({ endpoint: 1 }, { unique: true })
  .index({ user: 1, seenAt: 1 })
  .index({ session: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
