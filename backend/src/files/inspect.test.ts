import { createHash } from 'node:crypto';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import {
  bare,
  dataSet,
  dicomPicture,
  element,
  imageModule,
  item,
  itemEnd,
  lyingTables,
  type Picture,
  partTen,
  picture,
  sequenceEnd,
  shorts,
  syntaxes,
  UNDEFINED,
  withPalette,
  withTable,
} from '@lightbox/testkit/part10.js';
import { afterAll, describe, expect, test } from 'vitest';
import { createInspector } from './inspect.js';
import { closeInspectors } from './inspectionPool.js';
import { FileRejected } from './rejected.js';

afterAll(closeInspectors);

interface How {
  chunk?: number;
  declaredType?: string;
  filename?: string;
  maxBytes?: number;
}

async function inspect(
  bytes: Buffer,
  { chunk = 64 * 1024, declaredType, filename, maxBytes = 10 * 1024 * 1024 }: How = {},
) {
  const inspector = createInspector({ declaredType, filename, maxBytes });
  for (let at = 0; at < bytes.length; at += chunk) inspector.write(bytes.subarray(at, at + chunk));
  return (await inspector.finish()).facts;
}

async function refusal(bytes: Buffer, how?: How): Promise<string> {
  const error: unknown = await inspect(bytes, how).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) return 'accepted';
  if (!(error instanceof FileRejected)) throw error;
  return `${error.code} ${error.message}`;
}

const DAMAGED = 'UNREADABLE_FILE The file is damaged or incomplete.';
const NOT_DICOM = 'UNREADABLE_FILE Not a readable DICOM file.';
const MISMATCH = 'UNREADABLE_FILE Pixel data do not match.';
const WRONG_TYPE = 'UNSUPPORTED_TYPE Invalid file type. Allowed: .jpg, .png, .pdf, .dicom';
const LABEL = 'UNSUPPORTED_TYPE The content of the file is not of the type that its name or label says.';
const TOO_MANY = 'TOO_MANY_PIXELS The picture has too many pixels.';

function pngChunk(type: string, body: Buffer): Buffer {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(type, 4, 'latin1');
  body.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}

function png(width: number, height: number, data?: Buffer, ...more: Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const idat = data ?? deflateSync(Buffer.alloc(height * (width + 1)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', idat),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function segment(marker: number, body: Buffer): Buffer {
  const header = Buffer.from([0xff, marker, 0, 0]);
  header.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([header, body]);
}

function jpeg(width: number, height: number, before: Buffer[] = []): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  const scan = Buffer.from([1, 1, 0, 0, 63, 0]);
  // A stuffed FF, a restart marker and padding inside the scan.
  const coded = Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd9]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...before, segment(0xc0, frame), segment(0xda, scan), coded]);
}

const pdf = (trailer = '<< /Size 2 /Root 1 0 R >>', body = '') =>
  Buffer.from(
    `%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n${body}xref\n0 2\ntrailer\n${trailer}\nstartxref\n9\n%%EOF\n`,
  );

describe('pictures', () => {
  test('a PNG and a JPEG are read whatever the size of the chunks', async () => {
    for (const [bytes, contentType] of [
      [png(30, 20), 'image/png'],
      [jpeg(30, 20, [segment(0xe1, Buffer.alloc(65000, 0xd9)), segment(0xe2, Buffer.alloc(65533))]), 'image/jpeg'],
    ] as const) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const expected = { contentType, size: bytes.length, sha256, width: 30, height: 20 };
      for (const chunk of [1, 7, 131, 4100, 65536]) expect(await inspect(bytes, { chunk })).toEqual(expected);
    }
  });

  test('trailing bytes and an animation are tolerated', async () => {
    const trailing = Buffer.from('<html><script>alert(1)</script>');
    const control = Buffer.from('0000000200000000', 'hex');
    expect(await refusal(Buffer.concat([png(3, 2), trailing]))).toBe('accepted');
    expect(await refusal(Buffer.concat([jpeg(3, 2), trailing]))).toBe('accepted');
    expect(await refusal(png(3, 2, undefined, pngChunk('acTL', control)))).toBe('accepted');
  });

  test.each([
    ['JPEG magic only', Buffer.from('ffd8ff', 'hex'), DAMAGED],
    ['PNG magic only', Buffer.from('89504e470d0a1a0a', 'hex'), /UNREADABLE_FILE|UNSUPPORTED_TYPE/],
    ['cut JPEG', jpeg(300, 200).subarray(0, -2), DAMAGED],
    [
      'JPEG whose only end marker is in its thumbnail',
      jpeg(3, 2, [segment(0xe1, jpeg(1, 1))]).subarray(0, -2),
      DAMAGED,
    ],
    ['cut PNG', png(300, 200).subarray(0, -12), DAMAGED],
    ['PNG of 0 × 0', png(0, 0), 'UNREADABLE_FILE The picture has no pixels.'],
    ['JPEG of 0 × 0', jpeg(0, 0), 'UNREADABLE_FILE The picture has no pixels.'],
    ['PNG of 100,000²', png(100_000, 100_000, Buffer.alloc(9)), TOO_MANY],
    ['PNG of 16,000²', png(16_000, 16_000, deflateSync(Buffer.alloc(1000))), TOO_MANY],
    ['JPEG of 65,000²', jpeg(65_000, 65_000), TOO_MANY],
    ['PNG whose data are too few', png(5000, 5000, deflateSync(Buffer.alloc(100))), MISMATCH],
    ['PNG without data', png(3, 2, Buffer.alloc(0)), MISMATCH],
  ])('%s is refused', async (_name, bytes, expected) => {
    expect(await refusal(bytes)).toMatch(expected);
  });

  test('compressed metadata that would inflate to 256 MB is not inflated', async () => {
    const bomb = deflateSync(Buffer.alloc(256 << 20), { level: 1 });
    for (const type of ['zTXt', 'iCCP']) {
      const chunk = pngChunk(type, Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), bomb]));
      const bytes = png(3, 2, undefined, chunk);
      const started = performance.now();
      expect(await refusal(bytes)).toBe('accepted');
      expect(performance.now() - started).toBeLessThan(3_000);
    }
  });

  test('a damaged header checksum is refused', async () => {
    const bytes = png(3, 2);
    bytes[20] = 9;
    expect(await refusal(bytes)).toBe(DAMAGED);
  });
});

describe('types', () => {
  test.each([
    ['SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['GIF', 'GIF89a\x01\0\x01\0\0\0\0;'],
    ['WebP', 'RIFF\x10\0\0\0WEBPVP8 \x04\0\0\0abcd'],
    ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
    ['nothing known', 'hello'],
  ])('%s under another name is refused', async (_name, text) => {
    expect(await refusal(Buffer.from(text, 'latin1'), { filename: 'a.png' })).toBe(WRONG_TYPE);
  });

  test.each([
    [{ declaredType: 'image/jpeg' }, LABEL],
    [{ declaredType: 'image/webp' }, LABEL],
    [{ declaredType: 'application/pdf' }, LABEL],
    [{ declaredType: 'application/dicom' }, LABEL],
    [{ filename: 'a.jpg' }, LABEL],
    [{ filename: 'a.PDF' }, LABEL],
    [{ filename: 'a.gif' }, LABEL],
    [{ declaredType: 'image/png', filename: 'a.png' }, 'accepted'],
    [{ declaredType: 'application/octet-stream' }, 'accepted'],
    [{ declaredType: 'text/plain', filename: 'scan.0001' }, 'accepted'],
    [{ filename: 'constructor' }, 'accepted'],
  ])('a PNG declared as %o: %s', async (how, expected) => {
    expect(await refusal(png(3, 2), how)).toBe(expected);
  });

  test.each([
    [{ filename: 'IM000001', declaredType: 'application/octet-stream' }],
    [{ filename: 'I0000001', declaredType: '' }],
    [{ filename: '1.2.840.113619.2.55', declaredType: 'text/plain' }],
    [{ filename: 'slice.ima', declaredType: 'application/x-raw-disk-image' }],
    [{ filename: 'slice.dcm', declaredType: 'application/dicom' }],
  ])('a DICOM file, with or without a header, is accepted as %o', async (how) => {
    for (const bytes of [dicomPicture(), dataSet(dicomPicture())]) expect(await refusal(bytes, how)).toBe('accepted');
    expect(await refusal(dataSet(dicomPicture()), { filename: 'a.jpg' })).toBe(LABEL);
  });

  test('the type is known before the file has ended', async () => {
    const inspector = createInspector({ declaredType: undefined, filename: 'a.jpg', maxBytes: 1e6 });
    expect(inspector.canSniff).toBe(false);
    inspector.write(png(300, 200, deflateSync(Buffer.alloc(60_300), { level: 0 })).subarray(0, 5000));
    expect(inspector.canSniff).toBe(true);
    await expect(inspector.sniffed()).rejects.toMatchObject({ code: 'UNSUPPORTED_TYPE' });
  });

  test('the limit holds to the byte, and an empty file is refused', async () => {
    const bytes = png(3, 2);
    expect(await refusal(bytes, { maxBytes: bytes.length })).toBe('accepted');
    expect(await refusal(bytes, { maxBytes: bytes.length - 1 })).toBe('FILE_TOO_LARGE The file is too large.');
    expect(await refusal(Buffer.alloc(0))).toBe('UNREADABLE_FILE The file is empty.');
  });

  test('a file that was refused while it streamed is refused at the end, too', async () => {
    const bytes = png(3, 2);
    const inspector = createInspector({ declaredType: undefined, filename: undefined, maxBytes: bytes.length });
    inspector.write(bytes);
    expect(() => inspector.write(Buffer.alloc(1))).toThrow(FileRejected);
    await expect(inspector.finish()).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });
});

describe('PDF', () => {
  test.each([
    ['a plain one', pdf(), 'accepted'],
    [
      'one with a script',
      pdf('<< /Root 1 0 R >>', '2 0 obj << /OpenAction << /JS (app.alert(1)) >> >> endobj\n'),
      'accepted',
    ],
    ['one that mentions encryption', pdf(undefined, '2 0 obj (see /Encrypt in the manual) endobj\n'), 'accepted'],
    ['trailing bytes', Buffer.concat([pdf(), Buffer.alloc(9000)]), 'accepted'],
    ['%PDF only', Buffer.from('%PDF-1.7\n'), DAMAGED],
    ['a cut one', pdf().subarray(0, -10), DAMAGED],
    [
      'an encrypted one',
      pdf('<< /Root 1 0 R /Encrypt 5 0 R >>'),
      'UNREADABLE_FILE The PDF is protected by a password.',
    ],
    ['direct encryption', pdf('<< /Encrypt<</V 2>> >>'), 'UNREADABLE_FILE The PDF is protected by a password.'],
  ])('%s: %#', async (_name, bytes, expected) => {
    for (const chunk of [1, 50, 65536]) expect(await refusal(bytes, { chunk })).toBe(expected);
  });
});

const pixels = (bytes: Buffer, length?: number) => element(0x7fe00010, 'OW', bytes, length);
const withModule = (after: Buffer, shape: Partial<Picture> = {}, syntax?: string) =>
  partTen(Buffer.concat([imageModule(picture(shape)), after]), syntax);
const fragments = (...parts: Buffer[]) => Buffer.concat([pixels(Buffer.alloc(0), UNDEFINED), ...parts]);
const encapsulated = (...parts: Buffer[]) => withModule(fragments(...parts), {}, syntaxes.jpegBaseline);
const preamble = (text: string) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(128)]).subarray(0, 128);
const nested = (depth: number) => {
  const opening = Buffer.concat([
    element(0x00091010, 'SQ', Buffer.alloc(0), UNDEFINED),
    item(Buffer.alloc(0), UNDEFINED),
  ]);
  return Buffer.concat(Array.from({ length: depth }, () => opening));
};
const closing = (depth: number) =>
  Buffer.concat(Array.from({ length: depth }, () => Buffer.concat([itemEnd(), sequenceEnd()])));
const groupLength = element(0x00080000, 'UL', 90);
const implicitReport = Buffer.concat([
  bare(0x00080016, Buffer.from('1.2.840.10008.5.1.4.1.1.88.11\0')),
  bare(0x00080060, Buffer.from('SR')),
  bare(0x00100010, Buffer.from('Roe^John')),
]);
/** Group 0008, element 0060, VR CS, length 2. */
const bigReport = Buffer.concat([Buffer.from('0008006043530002', 'hex'), Buffer.from('SR')]);

describe('DICOM', () => {
  test('a DICOM header gives its technical facts, and nothing about people', async () => {
    const extra = Buffer.concat([
      element(0x00100010, 'PN', 'Secret^Name'),
      element(0x00180015, 'CS', 'CHEST'),
      element(0x00181413, 'DS', '-1.5'),
      element(0x00185101, 'CS', 'AP'),
      element(0x0020000d, 'UI', '1.2.3.4'),
      element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0'),
      element(0x00200060, 'CS', 'L'),
    ]);
    const file = dicomPicture({ frames: '1 ' }, extra);
    for (const chunk of [1, 7, 131, 65536]) {
      const facts = await inspect(file, { chunk, filename: 'x.dcm' });
      expect(facts).toMatchObject({
        contentType: 'application/dicom',
        width: 16,
        height: 16,
        dicom: {
          modality: 'CT',
          bodyPart: 'CHEST',
          view: 'AP',
          studyDate: '2024-02-29',
          rows: 16,
          columns: 16,
          frames: 1,
        },
        dicomDetail: {
          bitsStored: 16,
          pixelSpacing: [0.5, 0.5],
          orientation: 'axial',
          laterality: 'L',
          burnedIn: false,
          burnedInGuess: 'unknown',
          deviationIndex: -1.5,
        },
      });
      expect(JSON.stringify(facts)).not.toMatch(/Secret|1\.2\.3\.4/);
    }
  });

  test.each([
    ['a TIFF preamble', partTen(dataSet(dicomPicture()), syntaxes.explicit, preamble('II*\0'))],
    [
      'a stray flag behind zeros in the preamble',
      partTen(dataSet(dicomPicture()), syntaxes.explicit, preamble(`${'\0'.repeat(16)}\x01`)),
    ],
    ['a report without pixels', partTen(element(0x00080060, 'CS', 'SR'))],
    ['an unknown transfer syntax', withModule(pixels(Buffer.alloc(6)), {}, '1.2.3.4.5')],
    ['three frames', dicomPicture({ frames: '3', pixels: Buffer.alloc(1536) })],
    ['odd pixels, padded', dicomPicture({ rows: 3, columns: 3, bits: 8, pixels: Buffer.alloc(10) })],
    ['one bit per pixel', dicomPicture({ rows: 5, columns: 5, bits: 1, pixels: Buffer.alloc(4) })],
    ['a private value of 3 MB', dicomPicture({}, element(0x00091010, 'OB', Buffer.alloc(3 << 20)))],
    [
      'a sequence of 3 MB',
      dicomPicture({}, element(0x00091010, 'SQ', item(element(0x00091011, 'OB', Buffer.alloc(3 << 20))))),
    ],
    ['thirty nested sequences', dicomPicture({}, Buffer.concat([nested(30), closing(30)]))],
    ['padded pixels', dicomPicture({ pixels: Buffer.alloc(640) })],
    ['too few pixels', dicomPicture({ pixels: Buffer.alloc(100) })],
    ['a data set without a header', dataSet(dicomPicture())],
    ['a data set without a header, from its group length on', Buffer.concat([groupLength, dataSet(dicomPicture())])],
    ['an implicit data set without a header', implicitReport],
    ['a big endian data set without a header', bigReport],
    ['a data set that is shorter than a preamble', element(0x00080060, 'CS', 'SR')],
    ['a meta header without a preamble', dicomPicture().subarray(132)],
    ['a prefix without a preamble', dicomPicture().subarray(128)],
    ['no transfer syntax', Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), imageModule(picture())])],
    ['an implicit data set that says JPEG', partTen(implicitReport, syntaxes.jpegBaseline)],
    [
      'an extended offset table, and values of VR SV and UV',
      withModule(
        Buffer.concat([
          element(0x7fe00001, 'OV', Buffer.alloc(8)),
          element(0x7fe00002, 'OV', Buffer.from('0400000000000000', 'hex')),
          fragments(item(Buffer.alloc(0)), item(Buffer.alloc(4)), sequenceEnd()),
        ]),
        {},
        syntaxes.jpegBaseline,
      ),
    ],
    [
      'two frames of two fragments each',
      withModule(
        fragments(
          item(Buffer.from('0000000018000000', 'hex')),
          ...Array.from({ length: 4 }, () => item(Buffer.alloc(4))),
          sequenceEnd(),
        ),
        { frames: '2' },
        syntaxes.jpegBaseline,
      ),
    ],
    ['fragments', encapsulated(item(Buffer.alloc(4)), item(Buffer.alloc(10)), sequenceEnd())],
    ['fragments that hold a delimiter', encapsulated(item(Buffer.alloc(0)), item(sequenceEnd()), sequenceEnd())],
    [
      'bytes after the pixels',
      Buffer.concat([encapsulated(item(Buffer.alloc(0)), item(Buffer.alloc(2)), sequenceEnd()), Buffer.alloc(9)]),
    ],
    ['a deflated one', partTen(deflateRawSync(dataSet(dicomPicture())), syntaxes.deflated)],
    [
      'implicit little endian',
      partTen(
        Buffer.concat([
          bare(0x00080060, Buffer.from('MR')),
          bare(0x00091010, Buffer.concat([item(Buffer.alloc(0), UNDEFINED), itemEnd(), sequenceEnd()]), UNDEFINED),
        ]),
        syntaxes.implicit,
      ),
    ],
  ])('%s is accepted', async (_name, bytes) => {
    for (const chunk of [bytes.length > 1e6 ? 999 : 3, 65536]) expect(await refusal(bytes, { chunk })).toBe('accepted');
  });

  test.each([
    ['shorter than its preamble', Buffer.alloc(100), WRONG_TYPE],
    ['no DICM', Buffer.alloc(400), WRONG_TYPE],
    ['DICM only', Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')]), NOT_DICOM],
    [
      'a wrong group length',
      Buffer.concat([
        Buffer.alloc(128),
        Buffer.from('DICM'),
        element(0x00020000, 'UL', 500),
        element(0x00020010, 'UI', syntaxes.explicit),
        imageModule(picture()),
      ]),
      NOT_DICOM,
    ],
    [
      'an MZ preamble',
      partTen(dataSet(dicomPicture()), syntaxes.explicit, preamble('MZ\x90')),
      /begins with something/,
    ],
    [
      'an ELF preamble',
      partTen(dataSet(dicomPicture()), syntaxes.explicit, preamble('\x7fELF')),
      /begins with something/,
    ],
    [
      'markup in the preamble',
      partTen(dataSet(dicomPicture()), syntaxes.explicit, preamble('<script>')),
      /begins with something/,
    ],
    [
      'a PDF in the preamble',
      partTen(dataSet(dicomPicture()), syntaxes.explicit, preamble('%PDF-1.7')),
      /begins with something/,
    ],
    ['a broken deflated stream', partTen(Buffer.alloc(500, 0xff), syntaxes.deflated), NOT_DICOM],
    ['an element longer than the file', partTen(element(0x00091010, 'OB', Buffer.alloc(4), 0x7fffffff)), NOT_DICOM],
    ['undefined length outside a sequence', partTen(element(0x00091010, 'UT', Buffer.alloc(4), UNDEFINED)), NOT_DICOM],
    ['2,000 nested sequences', dicomPicture({}, Buffer.concat([nested(2000), closing(2000)])), NOT_DICOM],
    ['300,000 nested sequences', partTen(nested(300_000)), NOT_DICOM],
    [
      'a million items',
      partTen(element(0x00091010, 'SQ', Buffer.concat(Array.from({ length: 1_000_000 }, () => item(Buffer.alloc(0)))))),
      NOT_DICOM,
    ],
    [
      '600,000 private elements',
      dicomPicture(
        {},
        Buffer.concat(Array.from({ length: 600_000 }, (_, i) => element(0x00090000 + (i & 0xffff), 'SS', 1))),
      ),
      /DICOM/,
    ],
    ['the index of a disc', partTen(element(0x00041130, 'CS', 'DISC')), /index of a disc \(DICOMDIR\)/],
    ['a first value beyond what group 0008 has', element(0x00080005, 'CS', Buffer.alloc(4), 0xfffe), WRONG_TYPE],
    ['two bytes of a group and text', Buffer.from(`\x08\0${'text '.repeat(99)}`, 'latin1'), WRONG_TYPE],
    ['an implicit value of 4 GB', bare(0x00080005, Buffer.alloc(200), 0xfffffff0), WRONG_TYPE],
    ['nested sequences without a header', Buffer.concat([element(0x00080060, 'CS', 'SR'), nested(300_000)]), NOT_DICOM],
    ['an item that outgrows its sequence', partTen(element(0x00091010, 'SQ', item(Buffer.alloc(0), 900))), NOT_DICOM],
    ['trailing zeros', partTen(Buffer.concat([imageModule(picture()), Buffer.alloc(64)])), NOT_DICOM],
    ['a cut file', dicomPicture().subarray(0, -3), NOT_DICOM],
    ['rows 0', withModule(pixels(Buffer.alloc(8)), { rows: 0 }), MISMATCH],
    [
      '60,000² with 64 bytes',
      withModule(pixels(Buffer.alloc(64)), { rows: 60_000, columns: 60_000, pixels: Buffer.alloc(0) }),
      TOO_MANY,
    ],
    [
      '60,000² in fragments',
      withModule(
        fragments(item(Buffer.alloc(0)), item(Buffer.alloc(64)), sequenceEnd()),
        { rows: 60_000, columns: 60_000, pixels: Buffer.alloc(0) },
        syntaxes.jpegBaseline,
      ),
      TOO_MANY,
    ],
    ['10⁹ frames', dicomPicture({ frames: '1000000000' }), MISMATCH],
    ['frames that are no number', dicomPicture({ frames: 'many' }), MISMATCH],
    ['more bits stored than allocated', dicomPicture({ bits: 12 }), MISMATCH],
    [
      'fragments in a native syntax',
      withModule(fragments(item(Buffer.alloc(0)), item(Buffer.alloc(64)), sequenceEnd())),
      MISMATCH,
    ],
    ['fragments without a delimiter', encapsulated(item(Buffer.alloc(0)), item(Buffer.alloc(64))), NOT_DICOM],
    [
      'a delimiter of undefined length',
      encapsulated(item(Buffer.alloc(0)), item(Buffer.alloc(64)), bare(0xfffee0dd, Buffer.alloc(0), UNDEFINED)),
      NOT_DICOM,
    ],
    [
      'a fragment of 0xFFFFFFF0',
      encapsulated(item(Buffer.alloc(0)), item(Buffer.alloc(64), 0xfffffff0), sequenceEnd()),
      NOT_DICOM,
    ],
    [
      'a bad offset table',
      encapsulated(item(Buffer.from('00ffff00', 'hex')), item(Buffer.alloc(64)), sequenceEnd()),
      NOT_DICOM,
    ],
    ['no fragment at all', encapsulated(item(Buffer.alloc(0)), sequenceEnd()), MISMATCH],
  ])('%s is refused', async (_name, bytes, expected) => {
    const started = performance.now();
    expect(await refusal(bytes)).toMatch(expected);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('rows as UL are refused', async () => {
    const file = dicomPicture();
    const at = file.indexOf(Buffer.from([0x28, 0, 0x10, 0, 0x55, 0x53]));
    const rows = element(0x00280010, 'UL', 16);
    expect(await refusal(Buffer.concat([file.subarray(0, at), rows, file.subarray(at + 10)]))).toBe(MISMATCH);
  });

  test.each(lyingTables)('a palette or a look-up table that %s is refused', async (_name, descriptor, entries) => {
    expect(await refusal(withPalette(descriptor, entries))).toBe(MISMATCH);
    for (const tag of [0x00283000, 0x00283010])
      expect(await refusal(withTable(tag, descriptor, entries))).toBe(MISMATCH);
  });

  test('a palette that is missing is refused, and palettes and tables that are whole are accepted', async () => {
    const nameless = withPalette(shorts(256, 0, 16), Buffer.alloc(512));
    const at = nameless.indexOf(Buffer.from([0x28, 0, 0x01, 0x11]));
    const behind = nameless.indexOf(Buffer.from([0xe0, 0x7f]));
    const without = Buffer.concat([nameless.subarray(0, at), nameless.subarray(behind)]);
    expect(await refusal(without)).toBe(MISMATCH);
    for (const [descriptor, entries] of [
      [shorts(256, 0, 16), Buffer.alloc(512)],
      [shorts(256, 0, 8), Buffer.alloc(256)],
      [shorts(256, 0, 8), Buffer.alloc(512)],
      // Values before the first are shown as the first, those behind the last as the last (PS3.3 §C.7.6.3.1.5).
      [shorts(3, 60_000, 16), shorts(1, 2, 3)],
      [shorts(0, 0, 16), Buffer.alloc(131_072)],
    ] as const) {
      expect(await refusal(withPalette(descriptor, entries))).toBe('accepted');
      if (entries.length > 60_000) continue;
      for (const tag of [0x00283000, 0x00283010])
        expect(await refusal(withTable(tag, descriptor, entries))).toBe('accepted');
    }
  });

  test('a deflated bomb is refused quickly, and the next file is read', async () => {
    const big = element(0x00091010, 'OB', Buffer.alloc(200 << 20));
    const bomb = partTen(deflateRawSync(big, { level: 1 }), syntaxes.deflated);
    const started = performance.now();
    expect(await refusal(bomb)).toBe('UNREADABLE_FILE Too large when unpacked.');
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await refusal(dicomPicture())).toBe('accepted');
  });

  test('many headers are read at once, and again after the pool was closed', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => refusal(dicomPicture())));
    expect(new Set(all)).toEqual(new Set(['accepted']));
    await closeInspectors();
    expect(await refusal(dicomPicture())).toBe('accepted');
  });
});
