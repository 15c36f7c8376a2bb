import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { PushSubscriptionDoc } from '../models/pushSubscription.js';
import type { JobData } from '../queues/jobs.js';

export type PushSubject = Pick<JobData<'deliverPush'>, 'about' | 'recordId' | 'count'>;

/**
 * Queues one job for each browser of a person: a retry after one failing push service does not notify the other
 * browsers twice. `cause` is the event, or the message, from which the jobs follow.
 */
export async function queueDeliveries(core: Core, user: ObjectId, cause: string, subject: PushSubject): Promise<void> {
  if (!core.config.vapidKey) return;
  const subscriptions = await core.models.PushSubscription.find({ user }, { _id: 1 }).lean<PushSubscriptionDoc[]>();
  await core.queues.add(
    subscriptions.map(({ _id }) => ({
      name: 'deliverPush',
      data: { ...subject, subscriptionId: String(_id) },
      id: `${cause}-${_id}-push`,
    })),
  );
}

/** Returns those of the users who get push notifications in some browser. */
export async function pushedAmong(core: Core, users: ObjectId[]): Promise<Set<string>> {
  if (!core.config.vapidKey || users.length === 0) return new Set();
  return new Set((await core.models.PushSubscription.distinct('user', { user: { $in: users } })).map(String));
}
