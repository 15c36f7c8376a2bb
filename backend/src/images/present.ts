import { formOf, imageRules, opensAnyForm } from '@lightbox/contract/images/policy.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import { texts } from '@lightbox/contract/texts.js';
import { groundsOf, noGrounds } from '@lightbox/core/access/grounds.js';
import { imageFacts, openedBy, studyFor } from '@lightbox/core/access/images.js';
import { covering, covers, liveShare, strongest } from '@lightbox/core/access/shares.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { previewContext } from '@lightbox/core/blobs/preview.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { PreviewDoc } from '@lightbox/core/models/preview.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { presentByCarer } from '../carers/present.js';
import type { Gateway, Viewer } from '../context.js';
import { presentBy } from '../emergencies/present.js';
import { presentMine } from '../sharing/present.js';
import { studiesById, summaryOf } from '../studies/summary.js';
import { namesOf } from '../users/names.js';
import { hidesPicture } from './copies.js';
import { guestLinksOfAll, presentRecipients, sharePerPerson, sharesOfAll } from './recipients.js';

/**
 * Presents images as this viewer may see them, with a few queries for any number of images. Leaves out images that the
 * viewer may not see any more: a list may still name an image whose share has ended. `unshared`: the viewer has just
 * uploaded the images, and nobody else may see them.
 */
export async function presentImages(
  gateway: Gateway,
  viewer: Viewer,
  images: ImageDoc[],
  { grouped = false, unshared = false }: { grouped?: boolean; unshared?: boolean } = {},
): Promise<Image[]> {
  const now = gateway.clock.now();
  const [shares, grounds] = unshared
    ? [[], noGrounds]
    : await Promise.all([
        gateway.models.Share.find({
          ...covering(images),
          recipient: viewer._id,
          ...liveShare(now),
        }).lean<ShareDoc[]>(),
        groundsOf(gateway.models, viewer, covering(images), now),
      ]);
  const access = images.flatMap((image) => {
    const mine = shares.filter((share) => covers(share, image));
    const share = strongest(mine);
    const facts = imageFacts(image, mine, grounds);
    if (!imageRules.see(viewer, facts)) return [];
    const copy = formOf(viewer, facts) === 'copy';
    return [
      {
        image: copy ? withoutIdentity(image) : image,
        share,
        copy,
        opens: opensAnyForm(viewer, facts),
        download: copy ? imageRules.downloadCopy(viewer, facts) : imageRules.download(viewer, facts),
        shares: imageRules.share(viewer, facts),
        analyses: imageRules.analyse(viewer, facts),
        ...openedBy(viewer, facts, grounds, image, (one) => covers(one, image)),
        known: studyFor(viewer, image, mine, grounds),
      },
    ];
  });
  const shareable = access.filter(({ shares }) => shares).map(({ image }) => image);
  const [given, links] = await Promise.all([
    sharesOfAll(gateway.models, shareable, now),
    unshared ? [] : guestLinksOfAll(gateway.models, shareable, now),
  ]);
  const recipientsOf = (image: ImageDoc) => sharePerPerson(given, image);
  const linksOf = (image: ImageDoc) => links.filter((link) => covers(link, image)).length;
  // Only a single recipient is named.
  const named = access.flatMap(({ image, shares }) => {
    const [only, ...others] = shares ? recipientsOf(image) : [];
    return only && others.length === 0 ? [only.recipient] : [];
  });
  const [previews, hidden, studies, name] = await Promise.all([
    previewsOf(
      gateway,
      access.filter(({ opens }) => opens).map(({ image }) => image),
    ),
    hidesPicture(
      gateway,
      access.filter(({ opens, copy }) => opens && copy).map(({ image }) => image),
    ),
    grouped
      ? studiesById(
          gateway.models,
          access.flatMap(({ known }) => known?.id ?? []),
        )
      : new Map<string, StudyDoc>(),
    namesOf(
      gateway.models,
      [
        ...access.flatMap(({ image, carer }) => [image.owner, image.patient, carer?.patient]),
        ...shares.map((share) => share.sharedBy),
        ...named,
      ],
      gateway.recent.users,
    ),
  ]);
  return access.map(({ image, share, copy, opens, download, shares, analyses, emergency, carer, known }) => {
    const study = known ? studies.get(known.id) : undefined;
    const redacted: Image = {
      id: String(image._id),
      caption: image.caption,
      contentType: image.contentType,
      createAt: image.createAt.toISOString(),
      isVerified: opens,
      isShared: image.isShared,
      image_url: null,
      ...(copy ? { deidentified: true as const } : {}),
      ...(share ? presentMine(gateway, share, name) : {}),
      ...(share && shareState(share, now) === 'locked' ? { isLocked: true as const } : {}),
      ...(emergency ? { emergency: presentBy(emergency) } : {}),
      ...(carer ? { carer: presentByCarer(carer, name) } : {}),
      ...(study ? { study: summaryOf(study, copy || known?.form === 'copy') } : {}),
      ...(image.held ? { held: true as const } : {}),
    };
    return opens
      ? {
          ...redacted,
          ...details(image, analyses, name, copy),
          download,
          studyId: known?.id ?? null,
          seriesId: known ? String(image.series?.id ?? known.id) : null,
          ...(shares ? { recipients: presentRecipients(recipientsOf(image), linksOf(image), name, now) } : {}),
          image_url: hidden.has(String(image._id)) ? null : (previews.get(String(image._id)) ?? null),
        }
      : redacted;
  });
}

/** Returns an image as people know it who get its copy: without the texts and the dates that may tell of the patient. */
export function withoutIdentity({ patient: _, hasSigned: __, dicom, ...image }: ImageDoc): ImageDoc {
  const { studyDate: ___, ...facts } = dicom ?? {};
  return {
    ...image,
    caption: texts.copyCaption,
    analysis: 'none',
    ...(dicom ? { dicom: facts } : {}),
  };
}

/** People who read signed texts only learn nothing of runs and drafts. */
const presentState = ({ analysis, hasSigned }: ImageDoc, analyses: boolean): NonNullable<Image['analysis']> => ({
  status: analyses ? analysis : hasSigned ? 'completed' : 'none',
  ...(hasSigned ? { signed: true as const } : {}),
});

function details(
  image: ImageDoc,
  analyses: boolean,
  name: (id: ObjectId) => { id: string; firstname: string; lastname: string },
  copy: boolean,
) {
  return {
    // The size of the original is not that of the copy.
    ...(copy ? {} : { size: image.size }),
    owner: name(image.owner),
    analysis: presentState(image, analyses),
    ...(image.width && image.height ? { width: image.width, height: image.height } : {}),
    ...(image.patient ? { patient: name(image.patient) } : {}),
    ...(image.dicom ? { dicom: image.dicom } : {}),
    ...(image.frames === undefined ? {} : { frames: image.frames }),
  };
}

/** Returns the previews of images that the viewer may open, by their ids. */
export async function previewsOf(gateway: Gateway, images: ImageDoc[]): Promise<Map<string, string>> {
  const ready = images.filter((image) => image.preview === 'ready');
  if (ready.length === 0) return new Map();
  const previews = await gateway.models.Preview.find({ _id: { $in: ready.map((image) => image._id) } }).lean<
    PreviewDoc[]
  >();
  const byId = new Map(previews.map((preview) => [String(preview._id), preview]));
  return new Map(
    ready.flatMap((image) => {
      const preview = byId.get(String(image._id));
      if (!preview) return [];
      // A damaged preview is left out, and the rest of the list is still shown.
      const webp = unlessDamaged(gateway.log, () => openPreview(gateway, image, preview));
      return webp ? [[String(image._id), `data:image/webp;base64,${webp.toString('base64')}`] as const] : [];
    }),
  );
}

export const openPreview = (gateway: Gateway, image: ImageDoc, preview: PreviewDoc): Buffer =>
  open(
    unwrapDataKey(gateway.keys.images, String(image._id), image.dataKey),
    previewContext(String(image._id)),
    bufferOf(preview.sealed),
  );
