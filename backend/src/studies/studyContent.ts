import type { studyCalls } from '@lightbox/contract/studies/calls.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { type CopiedPart, copiedFields, copyOf, readCopy } from '@lightbox/core/deidentify/copy.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { Context, Gateway } from '../context.js';
import { stream } from '../http/stream.js';
import { type ZipEntry, zipOf } from '../http/zip.js';
import { nameOfCopy } from '../images/copies.js';
import { extensionOf, guarded, inSameForm } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { checkDownload } from './checkOpen.js';
import { readSeries } from './present.js';

/** Streams the original files of a study as a zip. They are stored in it as they are, and not compressed. */
export async function getStudyContent(context: Context<typeof studyCalls.getStudyContent>): Promise<undefined> {
  const { gateway, viewer } = context;
  const check = checkDownload(context);
  const { study, copy } = await check(viewer);
  const files = await filesOf(gateway, study, copy);
  const { length, chunks } = await zipOf(files.map(({ entry }) => entry));
  await stream(context, {
    headers: {
      ...guarded('application/zip'),
      'Content-Length': String(length),
      'Content-Disposition': `attachment; filename="${copy ?? study._id}.zip"`,
    },
    chunks,
    record: () => recordLook(context, 'study.content', study, { images: files.map(({ id: _id }) => ({ _id })) }),
    may: inSameForm(check, { copy }),
  });
  return undefined;
}

type File = CopiedPart & Pick<ImageDoc, 'createAt'>;

/** Returns the files in the order of the study. Their names have numbers and ids alone, nothing about the patient. */
async function filesOf(
  gateway: Gateway,
  study: StudyDoc,
  copy: string | null,
): Promise<{ id: File['_id']; entry: ZipEntry }[]> {
  const series = await readSeries(gateway, study);
  const images = await gateway.models.Image.find({ study: study._id }, { ...copiedFields, createAt: 1 }).lean<File[]>();
  const byId = new Map(images.map((image) => [String(image._id), image]));
  const files: { id: File['_id']; entry: ZipEntry }[] = [];
  for (const [i, { number, images: ordered }] of series.entries()) {
    const folder = study.kind === 'dicom' ? `series-${number ?? i + 1}/` : '';
    for (const [j, { _id }] of ordered.entries()) {
      const image = byId.get(String(_id));
      if (!image) continue;
      const named = copy ? await nameOfCopy(gateway, copy, image) : String(_id);
      const name = `${folder}${String(j + 1).padStart(4, '0')}-${named}.${extensionOf(image.contentType)}`;
      const entry = copy ? await entryOfCopy(gateway, image, name, copy) : entryOf(gateway, image, name);
      if (entry) files.push({ id: _id, entry });
    }
  }
  return files;
}

/** A file of which no copy can be made is left out. */
async function entryOfCopy(gateway: Gateway, image: File, name: string, scope: string): Promise<ZipEntry | null> {
  try {
    const { size } = await copyOf(gateway, image, scope);
    const read = async function* () {
      // Made again when its turn comes, so that the headers of all files need not be held.
      yield* readCopy(gateway, image, await copyOf(gateway, image, scope));
    };
    return { name, size, at: image.createAt, read };
  } catch (error) {
    if (error instanceof AppError && error.code === 'CANNOT_DEIDENTIFY') return null;
    throw error;
  }
}

const entryOf = ({ blobs, keys }: Gateway, { _id, blob, size, dataKey, createAt }: File, name: string): ZipEntry => ({
  name,
  size,
  at: createAt,
  read: () => blobs.read(blob, unwrapDataKey(keys.images, String(_id), dataKey), size),
});
