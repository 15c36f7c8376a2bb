import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Drawing, type FramePart, mediaTypeOf, undrawable } from '@lightbox/core/imaging/drawing.js';
import { pageCount, preview as previewOf } from '../decode.js';
import type { Prepared, SendPart } from '../protocol.js';
import { asPreview } from '../rendered.js';
import { loadCodecs } from './codecs.js';
import { PIXEL_DATA } from './dataSet.js';
import { type DicomFile, openDicom, syntaxes } from './dicomFile.js';
import { drawFrame } from './drawFrame.js';
import { frameTime, generalFacts, greyFacts, perFrameFacts, placeFacts, present } from './facts.js';
import { type Film, middleOf, openFilm } from './film.js';
import { overlaysOf } from './overlays.js';
import { type PlainFrame, plainFrame } from './plainFrame.js';
import { encapsulatedPdf, reportOf } from './report.js';
import { asIsFacts, servedAsIs, unlessDamaged } from './serve.js';
import { tagRows } from './tags.js';

/** Draws a DICOM file. */
export async function prepareDicom(bytes: Buffer, sendPart: SendPart): Promise<Prepared> {
  const file = openDicom(bytes);
  const tags = tagRows(file);
  try {
    await loadCodecs();
    const film = openFilm(file);
    const middle = middleOf(film.frames.count);
    const preview = await asPreview(drawFrame(film, middle, { overlays: true }));
    return { preview, drawing: await filmDrawing(film, sendPart), tags };
  } catch {
    // Decoders throw strings and objects of all kinds. Each of them means that the pixels cannot be drawn.
    return { ...(await withoutPixels(file)), tags };
  }
}

const PIXELS = [PIXEL_DATA, 0x7fe00008, 0x7fe00009];

/** Makes a readable page of a file without pixels. Files whose pixels cannot be drawn get none. */
async function withoutPixels({ set }: DicomFile): Promise<Omit<Prepared, 'tags'>> {
  const facts = { ...undrawable.facts, ...generalFacts(set) };
  const report = PIXELS.some((tag) => set.elements.has(tag)) ? null : reportOf(set);
  if (!report) return { preview: null, drawing: { ...undrawable, facts } };
  const pdf = encapsulatedPdf(set);
  const preview = pdf ? await previewOf(pdf, 'application/pdf').catch(() => null) : null;
  const frames = pdf && preview ? await pageCount(pdf) : 0;
  return { preview, drawing: { ...undrawable, facts: { ...facts, kind: 'report', frames, report } } };
}

async function filmDrawing(film: Film, sendPart: SendPart): Promise<Drawing> {
  const { set, frames } = film;
  const uid = set.text(0x00200052);
  const overlays = overlaysOf(film);
  const facts: FrameFacts = {
    kind: 'dicom',
    frames: frames.count,
    ...generalFacts(set),
    ...greyFacts(film),
    ...placeFacts(set),
    ...present({
      frameTime: frames.count > 1 ? frameTime(set) : null,
      perFrame: perFrameFacts(set, frames.count),
      overlays: overlays.length > 0 ? overlays : null,
    }),
    previewFrame: middleOf(frames.count) + 1,
  };
  const common = uid === null ? {} : { frameOfReferenceUid: uid.slice(0, 64) };
  const served = servedAsIs(film);
  if (served) {
    const mediaType = mediaTypeOf(served.syntax);
    return {
      facts: { ...facts, ...asIsFacts(film, served) },
      ...common,
      source: 'file',
      mediaType,
      frames: served.frames,
    };
  }
  const plain = await sendPlain(film, sendPart);
  return {
    facts: { ...facts, ...plain.facts },
    ...common,
    source: 'plain',
    mediaType: mediaTypeOf(syntaxes.explicitLittle),
    frames: plain.frames,
  };
}

/** Small frames are sent together, and large ones in parts. */
const PART_BYTES = 1024 * 1024;

/**
 * Makes all frames plain, one at a time, and sends them. A damaged frame has no parts. Too many bytes: nothing is sent, and
 * `frames` is empty.
 */
async function sendPlain(
  film: Film,
  sendPart: SendPart,
): Promise<{ facts: Partial<FrameFacts>; frames: FramePart[][] }> {
  const sample = plainFrame(film, middleOf(film.frames.count));
  const facts = plainFacts(film, sample);
  const frames: FramePart[][] = [];
  if (sample.pixels.byteLength * film.frames.count > limits.plainBytes) return { facts, frames };
  let [at, waiting]: [number, Buffer[]] = [0, []];
  for (let frame = 0; frame < film.frames.count; frame++) {
    const pixels = unlessDamaged(() => plainFrame(film, frame).pixels, null);
    frames.push(pixels ? [[at, pixels.byteLength]] : []);
    if (pixels) waiting.push(Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength));
    at += pixels?.byteLength ?? 0;
    if (waiting.length * sample.pixels.byteLength < PART_BYTES && frame < film.frames.count - 1) continue;
    const whole = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting);
    for (let from = 0; from < whole.length; from += PART_BYTES) await sendPart(whole.subarray(from, from + PART_BYTES));
    waiting = [];
  }
  return { facts, frames };
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
