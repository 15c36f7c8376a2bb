import { deflateRawSync, deflateSync, inflateRawSync } from 'node:zlib';
import { limits } from '@lightbox/contract/limits.js';
import { element, partTen } from '@lightbox/testkit/part10.js';
import { describe, expect, it } from 'vitest';
import { DEFLATED } from '../imaging/encoding.js';
import { readHead } from '../imaging/head.js';
import { InflatedReader } from '../imaging/inflated.js';
import type { Source } from '../imaging/source.js';
import { type Copy, sizeOf, wholeCopy } from './change.js';
import { copyOfDicom } from './copy.js';
import { deidentifyDicom, fileMeta } from './dicom.js';
import type { Pixels } from './elements.js';
import { deidentifyJpeg, deidentifyPng, orientationOf } from './pictures.js';
import { atOnce } from './steps.js';
import { daysOf, disguisedUid, movedDates } from './values.js';

type Value = string | number | Buffer | Elements[];
type Elements = [tag: number, vr: string, value: Value][];
interface Encoding {
  implicit?: boolean;
  big?: boolean;
}
const LONG = new Set(['OB', 'OW', 'SQ', 'UN', 'UT', 'UC']);

/** Writes elements in one of the three encodings. */
function written(elements: Elements, encoding: Encoding): Buffer {
  const { implicit, big } = encoding;
  const u16 = (value: number) => Buffer.from(big ? [value >> 8, value & 255] : [value & 255, value >> 8]);
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (big) bytes.writeUInt32BE(value);
    else bytes.writeUInt32LE(value);
    return bytes;
  };
  const tagOf = (tag: number) => Buffer.concat([u16(tag >>> 16), u16(tag & 0xffff)]);
  return Buffer.concat(
    elements.flatMap(([tag, vr, value]) => {
      const bytes = Array.isArray(value)
        ? Buffer.concat(
            value.map((one) => {
              const body = written(one, encoding);
              return Buffer.concat([tagOf(0xfffee000), u32(body.length), body]);
            }),
          )
        : Buffer.isBuffer(value)
          ? value
          : typeof value === 'number'
            ? u16(value)
            : Buffer.from(value.length % 2 ? value + (vr === 'UI' ? '\0' : ' ') : value, 'latin1');
      if (implicit) return [tagOf(tag), u32(bytes.length), bytes];
      const head = [tagOf(tag), Buffer.from(vr, 'latin1')];
      return LONG.has(vr) ? [...head, u16(0), u32(bytes.length), bytes] : [...head, u16(bytes.length), bytes];
    }),
  );
}

function file(elements: Elements, syntax: string, encoding: Encoding): Buffer {
  const set = written(elements, encoding);
  const meta = written(
    [
      [0x00020002, 'UI', '1.2.840.10008.5.1.4.1.1.2'],
      [0x00020003, 'UI', '1.2.3.4'],
      [0x00020010, 'UI', syntax],
      [0x00020016, 'AE', 'KHANROOM'],
    ],
    {},
  );
  const body = syntax.endsWith('1.99') ? deflateRawSync(set) : set;
  return Buffer.concat([Buffer.alloc(128, 'x'), Buffer.from('DICM'), meta, body]);
}

const pixels = Buffer.from(Array.from({ length: 64 }, (_, i) => i * 3));
/** The elements that say how long these pixels are. */
const shape: Elements = [
  [0x00280002, 'US', 1],
  [0x00280010, 'US', 8],
  [0x00280011, 'US', 8],
  [0x00280100, 'US', 8],
];
const elements: Elements = [
  [0x00080000, 'UL', Buffer.alloc(4)],
  [0x00080005, 'CS', 'ISO_IR 100'],
  [0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2'],
  [0x00080018, 'UI', '1.2.3.4'],
  [0x00080020, 'DA', '20240229'],
  [0x00080030, 'TM', '101500'],
  [0x00080050, 'SH', 'ACC4711'],
  [0x00080060, 'CS', 'CT'],
  [0x00080070, 'LO', 'Maker'],
  [0x00080080, 'LO', 'St. Mary'],
  [0x00080082, 'SQ', [[[0x00080100, 'SH', 'Mary']]]],
  [0x00080090, 'PN', 'Zoeller^Anna'],
  [0x00081110, 'SQ', [[[0x00081155, 'UI', '1.2.3.6']]]],
  [0x00081140, 'SQ', [[[0x00081155, 'UI', '1.2.3.5']]]],
  [0x00091001, 'LO', 'Khan private'],
  [0x00100010, 'PN', 'Khan^Aisha'],
  [0x00100020, 'LO', 'MRN-0815'],
  [0x00100030, 'DA', '19610315'],
  [0x00101010, 'AS', '062Y'],
  [0x00180015, 'CS', 'CHEST'],
  [0x00189004, 'CS', 'PRODUCT'],
  // Not in the table: a text that names the patient even so.
  [0x00189073, 'LO', 'as wished by khan'],
  [0x0020000d, 'UI', '1.2.3'],
  [0x00200052, 'UI', '1.2.840.10008.1.4.1.1'],
  ...shape,
  [0x60000010, 'US', 8],
  [0x60003000, 'OW', Buffer.alloc(8, 255)],
  [0x7fe00010, 'OW', pixels],
  [0xfffafffa, 'SQ', [[[0x04000115, 'OB', Buffer.from('signed by Khan')]]]],
];

const key = Buffer.alloc(32, 1);
const disguise = { key, days: () => -100 };

function copyOf(original: Buffer): { copy: Copy; bytes: Buffer } {
  const end = ({ from, length }: Pixels) => from + (length ?? 0);
  const meta = fileMeta(original, true);
  const isDeflated = meta.syntax === DEFLATED;
  const set = isDeflated
    ? { bytes: inflateRawSync(original.subarray(meta.end)), at: 0, isWhole: true }
    : { bytes: original, at: meta.end, isWhole: true };
  const copy: Copy = {
    ...atOnce(deidentifyDicom(meta, set, disguise, end)),
    ...(isDeflated ? { deflatedFrom: meta.end } : {}),
  };
  expect(copy.size).toBe(sizeOf(copy.parts));
  return { copy, bytes: wholeCopy(copy, original) };
}

describe.each([
  ['explicit little endian', '1.2.840.10008.1.2.1', {}],
  ['implicit little endian', '1.2.840.10008.1.2', { implicit: true }],
  ['explicit big endian', '1.2.840.10008.1.2.2', { big: true }],
  ['deflated', '1.2.840.10008.1.2.1.99', {}],
])('a file in %s', (_, syntax, encoding: Encoding) => {
  const original = file(elements, syntax, encoding);
  const { copy, bytes } = copyOf(original);
  const metaEnd = bytes.indexOf('LIGHTBOX') + 8;
  const set = bytes.subarray(metaEnd);
  const rows = new Map(copy.rows.map((row) => [row.tag, row.value]));

  it('has nothing left that identifies the patient, in its elements or among its bytes', () => {
    const all = Buffer.concat([bytes, set]).toString('latin1').toLowerCase();
    for (const trace of ['khan', 'mrn-0815', 'acc4711', 'zoeller', 'mary', '19610315', '062y', '20240229', 'signed'])
      expect(all, trace).not.toContain(trace);
    for (const tag of ['00091001', '00101010', '60000010', '60003000', '00080000']) expect(rows.has(tag)).toBe(false);
    expect(bytes.subarray(0, 128)).toEqual(Buffer.alloc(128));
    expect(set).not.toContain(Buffer.from('1.2.3.'));
  });

  it('has no empty sequence that must have an item', () => {
    for (const tag of ['00080082', '00081110']) expect(rows.has(tag), tag).toBe(false);
  });

  it('keeps its pixels, its transfer syntax unless it is deflated, and what describes the picture', () => {
    expect(set.includes(pixels)).toBe(true);
    expect(set.subarray(-pixels.length)).toEqual(pixels);
    expect(rows.get('00020010')).toBe(syntax === DEFLATED ? '1.2.840.10008.1.2.1' : syntax);
    expect(rows.get('00180015')).toBe('CHEST');
    // Without a VR the bytes say nothing of their kind.
    expect(rows.get('00280010')).toBe(encoding.implicit ? '2 bytes' : '8');
    expect(rows.get('00080070')).toBe('Maker');
  });

  it('has new UIDs that agree with each other, moved dates, and says so', () => {
    const instance = disguisedUid(disguise, '1.2.3.4');
    expect(rows.get('00020003')).toBe(instance);
    expect(rows.get('00080018')).toBe(instance);
    expect(rows.get('00081155')).toBe(disguisedUid(disguise, '1.2.3.5'));
    expect(rows.get('00200052')).toBe('1.2.840.10008.1.4.1.1');
    expect(rows.get('00080020')).toBe('20231121');
    expect(rows.get('00080030')).toBe('101500');
    expect(rows.get('00100020')).toMatch(/^ANON-[0-9A-F]{10}$/);
    expect([rows.get('00120062'), rows.get('00280303'), rows.get('00120064')]).toEqual(['YES', 'MODIFIED', '2 items']);
    for (const code of ['113100', '113107']) expect(set.includes(code)).toBe(true);
  });

  it('is named with its differences', () => {
    expect(copy.changes).toEqual(
      expect.arrayContaining([
        { tag: '00100010', keyword: 'PatientName', action: 'emptied', before: 'Khan^Aisha' },
        { tag: '00080020', keyword: 'StudyDate', action: 'shifted', before: '20240229', after: '20231121' },
        { tag: '00101010', keyword: 'PatientAge', action: 'removed', before: '062Y' },
        { tag: '00091001', keyword: '', action: 'removed', before: 'Khan private' },
      ]),
    );
    expect(copy.changes.some(({ tag }) => tag === '00180015' || tag === '00080030')).toBe(false);
  });

  it('is the same when it is de-identified again, but for its UIDs and dates', () => {
    expect(copyOf(bytes).copy.changes.filter(({ action }) => action === 'removed' || action === 'emptied')).toEqual([]);
  });
});

it('a report keeps its structure and its numbers, and loses its texts and names', () => {
  const original = file(
    [
      [0x00080005, 'CS', 'ISO_IR 192'],
      [0x00080060, 'CS', 'SR'],
      [0x0040a040, 'CS', 'CONTAINER'],
      [
        0x0040a730,
        'SQ',
        [
          [
            [0x0040a040, 'CS', 'TEXT'],
            [0x0040a160, 'UT', 'Seen with Mrs. Khan'],
          ],
          [
            [0x0040a040, 'CS', 'PNAME'],
            [0x0040a123, 'PN', 'Khan^Aisha'],
          ],
          [[0x0040a300, 'SQ', [[[0x0040a30a, 'DS', '12.5']]]]],
        ],
      ],
    ],
    '1.2.840.10008.1.2.1',
    {},
  );
  const { copy, bytes } = copyOf(original);
  expect(bytes.toString('latin1')).not.toContain('Khan');
  const values = copy.rows.map(({ tag, value }) => `${tag} ${value}`);
  expect(values).toEqual(
    expect.arrayContaining(['0040a730 3 items', '0040a160 REMOVED', '0040a123 REMOVED', '0040a30a 12.5']),
  );
});

it.each([
  ['an encapsulated document', [[0x00420011, 'OB', Buffer.from('%PDF-1.4')]] as Elements],
  ['groups of commands', [[0x00010001, 'LO', 'x']] as Elements],
])('%s cannot be de-identified', (_, set) => {
  expect(() => copyOf(file(set, '1.2.840.10008.1.2.1', {}))).toThrow(
    expect.objectContaining({ code: 'CANNOT_DEIDENTIFY' }),
  );
});

it('a header that is cut off is refused', () => {
  const original = file(elements, '1.2.840.10008.1.2.1', {});
  for (const length of [200, 400, original.indexOf('Aisha')]) {
    expect(() => copyOf(original.subarray(0, length)), String(length)).toThrow(/identity/);
  }
});

it.each([
  [[[0x00280301, 'CS', 'YES']], 'yes'],
  [[[0x00280301, 'CS', 'NO']], 'no'],
  [[[0x00080060, 'CS', 'US']], 'likely'],
  [
    [
      [0x00080008, 'CS', 'DERIVED\\SECONDARY'],
      [0x00080060, 'CS', 'CT'],
    ],
    'likely',
  ],
  [[[0x00080060, 'CS', 'CT']], 'unknown'],
] as [Elements, string][])('%j: a name in the picture is guessed as "%s"', (set, guess) => {
  const { copy } = copyOf(file([...set, ...shape, [0x7fe00010, 'OW', pixels]], '1.2.840.10008.1.2.1', {}));
  expect(copy.burnedIn).toBe(guess);
});

describe.each([
  ['explicit little endian', '1.2.840.10008.1.2.1', {}],
  ['implicit little endian', '1.2.840.10008.1.2', { implicit: true }],
  ['explicit big endian', '1.2.840.10008.1.2.2', { big: true }],
  ['deflated', '1.2.840.10008.1.2.1.99', {}],
])('the pixels of a copy in %s', (_, syntax, encoding: Encoding) => {
  const words = (values: number[]) => {
    const bytes = Buffer.alloc(values.length * 2);
    for (const [i, value] of values.entries())
      bytes[encoding.big ? 'writeUInt16BE' : 'writeUInt16LE'](value & 0xffff, i * 2);
    return bytes;
  };
  /** Two frames of four pixels. */
  const module = (stored: number, high: number, signed: number): Elements => [
    [0x00280008, 'IS', '2'],
    [0x00280010, 'US', 2],
    [0x00280011, 'US', 2],
    [0x00280100, 'US', 16],
    [0x00280101, 'US', stored],
    [0x00280102, 'US', high],
    [0x00280103, 'US', signed],
  ];
  const pixelsOf = (elements: Elements) => {
    const { copy, bytes } = copyOf(file(elements, syntax, encoding));
    expect(copy.rows.some(({ tag }) => tag.startsWith('6000'))).toBe(false);
    // The length that the element says, and all that follows.
    const said = encoding.big ? bytes.readUInt32BE(bytes.length - 20) : bytes.readUInt32LE(bytes.length - 20);
    return { said, set: bytes };
  };

  it('end with the last frame', () => {
    const frames = words([1, 2, 3, 4, 5, 6, 7, 65_535]);
    const text = Buffer.from('Khan^Aisha MRN-0815 ');
    const { said, set } = pixelsOf([...module(16, 15, 0), [0x7fe00010, 'OW', Buffer.concat([frames, text])]]);
    expect(set.subarray(-16)).toEqual(frames);
    expect(said).toBe(16);
    expect(set.includes('Khan')).toBe(false);
  });

  it.each([
    ['above values', [12, 11, 0], [0xf001, 0x8002, 0x0fff, 0x1000], [1, 2, 0x0fff, 0]],
    ['below values', [12, 15, 0], [0xf00f, 0x8008, 0x001f, 0x000f], [0xf000, 0x8000, 0x0010, 0]],
    ['above values with a sign', [12, 11, 1], [0x8001, 0x7fff, 0xffff, 0x0800], [1, 0xffff, 0xffff, 0xf800]],
  ])('have no overlay in the bits %s', (_place, [stored, high, signed], before, after) => {
    const overlay: Elements = [
      [0x60000100, 'US', 16],
      [0x60000102, 'US', 15],
    ];
    const { set } = pixelsOf([
      ...module(stored as number, high as number, signed as number),
      ...overlay,
      [0x7fe00010, 'OW', words([...before, ...before])],
    ]);
    expect(set.subarray(-16)).toEqual(words([...after, ...after]));
  });
});

it.each([
  ['do not say how long they are', []],
  [
    'contradict themselves in their bits',
    [
      [0x00280101, 'US', 7],
      [0x00280102, 'US', 8],
    ],
  ],
] as [string, Elements][])('pixels that %s cannot be de-identified', (_, set) => {
  const elements: Elements = [...(set.length > 0 ? shape : []), ...set, [0x7fe00010, 'OW', pixels]];
  expect(() => copyOf(file(elements, '1.2.840.10008.1.2.1', {}))).toThrow(/identity/);
});

it('dates move by whole days, in every form that the standard allows', () => {
  expect(movedDates('DA', '20240301', -1)).toBe('20240229');
  expect(movedDates('DA', '2024.03.01\\20240101', -1)).toBe('20240229\\20231231');
  expect(movedDates('DT', '20240301101500.123456+0500', -366)).toBe('20230301101500.123456');
  expect(movedDates('DT', '2024', -366)).toBe('2022');
  expect(movedDates('DA', '31.2.2024', -1)).toBeNull();
  for (const byte of [0, 1, 254, 255]) expect(daysOf(Buffer.alloc(4, byte))).toBeLessThanOrEqual(-30);
});

describe('a picture', () => {
  const segment = (marker: number, body: string | Buffer) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body, 'latin1');
    return Buffer.concat([Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255]), bytes]);
  };
  const tiff = Buffer.from('II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0Aisha', 'latin1');

  it('loses the metadata of a JPEG, and stands upright as before', () => {
    const jfif = Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01Kha', 'latin1');
    const adobe = 'Adobe\0d\0\0\0\0\x01';
    const scan = Buffer.concat([segment(0xda, '\x01\x01\0\0?\0'), Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4])]);
    const original = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      segment(0xe0, jfif),
      segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff])),
      segment(0xe2, 'ICC_PROFILE of Khan'),
      segment(0xfe, 'Khan was here'),
      segment(0xee, `${adobe}Khan`),
      segment(0xf0, 'Khan in a segment of no kind'),
      segment(0xdb, 'table'),
      scan,
      Buffer.from([0xff, 0xd9]),
      Buffer.from('Khan behind the end'),
    ]);
    const copy = deidentifyJpeg(original);
    const bytes = wholeCopy(copy, original);
    expect(bytes.length).toBe(copy.size);
    expect(bytes.toString('latin1')).not.toMatch(/Kha|Aisha|ICC/);
    expect(bytes.includes(Buffer.concat([segment(0xee, adobe), segment(0xdb, 'table'), scan]))).toBe(true);
    expect(bytes.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]));
    const exif = bytes.indexOf('Exif');
    expect(orientationOf(bytes.subarray(exif + 6))).toBe(6);
    expect(copy.changes.map(({ tag }) => tag)).toEqual(['APP1', 'APP2', 'COM', 'FFF0', 'behind EOI']);
    expect(() => deidentifyJpeg(original.subarray(0, 60))).toThrow(/identity/);
  });

  it('loses the texts of a PNG, and stands upright as before', () => {
    const chunk = (type: string, body: Buffer | string) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      return Buffer.concat([length, Buffer.from(type), Buffer.from(body), Buffer.alloc(4)]);
    };
    const head = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', Buffer.alloc(13))]);
    const [data, end] = [chunk('IDAT', deflateSync(Buffer.alloc(4))), chunk('IEND', '')];
    const texts = [chunk('tEXt', 'Author\0Khan'), chunk('eXIf', tiff), chunk('tIME', 'Khan')];
    const original = Buffer.concat([head, ...texts, data, end, Buffer.from('Khan')]);
    const copy = deidentifyPng(original);
    const bytes = wholeCopy(copy, original);
    const exif = bytes.subarray(bytes.indexOf('eXIf') - 4, bytes.indexOf(data));
    expect([exif.readUInt32BE(0), orientationOf(exif.subarray(8)), copy.changes.length]).toEqual([26, 6, 4]);
    expect(bytes).toEqual(Buffer.concat([head, exif, data, end]));
    expect(bytes.includes('Aisha')).toBe(false);
  });
});

it('A long header is followed in slices, and other work of the process has its turns.', async () => {
  const many = Array.from({ length: 30_000 }, (_, i): Elements[number] => [0x00221000 + i, 'LO', `value ${i}`]);
  const original = file([...many, ...shape, [0x7fe00010, 'OW', pixels]], '1.2.840.10008.1.2.1', {});
  let [turns, goesOn] = [0, true];
  const count = () => {
    turns += 1;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  const { size } = await copyOfDicom(
    { size: original.length, read: async (from, to) => original.subarray(from, to) },
    disguise,
  );
  goesOn = false;
  expect(size).toBeGreaterThan(100_000);
  expect(turns).toBeGreaterThan(5);
});

it('The copy of a deflated file that is large when unpacked leaves the process free, and needs little memory.', async () => {
  const size = 60_000_000;
  const large: Elements = [
    [0x00280010, 'US', 30_000],
    [0x00280011, 'US', 1_000],
    [0x00280100, 'US', 16],
    [0x00280101, 'US', 12],
    [0x7fe00010, 'OW', Buffer.alloc(size, 0xff)],
  ];
  const original = file([...elements.slice(0, 10), ...large], DEFLATED, {});
  const source: Source = { size: original.length, read: async (from, to) => original.subarray(from, to) };
  let [turns, goesOn] = [0, true];
  const count = () => {
    turns += 1;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  const copy = await copyOfDicom(source, disguise);
  const read = new InflatedReader(source, copy.deflatedFrom ?? 0);
  let bytes = 0;
  for (const part of copy.parts)
    if (Array.isArray(part)) for await (const piece of read.range(part[0], part[1])) bytes += piece.length;
  goesOn = false;
  expect(bytes).toBe(size);
  expect(copy.parts.filter((part) => Buffer.isBuffer(part)).reduce((sum, part) => sum + part.length, 0)).toBeLessThan(
    9_999,
  );
  // Of 240 pieces, other work has its turn after nearly each.
  expect(turns).toBeGreaterThan(100);
});

describe('Ranges of a deflated data set', () => {
  const set = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * i) >> 3));
  const packed = deflateRawSync(set);
  let reads = 0;
  const source: Source = {
    size: packed.length,
    read: async (from, to) => {
      if (from === 0) reads += 1;
      return packed.subarray(from, to);
    },
  };
  const read = async (reader: InflatedReader, from: number, to: number) => {
    const pieces: Buffer[] = [];
    for await (const piece of reader.range(from, to)) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  it('that follow each other share one pass, and one that goes back begins anew', async () => {
    const reader = new InflatedReader(source, 0);
    reads = 0;
    for (const [from, to] of [
      [0, 5],
      [5, 300_000],
      [300_001, 300_001],
      [700_000, set.length],
    ] as const)
      expect((await read(reader, from, to)).equals(set.subarray(from, to))).toBe(true);
    expect(reads).toBe(1);
    expect((await read(reader, 999, 1_999)).equals(set.subarray(999, 1_999))).toBe(true);
    expect(reads).toBe(2);
  });

  it('that go back again and again, or end behind the data set, are refused', async () => {
    const reader = new InflatedReader(source, 0);
    const back = async () => {
      for (let at = 900; at > 0; at -= 10) await read(reader, at, at + 10);
    };
    await expect(back()).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
    await expect(read(new InflatedReader(source, 0), 999_999, 1_000_001)).rejects.toMatchObject({
      code: 'UNREADABLE_FILE',
    });
  });

  it('of a source that fails, fail with its error', async () => {
    const away = { size: 9, read: () => Promise.reject(new Error('The database is away.')) };
    await expect(read(new InflatedReader(away, 0), 0, 1)).rejects.toThrow('away');
  });
});

it.each([
  ['copied', (source: Source) => copyOfDicom(source, disguise), 'CANNOT_DEIDENTIFY'],
  ['described', readHead, 'UNREADABLE_FILE'],
] as const)(
  'Of a file that is %s, no more than 64 MiB are read for a header, whatever its lengths say.',
  async (_, read, code) => {
    const MB = 1024 * 1024;
    const head = partTen(element(0x00091010, 'OB', Buffer.alloc(0), 200 * MB));
    let furthest = 0;
    const source: Source = {
      size: 300 * MB,
      read: async (from, to) => {
        furthest = Math.max(furthest, to);
        return Buffer.concat([head.subarray(from, to)], to - from);
      },
    };
    await expect(read(source)).rejects.toMatchObject({ code });
    expect(furthest).toBe(limits.headerBytes);
  },
);
