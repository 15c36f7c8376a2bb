import { imageRules } from '@lightbox/contract/images/policy.js';
import type { MessageView } from '@lightbox/contract/together/schemas.js';
import { groundsOf } from '@lightbox/core/access/grounds.js';
import { imageFacts, requireImage } from '@lightbox/core/access/images.js';
import { covering } from '@lightbox/core/access/shares.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { Gateway, Viewer } from '../context.js';
import { findAttached } from './attachments.js';
import { type Draft, findSent } from './messageWriter.js';

/**
 * Throws unless the sender may open the image of the place that the message pins. A repeated message is not checked: it
 * is the earlier one.
 */
export async function requirePinnable(gateway: Gateway, sender: Viewer, draft: Draft): Promise<void> {
  if (!draft.view || (await findSent(gateway, draft))) return;
  await requireImage(gateway.models, sender, draft.view.imageId, 'open', gateway.clock.now());
}

/** Returns how a reader sees the pinned places of messages now: locked while they may not open the image. */
export async function pinnedViews(
  gateway: Gateway,
  reader: Pick<Viewer, 'id' | 'role' | '_id'>,
  messages: readonly MessageDoc[],
): Promise<(message: MessageDoc) => MessageView | undefined> {
  const ids = [...new Set(messages.flatMap(({ view }) => (view ? [view.imageId] : [])))];
  if (ids.length === 0) return () => undefined;
  const found = await findAttached(gateway, reader, ids.map(oid));
  const images = [...found.values()].map(({ image }) => image);
  const grounds = await groundsOf(gateway.models, reader, covering(images), gateway.clock.now());
  const isOpen = ({ imageId }: { imageId: string }): boolean => {
    const one = found.get(imageId);
    return one !== undefined && imageRules.open(reader, imageFacts(one.image, one.shares, grounds));
  };
  return ({ view }) => view && (isOpen(view) ? view : { imageId: view.imageId, locked: true });
}
