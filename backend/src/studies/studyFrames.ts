import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import type { studyCalls } from '@lightbox/contract/studies/calls.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { Context, Gateway } from '../context.js';
import { stream } from '../http/stream.js';
import { askForDrawings, drawings, pending, until } from '../images/drawings.js';
import { factsOf } from '../images/frames.js';
import { openStudyLook } from '../images/looks.js';
import { checkOpen } from './checkOpen.js';

/** Drawings that are opened at once. */
const BATCH = 50;

type Pictured = Pick<ImageDoc, '_id' | 'dataKey' | 'preview'>;

/**
 * Answers with the facts of every image of the study that is drawn, by the id of the image. This is one look in the
 * audit log. The answer goes out while drawings are read, because those of a large study are many.
 */
export async function getStudyFrames(context: Context<typeof studyCalls.getStudyFrames>): Promise<undefined> {
  const { gateway, viewer, req } = context;
  const check = checkOpen(context);
  const { study } = await check(viewer);
  const images = await gateway.models.Image.find({ study: study._id }, { dataKey: 1, preview: 1 }).lean<Pictured[]>();
  const drawn = await until(gateway, req, limits.drawingSeconds, () => findDrawn(gateway, images));
  if (!drawn) throw pending();
  // The right may have ended during the wait.
  await check(viewer);
  await stream(context, {
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    chunks: written(gateway, drawn),
    record: () => openStudyLook(context, study, drawn),
    may: check,
  });
  return undefined;
}

/** Returns the images that are drawn; null while none is. Asks for the drawings of images of an older version. */
async function findDrawn(gateway: Gateway, images: Pictured[]): Promise<Pictured[] | null> {
  const found = await gateway.models.Drawing.find({ _id: { $in: images.map(({ _id }) => _id) } }, { _id: 1 }).lean();
  const known = new Set(found.map(({ _id }) => String(_id)));
  const [drawn, missing] = [true, false].map((wanted) => images.filter(({ _id }) => known.has(String(_id)) === wanted));
  // The upload of the others has entered their jobs.
  await askForDrawings(gateway, missing?.filter(({ preview }) => preview !== 'pending') ?? []);
  return drawn && (drawn.length > 0 || images.length === 0) ? drawn : null;
}

async function* written(gateway: Gateway, images: Pictured[]): AsyncGenerator<string> {
  yield '{"data":{';
  let separator = '';
  for (let at = 0; at < images.length; at += BATCH) {
    for (const [id, facts] of await readFacts(gateway, images.slice(at, at + BATCH))) {
      yield `${separator}${JSON.stringify(id)}:${JSON.stringify(facts)}`;
      separator = ',';
    }
  }
  yield '}}';
}

async function readFacts(gateway: Gateway, images: Pictured[]): Promise<[id: string, FrameFacts][]> {
  const docs = await gateway.models.Drawing.find({ _id: { $in: images.map(({ _id }) => _id) } }, { drawing: 1 }).lean<
    Pick<DrawingDoc, '_id' | 'drawing'>[]
  >();
  const byId = new Map(images.map((image) => [String(image._id), image]));
  return docs.flatMap((doc): [string, FrameFacts][] => {
    const image = byId.get(String(doc._id));
    // A damaged drawing is left out, and the rest of the study is still shown.
    const made = image && unlessDamaged(gateway.log, () => drawings.open(gateway, image, doc));
    return made ? [[String(doc._id), factsOf(gateway, made.drawing)]] : [];
  });
}
