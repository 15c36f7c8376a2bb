import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { MessageDoc } from '@lightbox/core/models/types.js';
import { queueDeliveries } from '@lightbox/core/push/deliveries.js';

/** Somebody wrote: one job for each browser of the recipient. */
export async function pushMessage(core: Core, messageId: string): Promise<void> {
  const message = await core.models.Message.findById(oid(messageId), { recipient: 1 }).lean<MessageDoc>();
  if (message) await queueDeliveries(core, message.recipient, messageId, { about: 'message', recordId: messageId });
}
