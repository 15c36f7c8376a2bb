import type { TagRow } from '@lightbox/contract/images/drawing.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import type { Copy } from '@lightbox/core/deidentify/change.js';
import { canDeidentify, copyOf, readCopy } from '@lightbox/core/deidentify/copy.js';
import { cannotDeidentify } from '@lightbox/core/deidentify/elements.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { Drawing } from '@lightbox/core/imaging/drawing.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Gateway, Reader } from '../context.js';
import { rangeOf } from '../http/range.js';
import type { Streaming } from '../http/stream.js';
import { drawings } from './drawings.js';
import { extensionOf, type OfImage, sendBytes } from './imageBytes.js';
import { countRead, recordLook } from './looks.js';

type Call = Streaming & OfImage & Parameters<typeof rangeOf>[0] & Parameters<typeof recordLook>[0];

/**
 * Streams the copy of an image without identity, or a range of it. It is made anew for each answer, from the header alone:
 * nothing of it is stored, and the pixels go out as they are read.
 */
export async function sendCopy(
  context: Call,
  image: ImageDoc,
  scope: string,
  may: (viewer: Reader) => Promise<unknown>,
  record?: () => Promise<void>,
): Promise<undefined> {
  const { gateway } = context;
  const copy = await copyOf(gateway, image, scope);
  const range = rangeOf(context, copy.size);
  const { from, to } = range ?? { from: 0, to: copy.size };
  const name = await nameOfCopy(gateway, scope, image);
  return sendBytes(context, {
    contentType: image.contentType,
    length: to - from,
    disposition: `attachment; filename="${name}.${extensionOf(image.contentType)}"`,
    headers: {
      'Accept-Ranges': 'bytes',
      ...(range ? { 'Content-Range': `bytes ${from}-${to - 1}/${copy.size}` } : {}),
    },
    partial: range !== null,
    chunks: readCopy(gateway, image, copy, { from, to }),
    may,
    record:
      record ??
      (() => (range ? countRead(context, 'image.content', image) : recordLook(context, 'image.content', image))),
  });
}

/** Names the file of a copy: the name differs in each share, and says nothing of the image. */
export const nameOfCopy = async (
  { pseudonyms }: Gateway,
  scope: string,
  { _id }: Pick<ImageDoc, '_id'>,
): Promise<string> => String(await pseudonyms.id('deidentified file', scope, String(_id)));

/** False for pictures that show what the copy hides: overlays, the text of a report, the pages of a document. */
export const showsNoText = ({ facts }: Drawing): boolean =>
  facts.kind === 'picture' || (facts.kind === 'dicom' && !facts.overlays?.length);

/** Returns the ids of the images whose preview a viewer of the copy must not see. It takes a drawing to tell. */
export async function hidesPicture(
  gateway: Gateway,
  images: readonly Pick<ImageDoc, '_id' | 'dataKey' | 'contentType'>[],
): Promise<Set<string>> {
  const unsure = images.filter(({ contentType }) => contentType === 'application/dicom');
  const ids = unsure.map(({ _id }) => _id);
  const docs =
    ids.length > 0
      ? await gateway.models.Drawing.find({ _id: { $in: ids } }, { drawing: 1 }).lean<
          Pick<DrawingDoc, '_id' | 'drawing'>[]
        >()
      : [];
  const byId = new Map(docs.map((doc) => [String(doc._id), doc]));
  const hidden = images.filter((image) => {
    if (!canDeidentify(image.contentType)) return true;
    if (image.contentType !== 'application/dicom') return false;
    const doc = byId.get(String(image._id));
    const made = doc && unlessDamaged(gateway.log, () => drawings.open(gateway, image, doc));
    return !made || !showsNoText(made.drawing);
  });
  return new Set(hidden.map(({ _id }) => String(_id)));
}

/**
 * Returns the elements of a copy, with the keywords that a worker found for those of the original. Numbers
 * that the copy has kept are shown as in the original when the file names no VR.
 */
export function rowsOf({ rows }: Copy, original: readonly TagRow[]): TagRow[] {
  const known = new Map(original.map((row) => [row.tag, row]));
  return rows.map((row) => {
    const { keyword = row.keyword, vr = '', value = '' } = known.get(row.tag) ?? {};
    const kept = row.vr === '' && row.value.endsWith(' bytes') && NUMBERS.has(vr) ? { vr, value } : {};
    return { ...row, ...(keyword ? { keyword } : {}), ...kept };
  });
}
const NUMBERS = new Set(['US', 'SS', 'UL', 'SL', 'FL', 'FD']);

/**
 * Throws `CANNOT_DEIDENTIFY` unless copies of all files of a share can be made. Of a study these are looked at: its first
 * image, and every file without pixels.
 */
export async function requireDeidentifiable(gateway: Gateway, { image, study }: ShareTarget): Promise<void> {
  const images = await gateway.models.Image.find(study ? { study } : { _id: image }).lean<ImageDoc[]>();
  if (images.some(({ contentType }) => !canDeidentify(contentType))) throw cannotDeidentify();
  const looked = images.filter(({ _id, dicomDetail }) => _id.equals(image) || dicomDetail?.hasPixels === false);
  for (const one of looked) await copyOf(gateway, one, String(image));
}
