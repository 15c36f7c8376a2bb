import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { damagedDicom } from '@lightbox/testkit/damagedDicom.js';
import {
  element,
  item,
  lyingTables,
  partTen,
  shorts,
  UNDEFINED,
  withPalette,
  withTable,
} from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compress, encapsulatedFile, nativeFile, type Pixels, type Row } from '../testing/dicom.js';
import { loadCodecs } from './dicom/codecs.js';
import { openPictures, type Rendered } from './preview.js';

const pictures = await openPictures(null);
afterAll(pictures.close);
beforeAll(loadCodecs);
const preview = async (bytes: Buffer, type: string) =>
  (await pictures.prepare(bytes, type, async () => undefined))?.preview ?? null;

/** Far below the time limit at which the renderer is killed, on a machine with no other work. */
const TIMEOUT_MS = 15_000;

/** Returns the preview, after it checked the time and that the same process is ready for the next file. */
async function survives(bytes: Buffer, type: string): Promise<Rendered | null> {
  const started = performance.now();
  const result = await preview(bytes, type);
  expect(performance.now() - started).toBeLessThan(whenBusy(TIMEOUT_MS));
  expect(await preview(await plain.png().toBuffer(), 'image/png')).toMatchObject({ width: 30, height: 20 });
  return result;
}

const plain = sharp({ create: { width: 30, height: 20, channels: 3, background: '#345' } });
const BOMB = deflateSync(Buffer.alloc(256 << 20), { level: 9 });

/** Returns a PNG with one more chunk after its header. */
async function pngWith(type: string, body: Buffer): Promise<Buffer> {
  const whole = await plain.png().toBuffer();
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const chunk = Buffer.alloc(typed.length + 8);
  chunk.writeUInt32BE(body.length, 0);
  chunk.set(typed, 4);
  chunk.writeUInt32BE(crc32(typed), typed.length + 4);
  const behindHeader = 8 + 25;
  return Buffer.concat([whole.subarray(0, behindHeader), chunk, whole.subarray(behindHeader)]);
}

/** Returns a JPEG with a colour profile in the highest possible number of APP2 segments. */
async function jpegWithProfile(): Promise<Buffer> {
  const whole = await plain.jpeg().toBuffer();
  const segments = Array.from({ length: 255 }, (_, i) => {
    const segment = Buffer.alloc(65_535, 0xff);
    segment.set([0xff, 0xe2, 0xff, 0xfd], 0);
    segment.set([...Buffer.from('ICC_PROFILE\0', 'latin1'), i + 1, 255], 4);
    return segment;
  });
  return Buffer.concat([whole.subarray(0, 2), ...segments, whole.subarray(2)]);
}

describe('row 36: a picture', () => {
  const text = Buffer.from('Comment\0\0', 'latin1');
  test.each([
    ['a text that unpacks to 256 MB', () => pngWith('zTXt', Buffer.concat([text, BOMB]))],
    [
      'an international text that unpacks to 256 MB',
      () => pngWith('iTXt', Buffer.concat([Buffer.from('Comment\0\x01\0\0\0'), BOMB])),
    ],
    ['a colour profile that unpacks to 256 MB', () => pngWith('iCCP', Buffer.concat([text, BOMB]))],
    [
      'a colour profile that is none',
      () => pngWith('iCCP', Buffer.concat([text, deflateSync(Buffer.from('not a profile'))])),
    ],
    ['a palette that nothing refers to', () => pngWith('PLTE', Buffer.alloc(768, 7))],
  ])('with %s is drawn, in time', async (_name, make) => {
    expect(await survives(await make(), 'image/png')).toMatchObject({ width: 30, height: 20 });
  });

  test('with a colour profile of 16 MB is drawn, in time', async () => {
    expect(await survives(await jpegWithProfile(), 'image/jpeg')).toMatchObject({ width: 30, height: 20 });
  });
});

/** Returns a PDF of these objects in order, with its cross-reference table. */
function pdf(objects: string[], trailer = '<< /Root 1 0 R >>', xref?: string): Buffer {
  let text = '%PDF-1.7\n';
  const at = objects.map((body, i) => {
    const position = text.length;
    text += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return position;
  });
  const rows = at.map((position) => `${String(position).padStart(10, '0')} 00000 n \n`).join('');
  const table = xref ?? `xref\n0 ${at.length + 1}\n0000000000 65535 f \n${rows}trailer\n${trailer}\n`;
  return Buffer.from(`${text}${table}startxref\n${text.length}\n%%EOF\n`, 'latin1');
}
const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 30 60] >>';
const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';

describe('row 38: a PDF', () => {
  test.each<[string, () => Buffer]>([
    ['of 100,000 objects', () => pdf([catalog, pages, page, ...Array<string>(100_000).fill('<< /A [1 2 3] >>')])],
    ['whose pages are their own parents', () => pdf([catalog, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>'])],
    [
      'whose pages go round',
      () =>
        pdf([
          catalog,
          '<< /Type /Pages /Kids [3 0 R] /Count 9 >>',
          '<< /Type /Pages /Kids [2 0 R] /Parent 2 0 R /Count 9 >>',
        ]),
    ],
    [
      'whose table points at itself',
      () => pdf([catalog, pages, page], '', 'xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R /Prev 0 >>\n'),
    ],
    [
      'whose tables go round',
      () => {
        const once = pdf([catalog, pages, page], '<< /Root 1 0 R /Prev 999999 >>').toString('latin1');
        return Buffer.from(once.replace('999999', String(once.indexOf('xref\n')).padEnd(6)), 'latin1');
      },
    ],
    ['whose object is itself', () => pdf([catalog, pages, '3 0 R'])],
    [
      'whose length refers to itself',
      () =>
        pdf([catalog, pages, `${page.slice(0, -2)} /Contents 4 0 R >>`, '<< /Length 4 0 R >>\nstream\nq\nendstream']),
    ],
    [
      'whose form draws itself',
      () =>
        pdf([
          catalog,
          pages,
          `${page.slice(0, -2)} /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>`,
          '<< /Length 5 >>\nstream\n/F Do\nendstream',
          '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >> /Length 5 >>\nstream\n/F Do\nendstream',
        ]),
    ],
    [
      'of a page of 10⁹ points',
      () => pdf([catalog, pages, '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1000000000 1] >>']),
    ],
    [
      'with 20,000 arrays in each other',
      () =>
        pdf([catalog, pages, `<< /Type /Page /Parent 2 0 R /MediaBox ${'['.repeat(20_000)}${']'.repeat(20_000)} >>`]),
    ],
  ])('%s is drawn or not, in time', async (_name, make) => {
    await survives(make(), 'application/pdf');
  });
});

describe('row 43: a palette or a look-up table that', () => {
  // The gateway rejects these. A file that arrives in another way is harmless too.
  test.each(lyingTables)('%s does not end the renderer', async (_name, descriptor, entries) => {
    for (const file of [
      withPalette(descriptor, entries),
      withPalette(descriptor, entries, 255),
      withTable(0x00283000, descriptor, entries),
      withTable(0x00283010, descriptor, entries),
    ]) {
      await survives(file, 'application/dicom');
    }
  });

  test.each<[string, Buffer, Buffer, number]>([
    ['256 entries of 16 bits', shorts(256, 0, 16), Buffer.alloc(512, 0xff), 7],
    ['256 entries of 8 bits', shorts(256, 0, 8), Buffer.alloc(256, 0xff), 7],
    ['65,536 entries', shorts(0, 0, 16), Buffer.alloc(131_072, 0xff), 7],
    ['three entries, and a value behind them', shorts(3, 0, 16), shorts(0, 0, 0xffff), 200],
    ['three entries of 8 bits, and the last of them', shorts(3, 0, 8), Buffer.from([0, 0, 255, 0]), 2],
    ['three entries of 8 bits, and a value behind them', shorts(3, 0, 8), Buffer.from([0, 0, 255, 0]), 200],
    ['three entries, and a value before them', shorts(3, 100, 16), shorts(0xffff, 0, 0), 7],
  ])('has %s is drawn in its colours', async (_name, descriptor, entries, value) => {
    const result = await survives(withPalette(descriptor, entries, value), 'application/dicom');
    expect(await sharp(result?.bytes).removeAlpha().raw().toBuffer()).toEqual(Buffer.alloc(16 * 16 * 3, 255));
  });
});

test('row 46: A damaged DICOM file is drawn or rejected in time.', async () => {
  const drawn = new Set<string>();
  for (const [name, bytes] of Object.entries(damagedDicom)) {
    if (await survives(bytes, 'application/dicom')) drawn.add(name);
  }
  expect(drawn).toContain('with an element twice');
  expect(drawn).not.toContain('that ends before its pixels');
});

describe('A DICOM file', () => {
  const JPEG_2000 = '1.2.840.10008.1.2.4.90';
  const BASELINE = '1.2.840.10008.1.2.4.50';
  const GREY = { rows: 16, columns: 16, bits: 8 };
  const grey = Buffer.alloc(256, 7);
  const word = (value: number) => shorts(value);
  const stream = (change: (bytes: Buffer) => void, shape: Pixels = GREY) => {
    const bytes = compress('encodeJpeg2000', shape, grey);
    change(bytes);
    return bytes;
  };
  const nested = (depth: number) => {
    const levels = Array.from({ length: depth }, () =>
      Buffer.concat([element(0x0040a730, 'SQ', '', UNDEFINED), item(Buffer.alloc(0), UNDEFINED)]),
    );
    return partTen(Buffer.concat(levels));
  };
  const overlay: Row[] = [
    [0x60000010, 'US', 65_535],
    [0x60000011, 'US', 65_535],
    [0x60000015, 'IS', '99999'],
    [0x60003000, 'OW', Buffer.alloc(64)],
  ];
  const segments: Row[] = [0x00281101, 0x00281102, 0x00281103].flatMap((tag): Row[] => [
    [tag, 'US', shorts(0, 0, 16)],
    // Copies of 65,535 segments from the start, which are copies too.
    [tag + 0x120, 'OW', Buffer.concat(Array.from({ length: 8_000 }, () => shorts(2, 65_535, 0, 0)))],
  ]);
  const waveform = item(
    Buffer.concat([
      element(0x003a0005, 'US', 1),
      element(0x003a0010, 'UL', Buffer.alloc(4, 0xff)),
      element(0x003a001a, 'DS', '1'),
      element(0x54001006, 'CS', 'SS'),
      element(0x54001010, 'OW', Buffer.alloc(64)),
    ]),
  );
  const million = Buffer.concat([
    element(0x0040a730, 'SQ', '', 8_000_000),
    ...Array<Buffer>(1_000_000).fill(item(Buffer.alloc(0))),
  ]);

  test.each<[what: string, make: () => Buffer, kind: string]>([
    [
      'whose JPEG 2000 stream says 2³¹ rows',
      () => encapsulatedFile(GREY, JPEG_2000, [stream((b) => b.writeUInt32BE(2 ** 31, 12))]),
      'none',
    ],
    [
      'whose header says more rows than the stream',
      () => encapsulatedFile({ ...GREY, rows: 7_000, columns: 7_000 }, JPEG_2000, [stream(() => undefined)]),
      'none',
    ],
    [
      'whose JPEG stream says 65,535 rows',
      () => encapsulatedFile(GREY, BASELINE, [Buffer.from('ffd8ffc0000b08ffffffff01011100ffda', 'hex')]),
      'none',
    ],
    [
      'of 50,000 fragments of one frame',
      () => encapsulatedFile(GREY, JPEG_2000, Array<Buffer>(50_000).fill(word(0))),
      'none',
    ],
    [
      'of 200,000 fragments around a good stream',
      () => encapsulatedFile(GREY, JPEG_2000, [stream(() => undefined), ...Array<Buffer>(200_000).fill(word(0xd9ff))]),
      'dicom',
    ],
    [
      'with an Extended Offset Table that points out of the file',
      () =>
        encapsulatedFile({ ...GREY, frames: 2, extra: [[0x7fe00001, 'OV', Buffer.alloc(16, 0xee)]] }, JPEG_2000, [
          stream(() => undefined),
          stream(() => undefined),
        ]),
      'dicom',
    ],
    [
      'of RLE segments outside of their fragment',
      () => encapsulatedFile(GREY, '1.2.840.10008.1.2.5', [Buffer.alloc(64, 0xfe)]),
      'dicom',
    ],
    ['with 2,000 sequences in each other', () => nested(2_000), 'none'],
    ['with a million items', () => partTen(million), 'none'],
    ['with an overlay of 65,535 rows', () => nativeFile({ ...GREY, extra: overlay }, grey), 'dicom'],
    [
      'with palettes that copy their copies',
      () => nativeFile({ ...GREY, photometric: 'PALETTE COLOR', extra: segments }, grey),
      'none',
    ],
    ['with a waveform of 2³² samples', () => partTen(element(0x54000100, 'SQ', waveform)), 'none'],
    [
      'that inflates to a gigabyte',
      () => partTen(deflateRawSync(Buffer.alloc(1 << 30)), '1.2.840.10008.1.2.1.99'),
      'unreadable',
    ],
    [
      'of 100,000 frames of one pixel',
      () => nativeFile({ rows: 1, columns: 1, bits: 8, samples: 3, planar: 1, frames: 100_000 }, Buffer.alloc(300_000)),
      'dicom',
    ],
    ['of 10⁹ frames', () => nativeFile({ ...GREY, frames: 1_000_000_000 }, grey), 'none'],
  ])('%s ends in a clear state, in time', async (_what, make, kind) => {
    const file = make();
    const started = performance.now();
    const prepared = await pictures.prepare(file, 'application/dicom', async () => undefined);
    expect(performance.now() - started).toBeLessThan(whenBusy(TIMEOUT_MS));
    expect(prepared?.drawing.facts.kind ?? 'unreadable').toBe(kind);
    expect(await preview(await plain.png().toBuffer(), 'image/png')).toMatchObject({ width: 30 });
  });
});
