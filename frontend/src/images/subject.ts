import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Study, StudySummary } from '@lightbox/contract/studies/schemas.js';
import { said } from '../i18n';

/**
 * A card and its dialogs are about an image, or about a study. In both cases they get an image: that of a study stands for
 * it, and names it in `study`.
 */

/** Returns the study that a card shows as a stack. A study of one DICOM file is shown as that image. */
export const stackOf = ({ study }: Pick<Image, 'study'>): StudySummary | undefined =>
  study && (study.kind === 'pictures' || study.imageCount > 1) ? study : undefined;

/** Returns the title of a card: the study's, or the image's caption. */
export function titleOf(image: Pick<Image, 'study' | 'caption' | 'deidentified'>, untitled: string): string {
  const title = stackOf(image)?.title || image.caption || untitled;
  // The server's own words stand for the caption of a copy without identity.
  return image.deidentified ? said(title) : title;
}

/** Returns what a share of this card covers, as the calls of sharing name it. */
export const sharedThing = ({ id, study }: Pick<Image, 'id' | 'study'>) =>
  study ? { studyId: study.id } : { imagemetadataId: id };

/** Returns the image that stands for a study, for a study that no list contains. */
export function standIn({ series: _, studyDate, leadId, ...study }: Study): Image {
  const { id, title, kind, imageCount, modalities, size, ...shown } = study;
  return {
    ...shown,
    id: leadId ?? id,
    caption: title,
    contentType: kind === 'dicom' ? 'application/dicom' : 'image/jpeg',
    ...(studyDate && { dicom: { studyDate } }),
    study: { id, title, kind, imageCount, modalities, size },
    studyId: id,
  };
}

/** Returns the identifiers of all images of a study, in order. */
export const imagesOf = (study: Pick<Study, 'series'> | undefined): string[] =>
  study?.series?.flatMap(({ images }) => images) ?? [];
