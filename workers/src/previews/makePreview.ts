import { limits } from '@lightbox/contract/limits.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { isStored } from '@lightbox/core/blobs/isStored.js';
import { previewContext } from '@lightbox/core/blobs/preview.js';
import { MissingChunk } from '@lightbox/core/blobs/store.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { oid } from '@lightbox/core/db/ids.js';
import { IntegrityError } from '@lightbox/core/errors.js';
import { leaveTombstones } from '@lightbox/core/images/removeImage.js';
import {
  type Drawing,
  drawingContext,
  fitsInto,
  plainContext,
  tagsContext,
  undrawable,
} from '@lightbox/core/imaging/drawing.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { JobContext } from '../jobContext.js';
import { readImage } from '../readImage.js';
import { BlobParts, type StoredParts } from './blobParts.js';
import type { Pictures, Prepared } from './preview.js';

/** Rises when drawings must be made again. Workers then do so by and by (`maintenance/redrawOld.ts`). */
export const DRAWING_VERSION = 4;
/** Drawings that stay, as a filter. During an upgrade some are from workers of a newer version. */
const upToDate = { version: { $gte: DRAWING_VERSION } };

/**
 * Draws an image: its preview, its drawing and its tags, once. Images of an older version get the drawing alone. Does
 * nothing when the image was deleted meanwhile.
 */
export async function makePreview(
  core: Core,
  pictures: Pictures,
  imageId: string,
  { isLastAttempt }: JobContext,
): Promise<void> {
  const image = await core.models.Image.findById(oid(imageId)).lean<ImageDoc>();
  if (!image) return;
  // An earlier attempt died after it marked the image and before it sent the signal.
  if (await isDrawn(core, image)) return broadcast(core, image);
  const made = await prepare(core, pictures, image, isLastAttempt);
  const stored = await store(core, image, made);
  if (stored?.isNews) await broadcast(core, stored.image);
  if (!stored && made.plain) await core.blobs.delete(made.plain.written.id);
}

/** Marks an image whose job is given up as one that cannot be drawn, or keeps the drawing that an older version has made. */
export async function giveUpPreview(core: Core, imageId: string): Promise<void> {
  const image = await core.models.Image.findById(oid(imageId)).lean<ImageDoc>();
  const stored = image && !(await isDrawn(core, image)) ? await store(core, image, nothing) : null;
  if (stored?.isNews) await broadcast(core, stored.image);
}

async function isDrawn({ models }: Core, { _id, preview }: ImageDoc): Promise<boolean> {
  return preview !== 'pending' && (await models.Drawing.exists({ _id, ...upToDate })) !== null;
}

/** Throws when Redis is away, so that the job is retried: without the signal open screens never show the picture. */
async function broadcast(core: Core, { _id, audience, owner }: ImageDoc): Promise<void> {
  const to = [...audience.map(String), String(owner), 'role:admin'];
  await core.signals.send([{ push: { name: 'image:updated', to, refs: { record: String(_id) } } }]);
}

interface Stored {
  image: ImageDoc;
  /** False for a drawing that is made again with the same outcome: no screen waits for it. */
  isNews: boolean;
}

interface Made {
  /** Null when the file cannot be drawn. */
  prepared: Prepared | null;
  plain: StoredParts | null;
}

const nothing: Made = { prepared: null, plain: null };

/**
 * Draws the file, and stores its plain frames while they are made, if it has any. The last attempt takes a fault for one of
 * the file. A fault of the blobs' place says nothing about the file: the job fails, and the image goes on waiting.
 */
async function prepare(core: Core, pictures: Pictures, image: ImageDoc, isLastAttempt: boolean): Promise<Made> {
  const file = await readImage(core, image).catch((error) => {
    const isChanged = error instanceof IntegrityError && !(error instanceof MissingChunk);
    if (isLastAttempt && isChanged) return null;
    throw error;
  });
  if (!file) return nothing;
  const frames = new BlobParts(core, limits.plainBytes);
  try {
    const prepared = await pictures.prepare(file, image.contentType, (part) => frames.add(part));
    const plain = await frames.end();
    if (prepared && isSound(prepared.drawing, image, plain)) return { prepared, plain };
    if (plain) await core.blobs.delete(plain.written.id);
    return nothing;
  } catch (error) {
    await frames.abandon(error as Error);
    if (!isLastAttempt || isAway(error) || frames.isRefused) throw error;
    return nothing;
  }
}

/** False when a range of a drawing does not lie in its blob: the renderer made it from a foreign file, and may be hostile. */
function isSound(drawing: Drawing, image: ImageDoc, plain: StoredParts | null): boolean {
  if (drawing.source === 'file') return plain === null && fitsInto(drawing, image.size);
  return plain !== null && fitsInto(drawing, plain.size);
}

/**
 * Writes preview and drawing and marks the image's record, all or nothing. Returns null when the image was deleted
 * meanwhile, or drawn by another worker. A plain transaction without an event: no person acts here, so the audit log needs
 * no entry, and a signal notifies the browsers.
 */
function store(
  core: Core,
  { _id, dataKey, preview: before }: ImageDoc,
  { prepared, plain }: Made,
): Promise<Stored | null> {
  const { Drawing, Image, Preview } = core.models;
  const id = String(_id);
  const key = unwrapDataKey(core.keys.images, id, dataKey);
  const drawing = prepared?.drawing ?? undrawable;
  const sealJson = (context: string, value: unknown) => seal(key, context, Buffer.from(JSON.stringify(value)));
  return core.db.transaction(async (session) => {
    // The drawing of an older version is better than none. That of a file without a preview may have a report and tags.
    const isWorse = before === 'ready' ? !prepared?.preview : !prepared;
    if (isWorse) {
      const older = { _id, version: { $lt: DRAWING_VERSION } };
      const kept = await Drawing.updateOne(older, { $set: { version: DRAWING_VERSION } }, { session });
      const image = kept.modifiedCount === 1 && (await Image.findById(_id, null, { session }).lean<ImageDoc>());
      if (image) return { image, isNews: false };
    }
    const drawn = await Drawing.exists({ _id, ...upToDate }).session(session);
    const found = drawn ? ({ _id, preview: 'pending' } as const) : { _id };
    const preview = prepared?.preview;
    const state = preview || before === 'ready' ? 'ready' : 'none';
    const set = { $set: { preview: state, frames: drawing.facts.frames } } as const;
    const marked = await Image.findOneAndUpdate(found, set, { session }).lean<ImageDoc>();
    if (!marked) return null;
    if (plain && !(await isStored(core, plain.written, session))) throw new Error('Plain frames were lost.');
    if (preview) {
      const sealed = seal(key, previewContext(id), preview.bytes);
      const { width, height } = preview;
      await Preview.replaceOne({ _id }, { _id, sealed, width, height }, { session, upsert: true });
    }
    const doc: DrawingDoc = {
      _id,
      drawing: sealJson(drawingContext(id), drawing),
      tags: sealJson(tagsContext(id), prepared?.tags ?? []),
      ...(plain
        ? { plain: { blob: plain.written.id, size: plain.size, key: seal(key, plainContext(id), plain.key) } }
        : {}),
      version: DRAWING_VERSION,
    };
    const replaced = await Drawing.findOneAndReplace({ _id }, doc, { session, upsert: true }).lean<DrawingDoc>();
    if (replaced?.plain) await leaveTombstones(core.models, [replaced.plain.blob], core.clock.now(), session);
    return { image: marked, isNews: !replaced || state !== before };
  });
}
