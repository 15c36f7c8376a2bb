import { fitsInto } from '@lightbox/core/imaging/drawing.js';
import { loadCodecs } from '@lightbox/workers/previews/dicom/codecs.js';
import { openPictures, type Pictures } from '@lightbox/workers/previews/preview.js';
import { compress, encapsulatedFile, nativeFile, type Pixels } from '@lightbox/workers/testing/dicom.js';
import { type Campaign, Findings, type Row } from './campaign.js';
import { mutate, Random } from './random.js';

const GREY: Pixels = { rows: 32, columns: 32, bits: 16, stored: 12 };
const COLOUR: Pixels = { rows: 32, columns: 32, samples: 3, bits: 8 };
const greys = Buffer.from(Uint16Array.from({ length: 1024 }, (_, i) => i * 4).buffer);
const colours = Buffer.from(Uint8Array.from({ length: 3072 }, (_, i) => i * 7));

/** Valid files of each way to store pixels. */
const kinds: [name: string, make: () => Buffer][] = [
  ['native', () => nativeFile({ ...GREY, frames: 2 }, Buffer.concat([greys, greys]))],
  ['big endian', () => nativeFile(GREY, Buffer.from(greys).swap16(), 'big')],
  ['deflated', () => nativeFile(GREY, greys, 'deflated')],
  ['planes', () => nativeFile({ ...COLOUR, planar: 1 }, colours, 'explicit', 'OB')],
  ['RLE', () => encapsulatedFile(COLOUR, '1.2.840.10008.1.2.5', [compress('encodeRle', COLOUR, colours)])],
  ['JPEG lossless', () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.70', [compress('encodeJpeg', GREY, greys)])],
  ['JPEG-LS', () => encapsulatedFile(COLOUR, '1.2.840.10008.1.2.4.80', [compress('encodeJpegLs', COLOUR, colours)])],
  ['JPEG 2000', () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [compress('encodeJpeg2000', GREY, greys)])],
  ['HTJ2K', () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.201', [compress('encodeHtJpeg2000', GREY, greys)])],
];

/** The renderer gives up a file after 20 seconds. */
const TIMEOUT_MS = 25_000;

/** Draws DICOM files with faults in them, without the checks of the gateway in front, and each time a good file after them. */
export async function fuzzDrawings({ wishes, say }: Pick<Campaign, 'wishes' | 'say'>): Promise<Row[]> {
  const pictures = await openPictures(null);
  await loadCodecs();
  const control = encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [compress('encodeJpeg2000', GREY, greys)]);
  try {
    const rows: Row[] = [];
    for (const [kind, [name, make]] of kinds.entries()) {
      const findings = new Findings(say);
      const random = new Random(wishes.seed * 1000 + kind);
      const end = Date.now() + (wishes.minutes ? (wishes.minutes * 60_000) / kinds.length : Number.POSITIVE_INFINITY);
      for (let i = 0; i < (wishes.examples ?? 250) && Date.now() < end; i++) {
        findings.requests++;
        const fault = await draw(pictures, mutate(make(), random), control);
        if (fault) findings.add(`${name}, case ${i} of seed ${wishes.seed}: ${fault}`);
      }
      rows.push({
        campaign: `drawing: ${name}`,
        operations: 1,
        requests: findings.requests,
        failures: findings.lines.length,
      });
    }
    return rows;
  } finally {
    await pictures.close();
  }
}

async function draw(pictures: Pictures, file: Buffer, control: Buffer): Promise<string | null> {
  const started = performance.now();
  let plain = 0;
  const prepare = (bytes: Buffer) =>
    pictures.prepare(bytes, 'application/dicom', async (part) => {
      plain += part.length;
    });
  try {
    const prepared = await prepare(file);
    const took = performance.now() - started;
    if (took > TIMEOUT_MS) return `took ${Math.round(took)} ms`;
    if (prepared && !fitsInto(prepared.drawing, prepared.drawing.source === 'file' ? file.length : plain)) {
      return 'a range outside of its blob';
    }
    return prepared?.preview || (await prepare(control))?.preview ? null : 'the next good file was not drawn';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
