import { bare, element, item, partTen, sequenceEnd, syntaxes, UNDEFINED } from '@lightbox/testkit/part10.js';
import { describe, expect, it } from 'vitest';
import { type Copy, wholeCopy } from './change.js';
import { copyOfDicom } from './copy.js';
import { disguisedUid } from './values.js';

const disguise = { key: Buffer.alloc(32, 7), days: () => -100 };

async function copyOf(file: Buffer): Promise<{ copy: Copy; bytes: Buffer }> {
  const read = async (from: number, to: number) => file.subarray(from, to);
  const copy = await copyOfDicom({ size: file.length, read }, disguise);
  return { copy, bytes: wholeCopy(copy, file) };
}

const name = element(0x00100010, 'PN', 'Khan^Aisha');
const modality = element(0x00080060, 'CS', 'CT');
/** An explicit file without pixels. */
const explicit = (...elements: Buffer[]) => partTen(Buffer.concat(elements));

describe('sequences', () => {
  const UID = '1.2.826.0.1.77.5';
  const reference = [element(0x00081155, 'UI', UID), element(0x00100030, 'DA', '19700102')];
  const implicitReference = [
    bare(0x00081155, Buffer.from(UID, 'latin1')),
    bare(0x00100030, Buffer.from('19700102', 'latin1')),
  ];
  const traces = /1\.2\.826\.0\.1\.77\.5|19700102/;

  it.each([
    ['that stays', 0x00081140, '1 item'],
    ['that the table does not list', 0x00082218, '1 item'],
  ])(
    'items that an archive wrote as UN, in the encoding of the file, are de-identified like those of a sequence %s',
    async (_, tag, shown) => {
      const { copy, bytes } = await copyOf(
        explicit(modality, element(tag, 'UN', item(Buffer.concat(reference))), name),
      );
      expect(bytes.toString('latin1')).not.toMatch(traces);
      expect(bytes.includes(disguisedUid(disguise, UID))).toBe(true);
      expect(copy.rows.find((row) => row.tag === tag.toString(16).padStart(8, '0'))?.value).toBe(shown);
    },
  );

  // Readers that only skip the value do not mind the bytes behind its last item.
  const behind = Buffer.alloc(2);
  const followed = Buffer.concat([item(Buffer.concat(implicitReference)), behind]);
  const implicit = (...elements: Buffer[]) => partTen(Buffer.concat(elements), syntaxes.implicit);

  it.each([
    ['in a file without VRs', implicit(bare(0x00081140, followed))],
    ['of unknown VR', explicit(element(0x00081140, 'UN', followed))],
    ['of unknown VR, without any item', explicit(element(0x00081140, 'UN', Buffer.concat(implicitReference)))],
  ])('a sequence that cannot be followed is removed where the table lets it go: one %s', async (_, file) => {
    const { copy, bytes } = await copyOf(file);
    expect(bytes.toString('latin1')).not.toMatch(traces);
    expect(copy.changes).toContainEqual(expect.objectContaining({ tag: '00081140', action: 'removed' }));
  });

  it.each([
    ['that the table does not list', implicit(bare(0x00186011, followed))],
    ['that the table does not let go', explicit(element(0x0040a730, 'UN', followed))],
    ['in bytes of another VR', explicit(element(0x00186011, 'OB', followed))],
    ['inside of another one', explicit(element(0x00186011, 'SQ', item(element(0x00186011, 'UN', followed))))],
  ])('a file is refused for a sequence that cannot be followed, %s', async (_, file) => {
    await expect(copyOf(file)).rejects.toMatchObject({ code: 'CANNOT_DEIDENTIFY' });
  });
});

describe('a UID or an address that the table does not list', () => {
  const uid = '1.2.826.0.1.77.6';
  const url = 'https://pacs.khan-clinic.example/studies/1.2.826.0.1.77.6';
  const even = (text: string, padding: string) => (text.length % 2 === 0 ? text : `${text}${padding}`);
  const rows: [tag: number, vr: string, value: string][] = [
    [0x00080018, 'UI', even(uid, '\0')],
    // It is that of an icon's or a presentation's palette, and of the standard: it stays.
    [0x00280304, 'UI', even('1.2.840.10008.1.5.1', '\0')],
    ...[0x00081167, 0x00200242, 0x00209312].map((tag): [number, string, string] => [tag, 'UI', even(uid, '\0')]),
    ...[0x00081190, 0x00287fe0].map((tag): [number, string, string] => [tag, 'UR', even(url, ' ')]),
  ];
  const ordered = rows.toSorted(([a], [b]) => a - b);

  it.each([
    ['with VRs', explicit(modality, ...ordered.map(([tag, vr, value]) => element(tag, vr, value)))],
    [
      'without VRs',
      partTen(
        Buffer.concat(ordered.map(([tag, , value]) => bare(tag, Buffer.from(value, 'latin1')))),
        syntaxes.implicit,
      ),
    ],
  ])('does not lead from a copy to the original, in a file %s', async (_, file) => {
    const { copy, bytes } = await copyOf(file);
    expect(bytes.toString('latin1')).not.toMatch(/1\.2\.826\.0\.1\.77\.6|khan/);
    const values = new Map(copy.rows.map(({ tag, value }) => [tag, value]));
    // The parts of one original still belong together.
    for (const tag of ['00080018', '00081167', '00200242']) expect(values.get(tag)).toBe(disguisedUid(disguise, uid));
    expect(values.get('00280304')).toBe('1.2.840.10008.1.5.1');
  });
});

describe('a text that the table keeps', () => {
  const utf8 = (text: string) => Buffer.from(Buffer.byteLength(text) % 2 ? `${text} ` : text);
  const kept = async (patient: string, text: string, others: Buffer[] = []) => {
    const file = explicit(
      element(0x00080005, 'CS', 'ISO_IR 192'),
      modality,
      element(0x00100010, 'PN', utf8(patient)),
      ...others,
      element(0x00281055, 'LO', utf8(text)),
    );
    return (await copyOf(file)).copy.rows.find(({ tag }) => tag === '00281055')?.value;
  };

  it.each([
    ['王^小东', '王小东 LUNG'],
    ['王^小东', '肺 小东'],
    ['Wang^XiaoDong=王^小东', '王, LUNG'],
    ['김^철수', '김철수'],
    ['Kim^Lee', 'kim lee lung'],
    ['Kim^Lee', 'LUNG_LEE'],
    ['Hu^Li^A', 'Li Hu lung'],
    ['Ли^Ян', 'Ли, Ян'],
    ['Ott^Eva', 'as wished by Mrs. Ott'],
    ["O'Hara^Mo", 'Hara'],
  ])('is replaced for the short name %s: %s', async (patient, text) => {
    expect(await kept(patient, text)).toBe('REMOVED');
  });

  it.each([
    ['Hu^Aisha', '512 HU'],
    ['Khan^A', 'A LUNG'],
    ['B^A', 'A B LUNG'],
    ['Ott^Eva', 'BOTTOM, EVALUATED'],
    ['van der Berg^Jo', 'von der Lunge'],
    ['Ott^Eva^^PhD^MBA', 'MBA'],
    ['王^小东', '国王的肺'],
  ])('stays for the name %s: %s', async (patient, text) => {
    expect(await kept(patient, text)).toBe(text);
  });

  it('stays for a short number: it is found in many texts', async () => {
    expect(await kept('Khan^Aisha', 'LUNG 12', [element(0x00100020, 'LO', '12')])).toBe('LUNG 12');
  });

  it('of no VR that is a table of numbers stays, whatever its bytes spell', async () => {
    const table = Buffer.from('\x00\x01 Lee \x02\x03', 'latin1');
    const parts = [bare(0x00100010, Buffer.from('Kim^Lee ')), bare(0x00283006, table)];
    const { bytes } = await copyOf(partTen(Buffer.concat(parts), syntaxes.implicit));
    expect(bytes.includes(table)).toBe(true);
  });
});

it.each([
  ['Encapsulated Uncompressed', '1.2.840.10008.1.2.1.98'],
  ['a transfer syntax that has no fragments', syntaxes.explicit],
])('a file with uncompressed pixels in fragments is refused: in %s', async (_, syntax) => {
  const fragment = Buffer.concat([Buffer.alloc(16), Buffer.from('KHAN AISHA')]);
  const file = (of: string) =>
    partTen(
      Buffer.concat([
        modality,
        name,
        element(0x7fe00010, 'OB', Buffer.alloc(0), UNDEFINED),
        ...[item(Buffer.alloc(0)), item(fragment), sequenceEnd()],
      ]),
      of,
    );
  await expect(copyOf(file(syntax))).rejects.toMatchObject({ code: 'CANNOT_DEIDENTIFY' });
  expect((await copyOf(file(syntaxes.jpegBaseline))).bytes.includes(fragment)).toBe(true);
});
