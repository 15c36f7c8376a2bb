import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { uidKeys } from '@lightbox/core/studies/instance.js';
import type { Gateway } from '../context.js';
import { isInstance } from './instances.js';

/**
 * Returns the SHA-256 of the owner's files with this SOP Instance UID: several where a browser uploaded different files with
 * the same UID.
 */
export async function storedWith(gateway: Gateway, owner: ObjectId, sopUid: string): Promise<string[]> {
  const sop = await uidKeys.sop(gateway, sopUid);
  return gateway.models.Image.distinct('sha256', { ...isInstance, owner, 'instance.sop': sop }).readConcern(NEWEST);
}
