import { z } from 'zod';
import { Id } from '../ids.js';
import { UserRef } from '../users/schemas.js';

/** In an image or a study: the viewer sees it as the carer of this patient. `id` is that of the carer's record. */
export const ByCarer = z.object({ id: Id, patient: UserRef });
export type ByCarer = z.infer<typeof ByCarer>;
