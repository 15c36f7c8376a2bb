import { damagedDicom } from '@lightbox/testkit/damagedDicom.js';
import { dicomPicture } from '@lightbox/testkit/part10.js';
import { afterAll, expect, test } from 'vitest';
import { createInspector } from './inspect.js';
import { closeInspectors } from './inspectionPool.js';
import { FileRejected } from './rejected.js';

afterAll(closeInspectors);

/** The refusal's code, or 'taken'; any other fault is thrown on. */
async function verdict(bytes: Buffer): Promise<string> {
  const inspector = createInspector({ declaredType: undefined, filename: 'a.dcm', maxBytes: 10 * 1024 * 1024 });
  try {
    inspector.write(bytes);
    await inspector.finish();
    return 'taken';
  } catch (error) {
    if (error instanceof FileRejected) return error.code;
    throw error;
  }
}

/** Readable in spite of the fault. `workers/src/previews/hostile.long.test.ts` says which of them can be drawn. */
const readable = [
  'without preamble and prefix',
  'without preamble',
  'without a meta header',
  'without a meta header, implicit',
  'without a meta header, big endian',
  'with an empty transfer syntax',
  'with two transfer syntaxes',
  'that says implicit and is explicit',
  'that says explicit and is implicit',
  'that says big endian and is little',
  'that says little endian and is big',
  'with its rows twice, differing',
  'of one frame that says two',
  'without a group length',
  'deflated, with rubbish behind it',
  'that says JPEG and is native',
  'that ends before its pixels',
  'with an unknown VR',
  'with an odd length',
  'with an element twice',
  'with a private sequence as UN',
  'with letters of no character set',
  'with blanks behind it',
  'twice in one',
];
/** Nothing in them says that they are DICOM. */
const unknown = ['with a prefix in small letters'];

test.each(Object.entries(damagedDicom))(
  'a DICOM file %s is accepted or refused with a message',
  async (name, bytes) => {
    const started = performance.now();
    const wanted = unknown.includes(name) ? 'UNSUPPORTED_TYPE' : 'UNREADABLE_FILE';
    expect(await verdict(bytes)).toBe(readable.includes(name) ? 'taken' : wanted);
    expect(performance.now() - started).toBeLessThan(10_000);
  },
);

test('a file that is cut at any byte, or has any byte wrong, is accepted or refused, and the next one is read', async () => {
  const whole = dicomPicture({ rows: 4, columns: 4 });
  const pixels = whole.indexOf(Buffer.from([0xe0, 0x7f, 0x10, 0]));
  const cuts = Array.from({ length: whole.length - 1 }, (_, i) => whole.subarray(0, i + 1));
  const said = await Promise.all(cuts.map(verdict));
  // Between two elements the rest looks like a report without a picture; in the picture a cut always shows.
  const taken = said.flatMap((word, i) => (word === 'taken' ? [i + 1] : []));
  expect(taken.at(-1)).toBe(pixels);
  expect(taken.length).toBeLessThan(20);
  for (const value of [0x00, 0x7f, 0xff]) {
    const wrong = Array.from(whole, (_, at) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      return bytes;
    });
    const words = new Set(await Promise.all(wrong.map(verdict)));
    expect([...words].filter((word) => !['taken', 'UNREADABLE_FILE', 'UNSUPPORTED_TYPE'].includes(word))).toEqual([]);
  }
  expect(await verdict(whole)).toBe('taken');
});
