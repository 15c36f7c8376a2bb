import type { ObjectId } from '@lightbox/core/db/ids.js';
import { majorityHasAll } from '@lightbox/core/db/majority.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { uidKeys } from '@lightbox/core/studies/instance.js';
import type { Gateway } from '../context.js';
import { isInstance } from './instances.js';

/**
 * Returns the SHA-256 of the owner's files with this SOP Instance UID, once a majority has them: several where a browser
 * uploaded different files with the same UID. A device removes its own copy after the answer.
 */
export async function storedWith(gateway: Gateway, owner: ObjectId, sopUid: string): Promise<string[]> {
  const sop = await uidKeys.sop(gateway, sopUid);
  const same = { ...isInstance, owner, 'instance.sop': sop };
  if (!(await gateway.models.Image.exists(same).readConcern(NEWEST))) return [];
  await majorityHasAll(gateway.db);
  return gateway.models.Image.distinct('sha256', same);
}
