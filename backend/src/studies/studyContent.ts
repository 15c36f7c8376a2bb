import type { studyCalls } from '@lightbox/contract/studies/calls.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { Context, Gateway } from '../context.js';
import { stream } from '../http/stream.js';
import { type ZipEntry, zipOf } from '../http/zip.js';
import { extensionOf, guarded } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { checkDownload } from './checkOpen.js';
import { readSeries } from './present.js';

/** Streams the original files of a study as a zip. They are stored in it as they are, and not compressed. */
export async function getStudyContent(context: Context<typeof studyCalls.getStudyContent>): Promise<undefined> {
  const { gateway, viewer } = context;
  const check = checkDownload(context);
  const { study } = await check(viewer);
  const files = await filesOf(gateway, study);
  const { length, chunks } = await zipOf(files.map(({ entry }) => entry));
  await stream(context, {
    headers: {
      ...guarded('application/zip'),
      'Content-Length': String(length),
      'Content-Disposition': `attachment; filename="${study._id}.zip"`,
    },
    chunks,
    record: () =>
      recordLook(
        context,
        'study.content',
        study,
        files.map(({ id: _id }) => ({ _id })),
      ),
    may: check,
  });
  return undefined;
}

type File = Pick<ImageDoc, '_id' | 'blob' | 'size' | 'contentType' | 'dataKey' | 'createAt'>;

/** Returns the files in the order of the study. Their names have numbers and ids alone, nothing about the patient. */
async function filesOf(gateway: Gateway, study: StudyDoc): Promise<{ id: File['_id']; entry: ZipEntry }[]> {
  const series = await readSeries(gateway, study);
  const images = await gateway.models.Image.find(
    { study: study._id },
    { blob: 1, size: 1, contentType: 1, dataKey: 1, createAt: 1 },
  ).lean<File[]>();
  const byId = new Map(images.map((image) => [String(image._id), image]));
  return series.flatMap(({ number, images: ordered }, i) =>
    ordered.flatMap(({ _id }, j) => {
      const image = byId.get(String(_id));
      const folder = study.kind === 'dicom' ? `series-${number ?? i + 1}/` : '';
      const name = `${folder}${String(j + 1).padStart(4, '0')}-${_id}.${extensionOf(image?.contentType ?? '')}`;
      return image ? [{ id: _id, entry: entryOf(gateway, image, name) }] : [];
    }),
  );
}

const entryOf = ({ blobs, keys }: Gateway, { _id, blob, size, dataKey, createAt }: File, name: string): ZipEntry => ({
  name,
  size,
  at: createAt,
  read: () => blobs.read(blob, unwrapDataKey(keys.images, String(_id), dataKey), size),
});
