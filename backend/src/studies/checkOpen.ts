import { requireStudy, type StudyAccess } from '@lightbox/core/access/studies.js';
import type { Context, Viewer } from '../context.js';

/** Checks the right to open the study: before the answer, and again while it goes out. */
export const checkOpen =
  ({ gateway, params }: Pick<Context, 'gateway'> & { params: { id: string } }) =>
  (viewer: Viewer): Promise<StudyAccess> =>
    requireStudy(gateway.models, viewer, params.id, 'open', gateway.clock.now());
