import { bare, element, item, partTen, sequenceEnd, syntaxes, UNDEFINED } from '@lightbox/testkit/part10.js';
import { expect, it } from 'vitest';
import { wholeCopy } from './change.js';
import { copyOfDicom } from './copy.js';

const disguise = { key: Buffer.alloc(32, 7), days: () => -100 };
async function copyOf(file: Buffer): Promise<string> {
  const source = { size: file.length, read: async (from: number, to: number) => file.subarray(from, to) };
  const copy = await copyOfDicom(source, disguise);
  return wholeCopy(copy, file).toString('latin1');
}
const us = (n: number) => Buffer.from([n & 255, n >> 8]);
const text = (t: string, pad = ' ') => Buffer.from(t.length % 2 ? t + pad : t, 'latin1');
const implicitShape = (pixels: Buffer) => [
  bare(0x00280002, us(1)),
  bare(0x00280010, us(4)),
  bare(0x00280011, us(4)),
  bare(0x00280100, us(8)),
  bare(0x00280101, us(8)),
  bare(0x00280102, us(7)),
  bare(0x00280103, us(0)),
  bare(0x7fe00010, pixels),
];

it.each([
  [0x00081140, 'kept sequence'],
  [0x00186011, 'sequence that the table does not list'],
])('implicit: a %s of known length that cannot be followed is not copied as it is', async (tag) => {
  const inner = Buffer.concat([bare(0x00081155, text('1.2.826.0.1.77.5', '\0')), bare(0x00100030, text('19700102'))]);
  // Two bytes of padding behind the last item: readers that only skip the value do not mind.
  const sequence = bare(tag, Buffer.concat([item(inner), Buffer.alloc(2)]));
  const elements = [
    bare(0x00080060, text('CT')),
    ...(tag < 0x00100000 ? [sequence] : []),
    bare(0x00100010, text('Khan^Aisha')),
    ...(tag > 0x00100000 ? [sequence] : []),
  ];
  const file = partTen(Buffer.concat([...elements, ...implicitShape(Buffer.alloc(16))]), syntaxes.implicit);
  const copy = await copyOf(file).catch((error) => String(error.code));
  expect(copy).not.toMatch(/1\.2\.826\.0\.1\.77\.5|19700102/);
});

it.each([
  ['王^小东', '王小东 LUNG'],
  ['Kim^Lee', 'KIM LEE LUNG'],
  ['김^철수', '김철수'],
])('a text that the table keeps is replaced when it contains the name %s', async (name, kept) => {
  const utf8 = (t: string) => {
    const b = Buffer.from(t);
    return b.length % 2 ? Buffer.concat([b, Buffer.from(' ')]) : b;
  };
  const file = partTen(
    Buffer.concat([
      element(0x00080005, 'CS', 'ISO_IR 192'),
      element(0x00080060, 'CS', 'CT'),
      element(0x00100010, 'PN', utf8(name)),
      element(0x00280002, 'US', 1),
      element(0x00280010, 'US', 4),
      element(0x00280011, 'US', 4),
      element(0x00280100, 'US', 8),
      element(0x00280101, 'US', 8),
      element(0x00280102, 'US', 7),
      element(0x00280103, 'US', 0),
      element(0x00281055, 'LO', utf8(kept)),
      element(0x7fe00010, 'OB', Buffer.alloc(16)),
    ]),
  );
  const copy = Buffer.from(await copyOf(file), 'latin1').toString('utf8');
  expect(copy).not.toContain(kept);
});

it('uncompressed pixels in fragments lose what is behind the last frame and beside their values', async () => {
  const native = Buffer.alloc(32);
  for (let i = 0; i < 16; i++) native.writeUInt16LE(i | 0x8000, i * 2);
  const file = partTen(
    Buffer.concat([
      element(0x00080060, 'CS', 'CT'),
      element(0x00100010, 'PN', 'Khan^Aisha'),
      element(0x00280002, 'US', 1),
      element(0x00280010, 'US', 4),
      element(0x00280011, 'US', 4),
      element(0x00280100, 'US', 16),
      element(0x00280101, 'US', 12),
      element(0x00280102, 'US', 11),
      element(0x00280103, 'US', 0),
      element(0x7fe00010, 'OB', Buffer.alloc(0), UNDEFINED),
      item(Buffer.alloc(0)),
      item(Buffer.concat([native, Buffer.from('KHAN AISHA')])),
      sequenceEnd(),
    ]),
    '1.2.840.10008.1.2.1.98',
  );
  const copy = await copyOf(file).catch((error) => String(error.code));
  expect(copy).not.toMatch(/KHAN/);
});
