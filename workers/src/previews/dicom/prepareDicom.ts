import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Drawing, type FramePart, mediaTypeOf, undrawable } from '@lightbox/core/imaging/drawing.js';
import { pageCount, preview as previewOf, textOfDrawn } from '../decode.js';
import type { Prepared, SendPart } from '../protocol.js';
import { asPreview } from '../rendered.js';
import { loadCodecs } from './codecs.js';
import { PIXEL_DATA } from './dataSet.js';
import { type DicomFile, openDicom, syntaxes } from './dicomFile.js';
import { drawFrame, shapeOf } from './drawFrame.js';
import { frameTime, generalFacts, greyFacts, groupFacts, perFrameFacts, placeFacts, present } from './facts.js';
import { type Film, middleOf, openFilm } from './film.js';
import { overlaysOf } from './overlays.js';
import type { PlainFrame } from './plainFrame.js';
import { encapsulatedPdf, reportOf } from './report.js';
import { reportPage } from './reportPage.js';
import { asIsFacts, servedAsIs, servedPixels, unlessDamaged } from './serve.js';
import { tagRows } from './tags.js';

/** Draws a DICOM file. */
export async function prepareDicom(bytes: Buffer, sendPart: SendPart): Promise<Prepared> {
  const file = openDicom(bytes);
  const tags = tagRows(file);
  try {
    await loadCodecs();
    const film = openFilm(file);
    const middle = middleOf(film.frames.count);
    const drawn = drawFrame(film, middle, { overlays: true });
    const preview = await asPreview(drawn, shapeOf(film, middle));
    const text = await textOfDrawn(drawn);
    return { preview, drawing: { ...(await filmDrawing(film, sendPart)), text }, tags };
  } catch {
    // Decoders throw strings and objects of all kinds. Each of them means that the pixels cannot be drawn.
    return { ...(await withoutPixels(file)), tags };
  }
}

/** Rows, and the kinds of pixel data: a file with one of these is a picture. */
const PICTURE = [0x00280010, PIXEL_DATA, 0x7fe00008, 0x7fe00009];

/** Makes a readable page of a file without pixels. Files whose pixels cannot be drawn get none. */
async function withoutPixels({ set }: DicomFile): Promise<Omit<Prepared, 'tags'>> {
  const facts = { ...undrawable.facts, ...generalFacts(set) };
  const report = PICTURE.some((tag) => set.elements.has(tag)) ? null : reportOf(set);
  if (!report) return { preview: null, drawing: { ...undrawable, facts } };
  const pdf = encapsulatedPdf(set);
  const page = pdf ?? reportPage(report);
  const preview = page ? await previewOf(page, 'application/pdf').catch(() => null) : null;
  const frames = pdf && preview ? await pageCount(pdf) : 0;
  return { preview, drawing: { ...undrawable, facts: { ...facts, kind: 'report', frames, report } } };
}

async function filmDrawing(film: Film, sendPart: SendPart): Promise<Drawing> {
  const { frames, set } = film;
  const uid = set.text(0x00200052);
  const common = uid === null ? {} : { frameOfReferenceUid: uid.slice(0, 64) };
  const facts = filmFacts(film);
  const served = servedAsIs(film);
  if (served) {
    const mediaType = mediaTypeOf(served.syntax);
    return {
      ...common,
      facts: { ...facts, ...asIsFacts(film, served) },
      source: 'file',
      mediaType,
      frames: served.frames,
    };
  }
  const sample = servedPixels(film, middleOf(frames.count));
  const plain = { ...common, facts: { ...facts, ...plainFacts(film, sample) } };
  if (sample.pixels.byteLength * frames.count > limits.plainBytes) return { ...undrawable, ...plain };
  const mediaType = mediaTypeOf(syntaxes.explicitLittle);
  return { ...plain, source: 'plain', mediaType, frames: await sendPlain(film, sendPart) };
}

function filmFacts(film: Film): FrameFacts {
  const { frames, pixels, set } = film;
  const middle = middleOf(frames.count);
  const overlays = overlaysOf(film);
  const isGrey = pixels.samples === 1 && pixels.photometric !== 'PALETTE COLOR';
  const grey = isGrey ? greyFacts(film) : { windows: [] };
  // Enhanced files have these facts for each frame. Those of the whole file are then the ones of its preview.
  const { windows = grey.windows, ...ofPreview } = groupFacts(film, middle);
  return {
    kind: 'dicom',
    frames: frames.count,
    ...generalFacts(set),
    ...grey,
    ...placeFacts(set),
    ...ofPreview,
    windows: isGrey ? windows : [],
    ...present({
      frameTime: frames.count > 1 ? frameTime(set) : null,
      perFrame: perFrameFacts(film),
      overlays: overlays.length > 0 ? overlays : null,
      inSteps: film.rescale ? true : null,
    }),
    previewFrame: middle + 1,
  };
}

/** Small frames are sent together, and large ones in parts. */
const PART_BYTES = 1024 * 1024;

/** Makes all frames plain, one at a time, and sends them. A damaged frame has no parts. */
async function sendPlain(film: Film, sendPart: SendPart): Promise<FramePart[][]> {
  const frames: FramePart[][] = [];
  let waiting: Buffer[] = [];
  let [at, sent] = [0, 0];
  for (let frame = 0; frame < film.frames.count; frame++) {
    await loadCodecs();
    const pixels = unlessDamaged(() => servedPixels(film, frame).pixels, null);
    frames.push(pixels ? [[at, pixels.byteLength]] : []);
    if (pixels) waiting.push(Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength));
    at += pixels?.byteLength ?? 0;
    if (at - sent < PART_BYTES && frame < film.frames.count - 1) continue;
    const whole = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting);
    for (let from = 0; from < whole.length; from += PART_BYTES) await sendPart(whole.subarray(from, from + PART_BYTES));
    waiting = [];
    sent = at;
  }
  return frames;
}

function plainFacts({ pixels }: Film, plain: PlainFrame): Partial<FrameFacts> {
  const { rows, columns, samples, bitsStored } = plain;
  return {
    rows,
    columns,
    samplesPerPixel: samples,
    bitsAllocated: plain.pixels.BYTES_PER_ELEMENT * 8,
    bitsStored,
    highBit: bitsStored - 1,
    pixelRepresentation: samples === 1 && pixels.signed ? 1 : 0,
    photometricInterpretation: samples === 3 ? 'RGB' : pixels.photometric,
    ...(samples === 3 ? { planarConfiguration: 0 } : {}),
    transferSyntax: syntaxes.explicitLittle,
  };
}
