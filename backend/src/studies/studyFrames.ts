import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import type { studyCalls } from '@lightbox/contract/studies/calls.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import { undrawable } from '@lightbox/core/imaging/drawing.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { Context, Gateway } from '../context.js';
import { checkAgain, stream } from '../http/stream.js';
import { askForDrawings, drawings, pending, until } from '../images/drawings.js';
import { factsOf } from '../images/frames.js';
import { inSameForm } from '../images/imageBytes.js';
import { openStudyLook } from '../images/looks.js';
import { checkOpen, seenStudy } from './checkOpen.js';
import { readSeries } from './present.js';

/** Drawings that are opened at once. */
const BATCH = 50;

/** The images that one call asks for before those of others, in the order of the study. */
const AHEAD = 10;

type Pictured = Pick<ImageDoc, '_id' | 'dataKey' | 'preview'>;

/**
 * Answers at once with the facts of every image of the study that is drawn, by the id of the image. While none is drawn
 * it waits. This is one look in the audit log. The answer goes out while drawings are read, because those of a large
 * study are many.
 */
export async function getStudyFrames(context: Context<typeof studyCalls.getStudyFrames>): Promise<undefined> {
  const { gateway, viewer, req } = context;
  const check = checkOpen(context);
  const access = await check(viewer);
  const { study, copy } = access;
  const images = await gateway.models.Image.find({ study: study._id }, { dataKey: 1, preview: 1 }).lean<Pictured[]>();
  const ready = await findDrawn(gateway, images);
  if (ready.length < images.length) await askForMissing(gateway, study, images, ready);
  const drawn =
    ready.length > 0 || images.length === 0
      ? ready
      : await until(gateway, req, limits.drawingSeconds, async () => {
          const found = await findDrawn(gateway, images);
          return found.length > 0 ? found : null;
        });
  if (!drawn) throw pending();
  // The right may have ended during the wait.
  const may = inSameForm(check, { copy });
  await checkAgain(context, may);
  await stream(context, {
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    chunks: written(gateway, drawn, copy),
    record: () => openStudyLook(context, seenStudy(access), images, { isComplete: drawn.length === images.length }),
    may,
  });
  return undefined;
}

async function findDrawn(gateway: Gateway, images: Pictured[]): Promise<Pictured[]> {
  const found = await gateway.models.Drawing.find({ _id: { $in: images.map(({ _id }) => _id) } }, { _id: 1 }).lean();
  const known = new Set(found.map(({ _id }) => String(_id)));
  return images.filter(({ _id }) => known.has(String(_id)));
}

/**
 * Asks for the drawings of the missing images that are seen first: the one that stands for the study, and those at its
 * beginning. Also enters the jobs of images of an older version; the upload of the others has entered theirs.
 */
async function askForMissing(gateway: Gateway, study: StudyDoc, images: Pictured[], ready: Pictured[]): Promise<void> {
  const drawn = idsOf(ready);
  const inOrder = (await readSeries(gateway, study)).flatMap((series) => series.images);
  const missing = inOrder.filter(({ _id }) => !drawn.has(String(_id)));
  const isLead = ({ _id }: Pick<ImageDoc, '_id'>) => String(_id) === String(study.lead);
  const seenFirst = [...missing.filter(isLead), ...missing.filter((image) => !isLead(image))].slice(0, AHEAD);
  await askForDrawings(gateway, seenFirst, { awaited: true });
  const known = new Set([...drawn, ...idsOf(seenFirst)]);
  const ofOlderVersion = images.filter(({ _id, preview }) => preview !== 'pending' && !known.has(String(_id)));
  await askForDrawings(gateway, ofOlderVersion, { awaited: false });
}

const idsOf = (images: Pick<ImageDoc, '_id'>[]): Set<string> => new Set(images.map(({ _id }) => String(_id)));

async function* written(gateway: Gateway, images: Pictured[], copy: string | null): AsyncGenerator<string> {
  yield '{"data":{';
  let separator = '';
  for (let at = 0; at < images.length; at += BATCH) {
    for (const [id, facts] of await readFacts(gateway, images.slice(at, at + BATCH), copy)) {
      yield `${separator}${JSON.stringify(id)}:${JSON.stringify(facts)}`;
      separator = ',';
    }
  }
  yield '}}';
}

async function readFacts(
  gateway: Gateway,
  images: Pictured[],
  copy: string | null,
): Promise<[id: string, FrameFacts][]> {
  const docs = await gateway.models.Drawing.find({ _id: { $in: images.map(({ _id }) => _id) } }, { drawing: 1 }).lean<
    Pick<DrawingDoc, '_id' | 'drawing'>[]
  >();
  const byId = new Map(images.map((image) => [String(image._id), image]));
  return docs.flatMap((doc): [string, FrameFacts][] => {
    const image = byId.get(String(doc._id));
    if (!image) return [];
    // A damaged drawing cannot be shown, and asking again does not help. The rest of the study is still shown.
    const made = unlessDamaged(gateway.log, () => drawings.open(gateway, image, doc));
    return [[String(doc._id), factsOf(gateway, made?.drawing ?? undrawable, copy)]];
  });
}
