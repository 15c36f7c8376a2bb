import type { ImageRule } from '@lightbox/contract/images/policy.js';
import { requireStudy, type StudyAccess } from '@lightbox/core/access/studies.js';
import type { Context, Reader } from '../context.js';

/** Checks the right to the study: before the answer, and again while it goes out. */
const check =
  (rule: ImageRule) =>
  ({ gateway, params }: Pick<Context, 'gateway'> & { params: { id: string } }) =>
  (viewer: Reader): Promise<StudyAccess> =>
    requireStudy(gateway.models, viewer, params.id, rule, gateway.clock.now());
export const checkOpen = check('open');
export const checkDownload = check('download');
