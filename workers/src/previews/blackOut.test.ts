import type { BlackRectangle } from '@lightbox/contract/images/blackOut.js';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { compress, encapsulatedFile, nativeFile, type Pixels, type Row } from '../testing/dicom.js';
import { COLOUR, GREY, greys, pixels, words } from '../testing/prepared.js';
import { blackOut } from './blackOut.js';
import { loadCodecs } from './dicom/codecs.js';
import { openDicom } from './dicom/dicomFile.js';
import { openFilm } from './dicom/film.js';
import { plainFrame } from './dicom/plainFrame.js';
import { BlackedOutFacts } from './protocol.js';

beforeAll(loadCodecs);

async function black(file: Buffer, rectangles: BlackRectangle[], contentType = 'application/dicom') {
  const parts: Buffer[] = [];
  await blackOut(file, contentType, rectangles, async (part) => void parts.push(Buffer.from(part)));
  const [first = Buffer.alloc(0), ...rest] = parts;
  return { facts: BlackedOutFacts.parse(JSON.parse(first.toString())), bytes: Buffer.concat(rest) };
}

async function blackDicom(file: Buffer, rectangles: BlackRectangle[]) {
  const { facts, bytes } = await black(file, rectangles);
  if (!('pixels' in facts)) throw new Error('no pixels');
  expect(bytes.length).toBe(facts.pixels.length);
  return { ...facts.pixels, bytes };
}

/** The samples of all frames as the product reads them, before anything is black. */
const before = (file: Buffer): number[] => {
  const film = openFilm(openDicom(file));
  return Array.from({ length: film.frames.count }, (_, frame) => Array.from(plainFrame(film, frame).pixels)).flat();
};
/** The same with black places, of pictures without colours. */
function expected(all: number[], { rows, columns }: Pixels, rectangles: BlackRectangle[], value: number): number[] {
  return all.map((sample, i) => {
    const frame = Math.floor(i / rows / columns) + 1;
    const [x, y] = [i % columns, Math.floor(i / columns) % rows];
    const inside = rectangles.some(
      (one) =>
        x >= one.x0 && x < one.x1 && y >= one.y0 && y < one.y1 && (one.frame === undefined || one.frame === frame),
    );
    return inside ? value : sample;
  });
}
const numbersOf = (bytes: Buffer, bits: number, signed = false): number[] => {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  if (bits === 8) return Array.from(bytes);
  return Array.from(signed ? new Int16Array(buffer) : new Uint16Array(buffer));
};

/** RGB of 8 × 8 pixels with `corner` black. */
const blackened = (all: number[]): number[] =>
  all.map((sample, i) => {
    const [x, y] = [Math.floor(i / 3) % 8, Math.floor(i / 24)];
    return x >= 1 && x < 4 && y >= 2 && y < 5 ? 0 : sample;
  });
const corner: BlackRectangle = { x0: 1, y0: 2, x1: 4, y1: 5 };
const both: BlackRectangle[] = [corner, { x0: 10, y0: 10, x1: 16, y1: 16, frame: 2 }];

describe('a rectangle', () => {
  const film = Buffer.concat([words, words, words]);
  const three: Pixels = { ...GREY, frames: 3 };
  const rle = (data: Buffer) => compress('encodeRle', GREY, data);

  test.each<[string, () => Buffer]>([
    ['native', () => nativeFile(three, film)],
    ['implicit', () => nativeFile(three, film, 'implicit')],
    ['deflated', () => nativeFile(three, film, 'deflated')],
    ['big endian', () => nativeFile(three, Buffer.from(film).swap16(), 'big')],
    ['RLE', () => encapsulatedFile(three, '1.2.840.10008.1.2.5', [rle(words), rle(words), rle(words)])],
    [
      'JPEG 2000',
      () =>
        encapsulatedFile(
          { ...three },
          '1.2.840.10008.1.2.4.90',
          [0, 1, 2].map(() => compress('encodeJpeg2000', GREY, words)),
        ),
    ],
    [
      'JPEG-LS',
      () =>
        encapsulatedFile(
          { ...three },
          '1.2.840.10008.1.2.4.80',
          [0, 1, 2].map(() => compress('encodeJpegLs', GREY, words)),
        ),
    ],
  ])('of %s frames is black in every frame or in its own, and nothing else changes', async (_name, file) => {
    const made = await blackDicom(file(), both);
    expect(made).toMatchObject({ bitsAllocated: 16, photometric: 'MONOCHROME2', samples: 1 });
    expect(made.padding).toBeUndefined();
    expect(numbersOf(made.bytes, 16)).toEqual(expected([...greys, ...greys, ...greys], GREY, both, 0));
  });

  test('of MONOCHROME1 has the highest value, and of signed values the lowest, which viewers leave out of the window', async () => {
    const inverted = await blackDicom(
      nativeFile({ ...GREY, stored: 12, photometric: 'MONOCHROME1' }, Buffer.alloc(512, 1)),
      [corner],
    );
    expect(numbersOf(inverted.bytes, 16)[2 * 16 + 1]).toBe(4095);
    const signed = await blackDicom(nativeFile({ ...GREY, signed: true }, words), [corner]);
    expect(numbersOf(signed.bytes, 16, true)[2 * 16 + 1]).toBe(-32_768);
    expect(signed.padding).toBe(-32_768);
  });

  test('of a palette has its darkest colour', async () => {
    const table = (bytes: number[]) => Buffer.from(bytes);
    const extra: Row[] = [0x00281101, 0x00281102, 0x00281103].flatMap((tag): Row[] => [
      [tag, 'US', Buffer.from([4, 0, 0, 0, 8, 0])],
      [tag + 0x100, 'OW', table([200, 90, 3, 255])],
    ]);
    const shape: Pixels = { rows: 8, columns: 8, bits: 8, photometric: 'PALETTE COLOR', extra };
    const made = await blackDicom(nativeFile(shape, Buffer.alloc(64, 1), 'explicit', 'OB'), [corner]);
    expect(numbersOf(made.bytes, 8)).toEqual(expected(Array(64).fill(1), shape, [corner], 2));
  });

  test.each<[string, Pixels, Buffer]>([
    ['RGB', COLOUR, pixels],
    [
      'RGB in planes',
      { ...COLOUR, planar: 1 },
      Buffer.concat([0, 1, 2].map((c) => pixels.filter((_, i) => i % 3 === c))),
    ],
    ['YBR', { ...COLOUR, photometric: 'YBR_FULL' }, pixels],
    ['halved YBR', { ...COLOUR, photometric: 'YBR_FULL_422' }, Buffer.alloc(128, 77)],
  ])('of %s is black in all colours', async (_name, shape, data) => {
    const file = nativeFile(shape, data, 'explicit', 'OB');
    const made = await blackDicom(file, [corner]);
    expect(made).toMatchObject({ photometric: 'RGB', samples: 3, bitsAllocated: 8, length: 192 });
    expect(Array.from(made.bytes)).toEqual(blackened(before(file)));
  });

  test('of a JPEG in DICOM is black in the decoded colours', async () => {
    const jpeg = await sharp(pixels, { raw: { width: 8, height: 8, channels: 3 } })
      .jpeg()
      .toBuffer();
    const file = encapsulatedFile({ ...COLOUR, photometric: 'YBR_FULL_422' }, '1.2.840.10008.1.2.4.50', [jpeg]);
    const made = await blackDicom(file, [corner]);
    expect(made).toMatchObject({ photometric: 'RGB', bitsAllocated: 8 });
    expect(Array.from(made.bytes)).toEqual(blackened(before(file)));
  });

  test('of pixels of one bit is black, and they are packed again', async () => {
    const shape: Pixels = { rows: 8, columns: 8, bits: 1, frames: 2 };
    const made = await blackDicom(nativeFile(shape, Buffer.alloc(16, 0xff), 'explicit', 'OB'), [
      { x0: 0, y0: 1, x1: 4, y1: 2, frame: 2 },
    ]);
    expect(made).toMatchObject({ bitsAllocated: 1, bitsStored: 1, length: 16 });
    expect(made.bytes).toEqual(Buffer.from([...Array(9).fill(0xff), 0xf0, ...Array(6).fill(0xff)]));
  });
});

describe('text in places that nobody draws', () => {
  test('is gone: bits beside the sample, and bytes behind the last frame', async () => {
    const overlaid = Buffer.from(Uint16Array.from({ length: 256 }, (_, i) => i | 0x8000).buffer);
    const file = nativeFile({ ...GREY, stored: 12 }, Buffer.concat([overlaid, Buffer.from('Khan^Aisha')]));
    const made = await blackDicom(file, [corner]);
    expect(made.bytes.includes('Khan')).toBe(false);
    expect(numbersOf(made.bytes, 16)).toEqual(
      expected(
        Array.from({ length: 256 }, (_, i) => i),
        GREY,
        [corner],
        0,
      ),
    );
  });

  test('stops the copy where frames are missing, or another syntax hides them', async () => {
    const short = nativeFile({ ...GREY, frames: 3 }, words);
    await expect(black(short, [corner])).rejects.toThrow();
    const video = encapsulatedFile(COLOUR, '1.2.840.10008.1.2.4.102', [Buffer.alloc(64)]);
    await expect(black(video, [corner])).rejects.toThrow();
    await expect(black(Buffer.from('%PDF-1.4'), [corner], 'application/pdf')).rejects.toThrow();
  });

  test('A rectangle outside of the picture makes no copy.', async () => {
    await expect(black(nativeFile(GREY, words), [{ x0: 16, y0: 0, x1: 20, y1: 3 }])).rejects.toThrow();
  });
});

describe('a picture', () => {
  const rgb = Buffer.from(Array.from({ length: 20 * 10 * 3 }, (_, i) => (i * 7) % 256));
  const raw = { raw: { width: 20, height: 10, channels: 3 as const } };
  const seen = async (bytes: Buffer) => sharp(bytes).raw({ depth: 'ushort' }).toBuffer({ resolveWithObject: true });

  test('stands upright, has its places black and the others as they were, and no metadata', async () => {
    const jpeg = await sharp(rgb, raw)
      .jpeg({ quality: 95 })
      .withExif({ IFD0: { ImageDescription: 'Khan', Orientation: '6' } })
      .toBuffer();
    const upright = await sharp(jpeg).autoOrient().raw().toBuffer({ resolveWithObject: true });
    const { facts, bytes } = await black(jpeg, [corner], 'image/jpeg');
    expect(facts).toEqual({ picture: { length: bytes.length } });
    const made = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: upright.info.width });
    expect(bytes.includes('Khan')).toBe(false);
    const { width } = upright.info;
    for (let i = 0; i < 200; i++) {
      const [x, y] = [i % width, Math.floor(i / width)];
      const inside = x >= 1 && x < 4 && y >= 2 && y < 5;
      expect(Array.from(made.data.subarray(i * 3, i * 3 + 3))).toEqual(
        inside ? [0, 0, 0] : Array.from(upright.data.subarray(i * 3, i * 3 + 3)),
      );
    }
  });

  test('of 16 bits or with transparent places keeps both', async () => {
    const deep = Uint16Array.from({ length: 200 }, (_, i) => i * 301);
    const grey = await sharp(deep, { raw: { width: 20, height: 10, channels: 1 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    const made = await black(grey, [corner], 'image/png');
    const now = await sharp(made.bytes).toColourspace('grey16').raw({ depth: 'ushort' }).toBuffer();
    expect(numbersOf(now, 16)).toEqual(expected(Array.from(deep), { rows: 10, columns: 20, bits: 16 }, [corner], 0));
    const clear = await sharp({
      create: { width: 20, height: 10, channels: 4, background: { r: 9, g: 8, b: 7, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const opaque = await seen((await black(clear, [corner], 'image/png')).bytes);
    expect(opaque.info.channels).toBe(4);
    const at = (2 * 20 + 1) * 4;
    expect(
      numbersOf(opaque.data, 16)
        .slice(at, at + 4)
        .map((value) => value >> (value > 255 ? 8 : 0)),
    ).toEqual([0, 0, 0, 255]);
  });
});
