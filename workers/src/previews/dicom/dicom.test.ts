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
import { servedBytes, viewerFrame } from '../../testing/viewerFrame.js';
import { prepare } from '../prepare.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

const TYPE = 'application/dicom';

/** Prepares a file, and returns its drawing with the blob that its frames refer to. */
async function prepared(file: Buffer) {
  const parts: Buffer[] = [];
  const result = await prepare(file, TYPE, async (part) => void parts.push(Buffer.from(part)));
  return { ...result, blob: result.drawing.source === 'file' ? file : Buffer.concat(parts) };
}

/** Returns the values of a frame, from 0, as a viewer reads them. */
async function seen(file: Buffer, frame = 0): Promise<number[]> {
  const { drawing, blob } = await prepared(file);
  return Array.from((await viewerFrame(drawing, blob, frame)).values);
}

const GREY: Pixels = { rows: 16, columns: 16, bits: 16 };
const greys = Array.from({ length: 256 }, (_, i) => i * 200);
const words = Buffer.from(Uint16Array.from(greys).buffer);
/** 8 × 8 pixels, each with another colour. */
const COLOUR: Pixels = { rows: 8, columns: 8, samples: 3, bits: 8 };
const colours = Array.from({ length: 64 }, (_, i) => [i * 4, 255 - i * 4, (i * 37) % 256]).flat();
const pixels = Buffer.from(colours);
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

  test('with fractions, by their rescale', async () => {
    const fractions = Float32Array.from(greys, (value) => value / 1000 - 7);
    const file = partTen(
      Buffer.concat([
        dataSet(pixelModule({ ...GREY, bits: 32 })),
        element(0x7fe00008, 'OF', Buffer.from(fractions.buffer)),
      ]),
    );
    const { drawing, blob } = await prepared(file);
    const { rescaleSlope = 0, rescaleIntercept = 0 } = drawing.facts;
    const { values } = await viewerFrame(drawing, blob, 0);
    const off = Array.from(values, (value, i) =>
      Math.abs(value * rescaleSlope + rescaleIntercept - (fractions[i] ?? 0)),
    );
    expect(Math.max(...off)).toBeLessThan(0.001);
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

describe('a file', () => {
  test('is drawn, although the files before it damaged the memory of its codec', async () => {
    const stream = compress('encodeJpeg2000', GREY, words);
    const cut = encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [stream.subarray(0, 60)]);
    for (let i = 0; i < 20; i++) expect((await prepared(cut)).preview).toBeNull();
    expect(await seen(encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [stream]))).toEqual(greys);
  });

  test('that says JPEG and has an implicit data set is read', async () => {
    const jpeg = await sharp(pixels, { raw: { width: 8, height: 8, channels: 3 } })
      .jpeg()
      .toBuffer();
    const even = jpeg.length % 2 === 0 ? jpeg : Buffer.concat([jpeg, Buffer.alloc(1)]);
    const head = dataSet(pixelModule(COLOUR), 'implicit');
    const start = Buffer.from('e07f1000ffffffff', 'hex');
    const file = partTen(Buffer.concat([head, start, item(Buffer.alloc(0)), item(even)]), '1.2.840.10008.1.2.4.50');
    expect((await prepared(file)).drawing.facts).toMatchObject({ kind: 'dicom', rows: 8 });
  });

  test('without preamble and meta header is read', async () => {
    const data = dataSet([...pixelModule(GREY), [0x7fe00010, 'OW', words]]);
    expect(await seen(data)).toEqual(greys);
  });

  test('shows its overlay, which leaves the values of the pixels alone', async () => {
    const bits = Buffer.alloc(32);
    bits[0] = 1;
    const extra: Row[] = [
      [0x60000010, 'US', 16],
      [0x60000011, 'US', 16],
      [0x60000050, 'SS', Buffer.from([1, 0, 1, 0])],
      [0x60000100, 'US', 1],
      [0x60000102, 'US', 0],
      [0x60003000, 'OW', bits],
    ];
    const file = nativeFile({ ...GREY, extra }, words);
    expect(await seen(file)).toEqual(greys);
    const { drawing, preview } = await prepared(file);
    expect(drawing.facts.overlays).toMatchObject([{ rows: 16, columns: 16, originRow: 1, originColumn: 1 }]);
    const { data } = await sharp(preview?.bytes).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
    expect([data[0], data[1]]).toEqual([255, 1]);
  });

  test('is shown through its window, by the function that it names', async () => {
    const shades = async (extra: Row[]) => {
      const { preview } = await prepared(nativeFile({ ...GREY, extra }, words));
      return Array.from(await sharp(preview?.bytes).extractChannel(0).raw().toBuffer());
    };
    const window: Row[] = [
      [0x00281050, 'DS', '20000'],
      [0x00281051, 'DS', '20000'],
    ];
    // PS3.3 §C.11.2.1.2: black up to 10,000 and white from 30,000 on.
    const linear = await shades(window);
    expect([linear[50], linear[100], linear[150]]).toEqual([0, 128, 255]);
    const sigmoid = await shades([...window, [0x00281056, 'CS', 'SIGMOID']]);
    expect([sigmoid[50], sigmoid[100], sigmoid[150]]).toEqual([30, 128, 225]);
    const inverted = await shades([...window, [0x00280004, 'CS', 'MONOCHROME1']]);
    expect([inverted[50], inverted[150]]).toEqual([0, 255]);
  });

  test('lists its tags, nested and private ones too, in its character set', async () => {
    const nested = Buffer.concat([item(element(0x00080100, 'SH', 'T-1'))]);
    const set = dataSet([
      [0x00080005, 'CS', 'ISO_IR 100'],
      [0x00081140, 'SQ', nested],
      [0x00090010, 'LO', 'Maker'],
      [0x00100010, 'PN', Buffer.from('M\u00fcller^A ', 'latin1')],
      ...pixelModule(GREY).slice(1),
      [0x7fe00010, 'OW', words],
    ]);
    const { tags } = await prepared(partTen(set));
    expect(tags).toContainEqual({
      tag: '00100010',
      keyword: 'PatientName',
      vr: 'PN',
      value: 'M\u00fcller^A',
      private: false,
    });
    expect(tags).toContainEqual({
      tag: '00080100',
      keyword: 'CodeValue',
      vr: 'SH',
      value: 'T-1',
      private: false,
      depth: 1,
    });
    expect(tags).toContainEqual({ tag: '00090010', vr: 'LO', value: 'Maker', private: true });
    expect(tags).toContainEqual({
      tag: '7fe00010',
      keyword: 'PixelData',
      vr: 'OW',
      value: '512 bytes',
      private: false,
    });
  });
});

describe('an enhanced file', () => {
  test('has the facts of each frame, and as its own those of its preview', async () => {
    const group = (tag: number, body: Buffer) => element(tag, 'SQ', item(body));
    const frameAt = (z: number, center: number) =>
      item(
        Buffer.concat([
          group(0x00209113, element(0x00200032, 'DS', `1\\2\\${z}`)),
          group(
            0x00289132,
            Buffer.concat([element(0x00281050, 'DS', String(center)), element(0x00281051, 'DS', '80')]),
          ),
        ]),
      );
    const shared = item(group(0x00289110, element(0x00280030, 'DS', '0.5\\0.25')));
    const extra: Row[] = [
      [0x52009229, 'SQ', shared],
      [0x52009230, 'SQ', Buffer.concat([frameAt(3, 40), frameAt(4, 50), frameAt(5, 60)])],
    ];
    const file = nativeFile({ ...GREY, frames: 3, extra }, Buffer.concat([words, words, words]));
    const { facts } = (await prepared(file)).drawing;
    expect(facts.perFrame?.map(({ position, windows }) => [position?.[2], windows?.[0]?.center])).toEqual([
      [3, 40],
      [4, 50],
      [5, 60],
    ]);
    expect(facts).toMatchObject({
      position: [1, 2, 4],
      pixelSpacing: [0.5, 0.25],
      windows: [{ center: 50, width: 80 }],
    });
  });
});

describe('the scale of a picture', () => {
  const scaleOf = async (extra: Row[]) => {
    const { facts } = (await prepared(nativeFile({ ...GREY, extra }, words))).drawing;
    return [facts.pixelSpacing, facts.spacingAt];
  };

  test('is that of the patient, or that of the detector and says so', async () => {
    expect(await scaleOf([])).toEqual([undefined, undefined]);
    expect(await scaleOf([[0x00280030, 'DS', '0.5\\0.25']])).toEqual([[0.5, 0.25], 'patient']);
    expect(await scaleOf([[0x00181164, 'DS', '0.2\\0.2']])).toEqual([[0.2, 0.2], 'detector']);
    const magnified: Row[] = [
      [0x00181114, 'DS', '2'],
      [0x00181164, 'DS', '0.2\\0.2'],
    ];
    expect(await scaleOf(magnified)).toEqual([[0.1, 0.1], 'detector']);
  });
});

describe('a file without pixels', () => {
  const code = (meaning: string) => item(element(0x00080104, 'LO', meaning));
  const sequence = (tag: number, ...items: Buffer[]) => element(tag, 'SQ', Buffer.concat(items));

  test('becomes a readable page: a structured report', async () => {
    const finding = item(
      Buffer.concat([
        element(0x0040a040, 'CS', 'TEXT'),
        sequence(0x0040a043, code('Finding')),
        element(0x0040a160, 'UT', 'No fracture.'),
      ]),
    );
    const section = item(Buffer.concat([sequence(0x0040a043, code('Findings')), sequence(0x0040a730, finding)]));
    const set = Buffer.concat([
      element(0x00080060, 'CS', 'SR'),
      sequence(0x0040a043, code('Chest X-ray')),
      sequence(0x0040a730, section),
    ]);
    const { drawing, preview } = await prepared(partTen(set));
    expect(preview).toMatchObject({ width: 362, height: 512 });
    expect(drawing.facts).toMatchObject({ kind: 'report', frames: 0, modality: 'SR' });
    expect(drawing.facts.report).toEqual({
      title: 'Chest X-ray',
      lines: [
        { depth: 0, label: 'Findings', text: '' },
        { depth: 1, label: 'Finding', text: 'No fracture.' },
      ],
    });
  });

  test('becomes the pages of its encapsulated PDF', async () => {
    const pdf =
      '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
      '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 600] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n';
    const { drawing, preview } = await prepared(partTen(element(0x00420011, 'OB', Buffer.from(pdf.padEnd(500)))));
    expect(preview).toMatchObject({ width: 256, height: 512 });
    expect(drawing.facts).toMatchObject({ kind: 'report', frames: 1, report: { pdf: true } });
    expect(drawing.frames).toEqual([]);
  });

  test('becomes the curves of its waveform, in their unit, with every peak', async () => {
    const samples = Int16Array.from({ length: 10_000 }, (_, i) => (i === 7_777 ? 400 : i % 5));
    const channel = item(
      Buffer.concat([
        sequence(0x003a0208, code('Lead I')),
        element(0x003a0210, 'DS', '2.5'),
        sequence(0x003a0211, item(element(0x00080100, 'SH', 'uV'))),
        element(0x003a0213, 'DS', '0'),
      ]),
    );
    const count = Buffer.alloc(4);
    count.writeUInt32LE(10_000);
    const group = item(
      Buffer.concat([
        element(0x003a0005, 'US', 1),
        element(0x003a0010, 'UL', count),
        element(0x003a001a, 'DS', '1000'),
        sequence(0x003a0200, channel),
        element(0x54001006, 'CS', 'SS'),
        element(0x54001010, 'OW', Buffer.from(samples.buffer)),
      ]),
    );
    const { drawing } = await prepared(partTen(sequence(0x54000100, group)));
    const [lead] = drawing.facts.report?.waveforms ?? [];
    expect(lead).toMatchObject({ name: 'Lead I', unit: 'uV', seconds: 10 });
    expect([Math.max(...(lead?.high ?? [])), Math.min(...(lead?.low ?? []))]).toEqual([1_000, 0]);
    expect(lead?.high).toHaveLength(2_000);
  });
});
