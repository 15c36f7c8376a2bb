import { usableAdmin } from '@lightbox/core/access/accounts.js';
import type { Core } from '@lightbox/core/core.js';
import { system } from '@lightbox/core/events/events.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';

/** Turns a webhook off and notifies its owner; of the installation, all administrators. Its deliveries can be replayed. */
export async function stopWebhook(core: Core, { _id, user }: Pick<WebhookDoc, '_id' | 'user'>): Promise<void> {
  const { models, clock, events } = core;
  const recipients = user ? [user] : await models.User.distinct('_id', usableAdmin);
  await events.change(system, async (tx) => {
    const stopped = await models.Webhook.updateOne(
      { _id, on: true },
      { $set: { on: false, stoppedAt: clock.now() } },
      { session: tx.session },
    );
    if (stopped.modifiedCount === 1) tx.record({ type: 'webhook.stopped', record: _id, recipients });
    return _id;
  });
}
