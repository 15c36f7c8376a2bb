import { bare, bigElement, element, item } from '@lightbox/testkit/part10.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { nativeFile, type Row } from '../../testing/dicom.js';
import { GREY, greys, prepared, seen, words } from '../../testing/prepared.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

/** A VOI of all frames: a sequence in a sequence, in the encoding without VRs. */
const values = [bare(0x00281050, Buffer.from('20000 ')), bare(0x00281051, Buffer.from('30000 '))];
const withoutVrs = item(bare(0x00289132, item(Buffer.concat(values))));
const windows = [{ center: 20_000, width: 30_000 }];

/** Archives write sequences that they do not know as UN (PS3.5 §6.2.2 note 2). */
describe('a sequence that is written as UN', () => {
  test.each<[string, Buffer]>([
    ['without VRs', withoutVrs],
    [
      'in the encoding of the file, as some archives do',
      item(
        element(
          0x00289132,
          'SQ',
          item(Buffer.concat([element(0x00281050, 'DS', '20000'), element(0x00281051, 'DS', '30000')])),
        ),
      ),
    ],
  ])('is read by its items, %s', async (_how, items) => {
    const extra: Row[] = [[0x52009229, 'UN', items]];
    expect((await prepared(nativeFile({ ...GREY, extra }, words))).drawing.facts).toMatchObject({ windows });
  });

  test('is little endian in a big endian file, of a known and an unknown length', async () => {
    const big = Buffer.from(words).swap16();
    const extra: Row[] = [[0x52009229, 'UN', withoutVrs]];
    const known = nativeFile({ ...GREY, extra }, big, 'big');
    expect((await prepared(known)).drawing.facts).toMatchObject({ windows });
    expect(await seen(known)).toEqual(greys);
    // The length of the element becomes undefined, and a delimiter ends it.
    const head = bigElement(0x52009229, 'UN', withoutVrs).subarray(0, 12);
    const at = known.indexOf(head);
    const open = Buffer.concat([head.subarray(0, 8), Buffer.alloc(4, 0xff), withoutVrs, bare(0xfffee0dd)]);
    const unknown = Buffer.concat([known.subarray(0, at), open, known.subarray(at + 12 + withoutVrs.length)]);
    expect((await prepared(unknown)).drawing.facts).toMatchObject({ windows });
    expect(await seen(unknown)).toEqual(greys);
  });

  test('is no sequence when its bytes are no items, and nothing behind it is lost', async () => {
    const extra: Row[] = [
      [0x00283000, 'UN', Buffer.from('no items')],
      [0x00283010, 'UN', Buffer.concat([item(Buffer.alloc(0)), Buffer.alloc(6, 7)])],
    ];
    expect(await seen(nativeFile({ ...GREY, extra }, words))).toEqual(greys);
  });
});

describe('a table', () => {
  test('of 8 bits is read from the words of a big endian file', async () => {
    const entries = Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i));
    const extra: Row[] = [0, 1, 2].flatMap((i): Row[] => [
      [0x00281101 + i, 'US', Buffer.from([1, 0, 0, 0, 0, 8])],
      [0x00281201 + i, 'OW', Buffer.from(entries).swap16()],
    ]);
    const data = Buffer.from(Array.from({ length: 64 }, (_, i) => i));
    const shape = { rows: 8, columns: 8, bits: 8, photometric: 'PALETTE COLOR', extra };
    expect((await seen(nativeFile(shape, data, 'big', 'OB'))).filter((_, i) => i % 3 === 0)).toEqual(
      [...data].map((value) => 255 - value),
    );
  });

  test.each(['explicit', 'big'] as const)(
    'of 8 bits is unpacked from segments of bytes, as a file of the coding “%s” holds them',
    async (coding) => {
      // Four entries, then a line to 104, then both again, and a line to 0.
      const segments = Buffer.from([0, 4, 9, 8, 7, 4, 1, 100, 104, 2, 2, 0, 0, 0, 0, 1, 48, 0]);
      const shades = [9, 8, 7, 4, ...Array.from({ length: 100 }, (_, i) => 5 + i)];
      const all = [...shades, ...shades];
      const extra: Row[] = [0, 1, 2].flatMap((i): Row[] => [
        [0x00281101 + i, 'US', Buffer.from(coding === 'big' ? [1, 0, 0, 0, 0, 8] : [0, 1, 0, 0, 8, 0])],
        [0x00281221 + i, 'OW', coding === 'big' ? Buffer.from(segments).swap16() : segments],
      ]);
      const data = Buffer.from(Array.from({ length: 208 }, (_, i) => i));
      const shape = { rows: 13, columns: 16, bits: 8, photometric: 'PALETTE COLOR', extra };
      expect((await seen(nativeFile(shape, data, coding, 'OB'))).filter((_, i) => i % 3 === 0)).toEqual(all);
    },
  );

  // PS3.3 §C.7.9.2.3: the place of a copied segment is counted in bytes, also where an entry has a word.
  test.each(['explicit', 'big'] as const)(
    'of 16 bits is unpacked from segments of words, as a file of the coding “%s” holds them',
    async (coding) => {
      // Four entries, then a line to 104, then the line again, and a line to 0.
      const segments = [0, 4, 9, 8, 7, 4, 1, 100, 104, 2, 1, 12, 0, 1, 48, 0];
      const words = Buffer.from(Uint16Array.from(segments).buffer);
      const extra: Row[] = [0, 1, 2].flatMap((i): Row[] => [
        [0x00281101 + i, 'US', Buffer.from(coding === 'big' ? [1, 0, 0, 0, 0, 16] : [0, 1, 0, 0, 16, 0])],
        [0x00281221 + i, 'OW', coding === 'big' ? Buffer.from(words).swap16() : words],
      ]);
      const data = Buffer.from(Array.from({ length: 204 }, (_, i) => i));
      const shape = { rows: 12, columns: 17, bits: 8, photometric: 'PALETTE COLOR', extra };
      const line = Array.from({ length: 100 }, (_, i) => 5 + i);
      const all = [9, 8, 7, 4, ...line, ...Array(100).fill(104)];
      expect((await seen(nativeFile(shape, data, coding, 'OB'))).filter((_, i) => i % 3 === 0)).toEqual(all);
    },
  );
});
