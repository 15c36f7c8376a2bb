import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Request } from 'express';
import type { Gateway } from '../context.js';
import { acceptedBy, takesWhole } from '../http/accept.js';
import { stream } from '../http/stream.js';
import { byOf, guarded, type Seen } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { takesPart, takesSyntax } from './accept.js';
import { type Call, type Found, type InstanceDoc, mayStill, requireInstances, type Uids } from './instances.js';
import { multipartOf, type Part } from './multipart.js';

const FILE = 'application/dicom';

/** Streams the original files of a study, a series or an instance (WADO-RS, PS3.18 §10.4), as they are stored. */
export async function retrieve(context: Call<Uids>): Promise<undefined> {
  const { gateway, viewer, params, req } = context;
  const found = await requireInstances(gateway, viewer, params, 'download');
  const form = formFor(req, found, params.instance !== undefined);
  const [only] = found;
  const body =
    form === 'single' && only
      ? { headers: single(only.image), chunks: contentOf(gateway, only.image) }
      : multipartOf(found.map(({ image }) => partOf(gateway, image)));
  await stream(context, {
    headers: { ...guarded(FILE), ...body.headers },
    chunks: body.chunks,
    record: () => recordFiles(context, found),
    may: mayStill(gateway, found, 'download'),
  });
  return undefined;
}

/** Chooses between one body and parts. Nothing is decoded: a file is there in its own transfer syntax alone. */
function formFor(req: Request, found: readonly Found[], isOne: boolean): 'single' | 'multipart' {
  for (const accepted of acceptedBy(req)) {
    if (!found.every(({ image }) => takesSyntax(accepted, syntaxOf(image)))) continue;
    if (takesPart(accepted, FILE)) return 'multipart';
    if (isOne && takesWhole(accepted, FILE)) return 'single';
  }
  throw new AppError('NOT_ACCEPTABLE');
}

const syntaxOf = ({ dicomDetail }: InstanceDoc): string => dicomDetail?.transferSyntax ?? '';

/** A file that names no transfer syntax has none here. */
const typeOf = (image: InstanceDoc): string =>
  syntaxOf(image) === '' ? FILE : `${FILE}; transfer-syntax=${syntaxOf(image)}`;

const single = (image: InstanceDoc): Record<string, string> => ({
  'Content-Type': typeOf(image),
  'Content-Length': String(image.size),
});

const partOf = (gateway: Gateway, image: InstanceDoc): Part => ({
  type: typeOf(image),
  length: image.size,
  read: () => contentOf(gateway, image),
});

const contentOf = ({ blobs, keys }: Gateway, { _id, blob, dataKey, size }: InstanceDoc) =>
  blobs.read(blob, unwrapDataKey(keys.images, String(_id), dataKey), size);

/** Records the download: of one file by its image, of several as one entry for each study. */
async function recordFiles(context: Call<Uids>, found: readonly Found[]): Promise<void> {
  const [first, ...others] = found;
  if (first && others.length === 0) return recordLook(context, 'image.content', seenFile(first));
  for (const { study, images } of byStudy(found)) await recordLook(context, 'study.content', study, { images });
}

/** The image of an instance, for the record of a look. */
export const seenFile = ({ image, ...by }: Found): InstanceDoc & Seen => ({ ...image, ...byOf(by) });

/** Returns instances by the studies in which they are stored: files with the UID of one study may have several owners. */
export function byStudy(found: readonly Found[]): { study: Seen; images: { _id: ObjectId }[] }[] {
  const studies = new Map<string, { study: Seen; images: { _id: ObjectId }[] }>();
  for (const one of found) {
    const { _id, study = _id, owner } = one.image;
    const known = studies.get(String(study)) ?? { study: { _id: study, owner, ...byOf(one) }, images: [] };
    known.images.push({ _id });
    studies.set(String(study), known);
  }
  return [...studies.values()];
}
