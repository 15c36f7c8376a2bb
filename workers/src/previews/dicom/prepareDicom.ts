import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Drawing, type FramePart, mediaTypeOf, undrawable } from '@lightbox/core/imaging/drawing.js';
import type { Prepared, SendPart } from '../protocol.js';
import { asPreview } from '../rendered.js';
import { loadCodecs } from './codecs.js';
import { type DicomFile, openDicom, syntaxes } from './dicomFile.js';
import { drawFrame } from './drawFrame.js';
import { frameTime, generalFacts, greyFacts, perFrameFacts, placeFacts, present } from './facts.js';
import { type Film, middleOf, openFilm } from './film.js';
import { type PlainFrame, plainFrame } from './plainFrame.js';
import { asIsFacts, servedAsIs } from './serve.js';
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
    return { preview: null, drawing: withoutPixels(file), tags };
  }
}

function withoutPixels({ set }: DicomFile): Drawing {
  return { ...undrawable, facts: { ...undrawable.facts, ...generalFacts(set) } };
}

async function filmDrawing(film: Film, sendPart: SendPart): Promise<Drawing> {
  const { set, frames } = film;
  const uid = set.text(0x00200052);
  const facts: FrameFacts = {
    kind: 'dicom',
    frames: frames.count,
    ...generalFacts(set),
    ...greyFacts(set, film.pixels.signed),
    ...placeFacts(set),
    ...present({ frameTime: frames.count > 1 ? frameTime(set) : null, perFrame: perFrameFacts(set, frames.count) }),
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

/** Makes all frames plain, one at a time, and sends each. Too many bytes: no frame is sent, and `frames` is empty. */
async function sendPlain(
  film: Film,
  sendPart: SendPart,
): Promise<{ facts: Partial<FrameFacts>; frames: FramePart[][] }> {
  const frames: FramePart[][] = [];
  let [at, facts]: [number, Partial<FrameFacts>] = [0, {}];
  for (let frame = 0; frame < film.frames.count; frame++) {
    const plain = plainFrame(film, frame);
    if (frame === 0) facts = plainFacts(film, plain);
    const { buffer, byteOffset, byteLength } = plain.pixels;
    if (byteLength * film.frames.count > limits.plainBytes) break;
    frames.push([[at, byteLength]]);
    at += byteLength;
    await sendPart(Buffer.from(buffer, byteOffset, byteLength));
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
