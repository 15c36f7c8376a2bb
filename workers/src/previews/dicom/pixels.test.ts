import { factsOfFrame } from '@lightbox/contract/annotations/measuring.js';
import { limits } from '@lightbox/contract/limits.js';
import { element, item, partTen } from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Coding,
  compress,
  dataSet,
  encapsulatedFile,
  nativeFile,
  type Pixels,
  pixelModule,
  type Row,
} from '../../testing/dicom.js';
import { COLOUR, colours, GREY, greys, pixels, prepared, seen, words } from '../../testing/prepared.js';
import { servedBytes, viewerFrame } from '../../testing/viewerFrame.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

const planes = Buffer.from([0, 1, 2].flatMap((sample) => colours.filter((_, i) => i % 3 === sample)));

describe('greys reach a viewer with their values', () => {
  const twelve = { ...GREY, stored: 12, signed: true };
  const small = Array.from({ length: 256 }, (_, i) => (i - 128) * 16);
  const withoutSign = Buffer.from(Uint16Array.from(small, (value) => value & 0xfff).buffer);
  const shifted = Buffer.from(Uint16Array.from(small, (value) => ((value & 0xfff) << 4) | 5).buffer);

  test.each<[string, () => Buffer, number[]]>([
    ...(['explicit', 'implicit', 'deflated'] as Coding[]).map((coding): [string, () => Buffer, number[]] => [
      coding,
      () => nativeFile(GREY, words, coding),
      greys,
    ]),
    ['big endian', () => nativeFile(GREY, Buffer.from(words).swap16(), 'big'), greys],
    ['with more bytes than pixels', () => nativeFile(GREY, Buffer.concat([words, Buffer.alloc(128)])), greys],
    ['of 12 bits without their sign', () => nativeFile(twelve, withoutSign), small],
    ['of 12 bits that are not the lowest', () => nativeFile({ ...twelve, high: 15 }, shifted), small],
    [
      'of 32 bits',
      () => nativeFile({ ...GREY, bits: 32 }, Buffer.from(Uint32Array.from(greys, (v) => v * 70_000).buffer)),
      greys.map((value) => value * 70_000),
    ],
    [
      'of one bit',
      () => nativeFile({ ...GREY, bits: 1 }, Buffer.alloc(32, 0b10101100)),
      Array.from({ length: 256 }, (_, i) => (0b10101100 >> (i % 8)) & 1),
    ],
    ['in fragments without compression', () => encapsulatedFile(GREY, '1.2.840.10008.1.2.1.98', [words]), greys],
    ['in RLE', () => encapsulatedFile(GREY, '1.2.840.10008.1.2.5', [compress('encodeRle', GREY, words)]), greys],
    [
      'in JPEG lossless',
      () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.70', [compress('encodeJpeg', GREY, words)]),
      greys,
    ],
    [
      'in JPEG-LS',
      () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.80', [compress('encodeJpegLs', GREY, words)]),
      greys,
    ],
    [
      'in JPEG 2000',
      () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [compress('encodeJpeg2000', GREY, words)]),
      greys,
    ],
    [
      'in HTJ2K',
      () => encapsulatedFile(GREY, '1.2.840.10008.1.2.4.201', [compress('encodeHtJpeg2000', GREY, words)]),
      greys,
    ],
    [
      'in JPEG 2000 whose sign contradicts the header',
      () =>
        encapsulatedFile({ ...GREY, signed: true }, '1.2.840.10008.1.2.4.90', [
          compress('encodeJpeg2000', GREY, words),
        ]),
      greys.map((value) => (value << 16) >> 16),
    ],
  ])('%s', async (_name, make, values) => {
    expect(await seen(make())).toEqual(values);
  });

  const transformation = (...values: [slope: string, intercept: string]): Row[] => {
    const [slope, intercept] = values;
    const rescale = Buffer.concat([element(0x00281052, 'DS', intercept), element(0x00281053, 'DS', slope)]);
    return [[0x52009229, 'SQ', item(element(0x00289145, 'SQ', item(rescale)))]];
  };
  const ofFile: Row[] = [
    [0x00281052, 'DS', '1'],
    [0x00281053, 'DS', '2'],
  ];

  test.each<[string, Row[], (value: number) => number]>([
    ['by their rescale', [], (value) => value],
    ['behind the rescale of the file', ofFile, (value) => value * 2 + 1],
    // PS3.3 §A.75: every parametric map has it.
    ['as they are, where each frame says so', transformation('1', '0'), (value) => value],
    ['behind the rescale of each frame', transformation('2', '1'), (value) => value * 2 + 1],
  ])('with fractions, %s', async (_how, extra, shown) => {
    const fractions = Float32Array.from(greys, (value) => value / 1000 - 7);
    const file = partTen(
      Buffer.concat([
        dataSet(pixelModule({ ...GREY, bits: 32, extra })),
        element(0x7fe00008, 'OF', Buffer.from(fractions.buffer)),
      ]),
    );
    const { drawing, blob } = await prepared(file);
    const { rescaleSlope = 0, rescaleIntercept = 0, inSteps } = factsOfFrame(drawing.facts, 1);
    expect(inSteps).toBe(true);
    const { values } = await viewerFrame(drawing, blob, 0);
    const off = Array.from(values, (value, i) =>
      Math.abs(value * rescaleSlope + rescaleIntercept - shown(fractions[i] ?? 0)),
    );
    expect(Math.max(...off)).toBeLessThan(0.002);
  });

  test('as whole numbers, whose rescale is that of the file', async () => {
    const { facts } = (await prepared(nativeFile({ ...GREY, extra: ofFile }, words))).drawing;
    expect(facts).toMatchObject({ rescaleSlope: 2, rescaleIntercept: 1 });
    expect(facts).not.toHaveProperty('inSteps');
  });

  test('with fractions, in the window of their own values', async () => {
    const three = Float32Array.from({ length: 256 }, (_, i) => (i % 3) * 0.002);
    const window = Buffer.concat([element(0x00281050, 'DS', '0.502'), element(0x00281051, 'DS', '1.004')]);
    const [[tag, vr, shared]] = transformation('1', '0') as [[number, string, Buffer]];
    const groups = item(Buffer.concat([shared.subarray(8), element(0x00289132, 'SQ', item(window))]));
    const file = partTen(
      Buffer.concat([
        dataSet(pixelModule({ ...GREY, bits: 32, extra: [[tag, vr, groups]] })),
        element(0x7fe00008, 'OF', Buffer.from(three.buffer)),
      ]),
    );
    const { preview } = await prepared(file);
    const drawn = await sharp(preview?.bytes).greyscale().raw().toBuffer();
    expect([...new Set(drawn)]).toEqual([0, 128, 255]);
  });
});

describe('colours reach a viewer as RGB', () => {
  const ybr = (photometric: string): Pixels => ({ ...COLOUR, photometric });
  const toYbr = ([r = 0, g = 0, b = 0]: number[]) =>
    [
      0.299 * r + 0.587 * g + 0.114 * b,
      -0.168736 * r - 0.331264 * g + 0.5 * b + 128,
      0.5 * r - 0.418688 * g - 0.081312 * b + 128,
    ].map(Math.round);
  const all = (of: (pixel: number[]) => number[]) =>
    Buffer.from(Array.from({ length: 64 }, (_, i) => of(colours.slice(i * 3, i * 3 + 3))).flat());
  /** Both pixels of a pair have one colour, so that halving loses nothing. */
  const pairs = Array.from({ length: 64 }, (_, i) => colours.slice((i >> 1) * 3, (i >> 1) * 3 + 3));
  const halved = Buffer.from(
    Array.from({ length: 32 }, (_, pair) => {
      const [y = 0, cb = 0, cr = 0] = toYbr(pairs[pair * 2] as number[]);
      return [y, y, cb, cr];
    }).flat(),
  );
  const wide = Buffer.from(Uint16Array.from(colours, (value) => value * 257).buffer);
  const odd: Pixels = { rows: 3, columns: 3, samples: 3, bits: 8 };

  test.each<[string, () => Buffer, number[]]>([
    ['from pixels', () => nativeFile(COLOUR, pixels, 'explicit', 'OB'), colours],
    ['from planes', () => nativeFile({ ...COLOUR, planar: 1 }, planes, 'explicit', 'OB'), colours],
    ['from YBR', () => nativeFile(ybr('YBR_FULL'), all(toYbr), 'explicit', 'OB'), colours],
    ['from halved YBR', () => nativeFile(ybr('YBR_FULL_422'), halved, 'explicit', 'OB'), pairs.flat()],
    ['of 16 bits', () => nativeFile({ ...COLOUR, bits: 16 }, wide), colours],
    [
      'from an odd number of bytes in big endian words',
      () => nativeFile(odd, Buffer.concat([pixels.subarray(0, 27), Buffer.alloc(1)]).swap16(), 'big'),
      colours.slice(0, 27),
    ],
    ['in RLE', () => encapsulatedFile(COLOUR, '1.2.840.10008.1.2.5', [compress('encodeRle', COLOUR, pixels)]), colours],
    [
      'of 16 bits in RLE',
      () =>
        encapsulatedFile({ ...COLOUR, bits: 16 }, '1.2.840.10008.1.2.5', [
          compress('encodeRle', { ...COLOUR, bits: 16 }, wide),
        ]),
      colours,
    ],
    [
      'in JPEG-LS',
      () => encapsulatedFile(COLOUR, '1.2.840.10008.1.2.4.80', [compress('encodeJpegLs', COLOUR, pixels)]),
      colours,
    ],
    [
      'in JPEG 2000',
      () => encapsulatedFile(COLOUR, '1.2.840.10008.1.2.4.90', [compress('encodeJpeg2000', COLOUR, pixels)]),
      colours,
    ],
  ])('%s', async (_name, make, values) => {
    const found = await seen(make());
    expect(found).toHaveLength(values.length);
    // Numbers of 8 bits in YBR are up to two steps away.
    expect(Math.max(...found.map((value, i) => Math.abs(value - (values[i] ?? 0))))).toBeLessThan(3);
  });

  test('from a palette', async () => {
    const table = (tag: number, of: (i: number) => number): Row[] => [
      [tag, 'US', Buffer.from(Uint16Array.of(64, 0, 16).buffer)],
      [tag + 0x100, 'OW', Buffer.from(Uint16Array.from({ length: 64 }, (_, i) => of(i) * 257).buffer)],
    ];
    const extra = [0, 1, 2].flatMap((colour) => table(0x00281101 + colour, (i) => colours[i * 3 + colour] ?? 0));
    const indexes = Buffer.from(Array.from({ length: 64 }, (_, i) => i));
    const shape: Pixels = { rows: 8, columns: 8, bits: 8, photometric: 'PALETTE COLOR', extra };
    expect(await seen(nativeFile(shape, indexes, 'explicit', 'OB'))).toEqual(colours);
  });

  describe('in JPEG, as the standard and the stream say, whatever a decoder would guess:', () => {
    const BASELINE = '1.2.840.10008.1.2.4.50';
    const red = Buffer.from(Array.from({ length: 64 }, () => [200, 30, 60]).flat());
    const stored = (data: Buffer) => sharp(data, { raw: { width: 8, height: 8, channels: 3 } });
    const jpegOf = (data: Buffer) => stored(data).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
    const JFIF = Buffer.from('ffe000104a46494600010100000100010000', 'hex');

    const near = (found: number[], [r = 0, g = 0, b = 0]: number[]) =>
      Math.max(Math.abs((found[0] ?? 0) - r), Math.abs((found[1] ?? 0) - g), Math.abs((found[2] ?? 0) - b));

    test('a JFIF stream is YBR, also under a header that says RGB', async () => {
      const jpeg = await jpegOf(red);
      const withJfif = Buffer.concat([jpeg.subarray(0, 2), JFIF, jpeg.subarray(2)]);
      expect(near(await seen(encapsulatedFile(COLOUR, BASELINE, [withJfif])), [200, 30, 60])).toBeLessThan(4);
    });

    test('a stream without such a mark is what the header says', async () => {
      // The components of this stream are YBR, and those of `red` are 84, 115 and 211.
      const jpeg = await jpegOf(red);
      const asYbr = encapsulatedFile(ybr('YBR_FULL_422'), BASELINE, [jpeg]);
      expect(near(await seen(asYbr), [200, 30, 60])).toBeLessThan(4);
      const asRgb = encapsulatedFile(COLOUR, BASELINE, [jpeg]);
      expect(near(await seen(asRgb), [84, 115, 211])).toBeLessThan(4);
      // The bytes of the file are served, not a copy of them.
      const { drawing, blob } = await prepared(asRgb);
      expect(drawing.source).toBe('file');
      expect(servedBytes(drawing, blob, 0).includes(jpeg.subarray(2))).toBe(true);
    });
  });
});

test('Greys of 8 bits with a sign are served in 16 bits, because the library of the viewer has no bytes with a sign.', async () => {
  const values = Int8Array.from({ length: 64 }, (_, i) => i * 4 - 128);
  const shape: Pixels = { rows: 8, columns: 8, bits: 8, signed: true };
  const native = nativeFile(shape, Buffer.from(values.buffer), 'explicit', 'OB');
  const rle = encapsulatedFile(shape, '1.2.840.10008.1.2.5', [
    compress('encodeRle', shape, Buffer.from(values.buffer)),
  ]);
  for (const file of [native, rle]) {
    expect((await prepared(file)).drawing.facts).toMatchObject({
      bitsAllocated: 16,
      bitsStored: 8,
      pixelRepresentation: 1,
    });
    expect(await seen(file)).toEqual([...values]);
  }
});

describe('the frames of a film are found', () => {
  const film = { ...GREY, frames: 3 };
  const three = [0, 1, 2].map((frame) => Buffer.from(Uint16Array.from(greys, (value) => value + frame).buffer));
  const streams = () => three.map((data) => compress('encodeJpeg2000', GREY, data));
  const JPEG_2000 = '1.2.840.10008.1.2.4.90';
  const halves = (bytes: Buffer) => [bytes.subarray(0, 400), bytes.subarray(400)];
  const offsets = (fragments: Buffer[], starts: number[]) => {
    const at = fragments.map((_, i) =>
      fragments.slice(0, i).reduce((sum, { length }) => sum + 8 + length + (length % 2), 0),
    );
    return starts.map((start) => at[start] ?? 0);
  };
  const basic = (values: number[]) => Buffer.from(Uint32Array.from(values).buffer);

  test.each<[string, () => Buffer]>([
    ['by one fragment for each', () => encapsulatedFile(film, JPEG_2000, streams())],
    ['by the end of each image', () => encapsulatedFile(film, JPEG_2000, streams().flatMap(halves))],
    [
      'by the Basic Offset Table',
      () => {
        const fragments = streams().flatMap(halves);
        return encapsulatedFile(film, JPEG_2000, fragments, basic(offsets(fragments, [0, 2, 4])));
      },
    ],
    [
      'by the Extended Offset Table',
      () => {
        const fragments = streams().flatMap(halves);
        const table = Buffer.from(BigUint64Array.from(offsets(fragments, [0, 2, 4]).map(BigInt)).buffer);
        const extra: Row[] = [[0x7fe00001, 'OV', table]];
        return encapsulatedFile({ ...film, extra }, JPEG_2000, fragments);
      },
    ],
    [
      'although the table says otherwise',
      () => encapsulatedFile(film, JPEG_2000, streams().flatMap(halves), basic([0, 7, 4_000_000_000])),
    ],
    ['in a row', () => nativeFile(film, Buffer.concat(three))],
  ])('%s', async (_name, make) => {
    const file = make();
    const { drawing, preview } = await prepared(file);
    expect(drawing.facts).toMatchObject({ kind: 'dicom', frames: 3, previewFrame: 2 });
    expect(preview).not.toBeNull();
    for (const frame of [0, 1, 2]) expect((await seen(file, frame))[0]).toBe(frame);
  });

  test('but only the server draws those that would take too much space in a browser’s form', async () => {
    const wide: Pixels = { rows: 2_000, columns: 2_000, samples: 3, bits: 8, frames: 100 };
    const flat = compress('encodeRle', wide, Buffer.alloc(12_000_000, 9));
    const { drawing, blob } = await prepared(
      encapsulatedFile(wide, '1.2.840.10008.1.2.5', Array<Buffer>(100).fill(flat)),
    );
    expect(drawing).toMatchObject({ frames: [], facts: { kind: 'dicom', frames: 100, rows: 2_000 } });
    expect(drawing.source).toBe('file');
    expect(blob.length).toBeLessThan(limits.plainBytes);
  });

  test('and a damaged one has no bytes', async () => {
    const [first, second] = streams() as [Buffer, Buffer, Buffer];
    const other = compress('encodeJpeg2000', { ...GREY, rows: 8 }, three[0]?.subarray(0, 256) ?? first);
    const { drawing } = await prepared(encapsulatedFile(film, JPEG_2000, [first, second, other]));
    expect(drawing.frames.map((parts) => parts.length)).toEqual([1, 1, 0]);
  });
});
