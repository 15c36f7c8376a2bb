import { notHeld } from '@lightbox/core/access/requests.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { uidKeys } from '@lightbox/core/studies/instance.js';
import type { Gateway } from '../context.js';

/** Returns the SHA-256 of the owner's file with this SOP Instance UID; null when they have none. */
export async function alreadyStored(gateway: Gateway, owner: ObjectId, sopUid: string): Promise<string | null> {
  const sop = await uidKeys.sop(gateway, sopUid);
  const found = await gateway.models.Image.findOne({ owner, 'instance.sop': sop, ...notHeld }, { sha256: 1 })
    .readConcern(NEWEST)
    .lean<Pick<ImageDoc, 'sha256'>>();
  return found?.sha256 ?? null;
}
