import type { GuestView, guestCalls } from '@lightbox/contract/guests/calls.js';
import { findLiveLink } from '@lightbox/core/access/guests.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { requireStudy } from '@lightbox/core/access/studies.js';
import { AppError } from '@lightbox/core/errors.js';
import { openField } from '@lightbox/core/guests/sealed.js';
import type { Answer, Context } from '../context.js';
import { readSeries } from '../studies/present.js';

/** Returns what the guest may look at. The frames are read by the same calls as everybody's, which record the look. */
export async function getGuestView({
  gateway,
  viewer,
}: Context<typeof guestCalls.getGuestView>): Promise<Answer<GuestView>> {
  const now = gateway.clock.now();
  const link = await findLiveLink(gateway.models, viewer._id, now);
  // It has ended since the identity was checked.
  if (!link) throw new AppError('AUTHENTICATION_FAILED');
  const shown = {
    expiresAt: link.expiresAt.toISOString(),
    download: link.download,
    note: openField(gateway.keys, link, 'note'),
  };
  if (!link.study) {
    const { image } = await requireImage(gateway.models, viewer, String(link.image), 'open', now);
    return { data: { imageId: String(image._id), ...shown } };
  }
  const { study } = await requireStudy(gateway.models, viewer, String(link.study), 'open', now);
  // Without the descriptions: they are free text of the files.
  const series = (await readSeries(gateway, study)).map(({ id, number, modality, images }) => ({
    id: String(id),
    ...(number === undefined ? {} : { number }),
    ...(modality === undefined ? {} : { modality }),
    images: images.map(({ _id }) => String(_id)),
  }));
  return { data: { studyId: String(study._id), series, ...shown } };
}

/** Answers while the link has not ended: the check of the identity refuses every other guest. */
export const askGuest = async (_: Context<typeof guestCalls.askGuest>): Promise<Answer<unknown>> => ({ data: null });
