import type { InForm } from '@lightbox/core/access/images.js';
import { requireStudyForm, type StudyAccess } from '@lightbox/core/access/studies.js';
import type { Context, Reader } from '../context.js';
import { byOf, type Seen } from '../images/imageBytes.js';

/** The study of an access check, for the record of the look. */
export const seenStudy = ({ study, ...by }: StudyAccess): Seen => ({
  _id: study._id,
  owner: study.owner,
  ...byOf(by),
});

const check =
  (act: 'open' | 'download') =>
  ({ gateway, params }: Pick<Context, 'gateway'> & { params: { id: string } }) =>
  (viewer: Reader): Promise<StudyAccess & InForm> =>
    requireStudyForm(gateway.models, viewer, params.id, act, gateway.clock.now());

/** Checks the right to open the study, or its copies without identity: before the answer, and again while it goes out. */
export const checkOpen = check('open');
/** Checks the right to download its original files in the same way. */
export const checkDownload = check('download');
