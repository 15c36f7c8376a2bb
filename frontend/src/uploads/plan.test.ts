import { describe, expect, it } from 'vitest';
import { faultOf } from './checkFile';
import { looksLikeDicom, readDicomHead } from './dicomHead';
import { captionOf, isOmitted, namesPatient, type Omitted, plainName, planOf, type Sorted, sort } from './plan';
import { nothingRead, readFiles } from './readFiles';
import { droppedFiles } from './sources';

const text = new TextEncoder();

/** One element in explicit little endian, with a value of even length. */
function element(tag: number, vr: string, value: string): Uint8Array {
  const body = text.encode(value.length % 2 ? `${value} ` : value);
  const head = new DataView(new ArrayBuffer(8));
  head.setUint16(0, tag >>> 16, true);
  head.setUint16(2, tag & 0xffff, true);
  head.setUint8(4, vr.charCodeAt(0));
  head.setUint8(5, vr.charCodeAt(1));
  head.setUint16(6, body.length, true);
  return new Uint8Array([...new Uint8Array(head.buffer), ...body]);
}

interface Facts {
  study?: string;
  series?: string;
  number?: string;
  name?: string;
  charset?: string;
  directory?: boolean;
}

function dataSet({ study = '1.2.3', series = '1.2.3.1', number = '1', name = 'FAROOQ^HINA', charset }: Facts) {
  return [
    ...(charset ? [element(0x00080005, 'CS', charset)] : []),
    element(0x00080020, 'DA', '20240312'),
    element(0x00080060, 'CS', 'CT'),
    element(0x00081030, 'LO', 'Abdomen'),
    element(0x0008103e, 'LO', 'Thin slices'),
    element(0x00100010, 'PN', name),
    element(0x00100030, 'DA', '19900504'),
    element(0x00100040, 'CS', 'F'),
    element(0x0020000d, 'UI', study),
    element(0x0020000e, 'UI', series),
    element(0x00200011, 'IS', number),
    element(0x00280010, 'US', '\u0001\u0000'),
  ].flatMap((part) => [...part]);
}

function dicom(facts: Facts = {}): Uint8Array<ArrayBuffer> {
  const sop = facts.directory ? '1.2.840.10008.1.3.10' : '1.2.840.10008.5.1.4.1.1.2';
  const meta = [...element(0x00020002, 'UI', sop), ...element(0x00020010, 'UI', '1.2.840.10008.1.2.1\0')];
  return new Uint8Array([...Array(128).fill(0), ...text.encode('DICM'), ...meta, ...dataSet(facts)]);
}

const file = (name: string, bytes: Uint8Array<ArrayBuffer> | string) => new File([bytes], name);
const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);
const read = async (files: File[], maxBytes = 10 * 1024 ** 2) => {
  const into = nothingRead();
  await readFiles(into, files, maxBytes, () => {}, new AbortController().signal);
  return into;
};

describe('the header reader', () => {
  it('The header is read from the first bytes, in the character set of the file.', () => {
    const name = 'MÜLLER^JÖRG';
    expect(readDicomHead(dicom({ name, charset: 'ISO_IR 192' }))).toMatchObject({
      studyUid: '1.2.3',
      seriesUid: '1.2.3.1',
      seriesNumber: 1,
      modality: 'CT',
      patientName: name,
      patientBirthDate: '19900504',
      directory: false,
    });
  });

  it('A file without preamble is recognised, and other bytes are not.', () => {
    const bare = new Uint8Array(dataSet({}));
    expect(looksLikeDicom(bare)).toBe(true);
    expect(readDicomHead(bare)?.studyUid).toBe('1.2.3');
    for (const other of [new Uint8Array(400), text.encode('MZ'.repeat(200)), jpeg]) {
      expect(looksLikeDicom(other)).toBe(false);
    }
  });

  it('Bytes that end in the middle of an element, and endless lengths, do not stop the reader.', () => {
    const whole = dicom();
    for (let end = 132; end < whole.length; end += 7) expect(() => readDicomHead(whole.subarray(0, end))).not.toThrow();
    const lying = Uint8Array.from(whole);
    lying.fill(0xff, 150, 170);
    expect(() => readDicomHead(lying)).not.toThrow();
  });
});

describe('the plan', () => {
  it('A disc becomes its studies, without its table of contents and its viewer program.', async () => {
    const { sorted, omitted } = await read([
      file('DICOMDIR', dicom({ directory: true })),
      file('IM1', dicom()),
      file('IM2', dicom()),
      file('IM3', dicom({ series: '1.2.3.2', number: '2' })),
      file('IM4', dicom({ study: '9.9' })),
      file('autorun.inf', '[autorun]'),
      file('viewer.exe', 'MZ'),
      file('logo.jpg', jpeg),
      file('empty', ''),
    ]);
    const plan = planOf(sorted, true);
    expect(plan.studies.map(({ key, series }) => [key, series.map(({ files }) => files.length)])).toEqual([
      ['1.2.3', [2, 1]],
      ['9.9', [1]],
    ]);
    expect(plan.single.map(({ source }) => source.name)).toEqual(['logo.jpg']);
    expect(omitted.map(({ source, reason }) => [source.name, reason]).sort()).toEqual([
      ['DICOMDIR', 'directory'],
      ['autorun.inf', 'notMedical'],
      ['empty', 'empty'],
      ['viewer.exe', 'notMedical'],
    ]);
  });

  it('A study whose files name different patients says so.', async () => {
    const { sorted } = await read([file('a', dicom()), file('b', dicom({ name: 'KHAN^OMAR' }))]);
    expect(planOf(sorted, false).studies[0]?.mixed).toBe(true);
    const same = await read([file('a', dicom()), file('b', dicom())]);
    expect(planOf(same.sorted, false).studies[0]?.mixed).toBe(false);
  });

  it('A file above the limit, and a zip inside a zip, are left out before sending.', () => {
    const source = { name: 'a', size: 11, head: async () => new Blob(), open: async () => file('a', 'x') };
    expect(sort('1', source, { kind: 'zip' }, 11)).toEqual({ source, reason: 'archive' });
    const decided = sort('1', source, { kind: 'pdf' }, 10) as Omitted;
    expect(isOmitted(decided) && decided.reason).toBe('size');
    expect((sort('1', source, { kind: 'pdf' }, 11) as Sorted).kind).toBe('pdf');
  });

  it('Captions come from the file name, never with the patient’s name.', () => {
    expect(captionOf('left_hand  AP.dcm', 200)).toBe('left hand AP');
    expect(captionOf('.dcm', 200)).toBe('.dcm');
    expect(namesPatient('Farooq knee', 'FAROOQ^HINA')).toBe(true);
    expect(namesPatient('Knee', 'FAROOQ^HINA')).toBe(false);
    expect(plainName('FAROOQ^HINA^^Dr=')).toBe('FAROOQ, HINA, Dr');
  });
});

it('A dropped folder is read to its end, although a reader gives a hundred entries at a time.', async () => {
  const leaf = (name: string) => ({ isDirectory: false, file: (give: (one: File) => void) => give(file(name, 'x')) });
  const folder = (children: object[]) => ({
    isDirectory: true,
    createReader: () => {
      const rest = [...children];
      return { readEntries: (give: (some: object[]) => void) => give(rest.splice(0, 100)) };
    },
  });
  const inner = folder(Array.from({ length: 250 }, (_, at) => leaf(`IM${at}`)));
  const items = [{ webkitGetAsEntry: () => folder([leaf('DICOMDIR'), inner]) }];
  const files = await droppedFiles({ items, files: [] } as unknown as DataTransfer);
  expect(files).toHaveLength(251);
});

it('An empty file and a text with the name of a picture are refused before they are sent.', async () => {
  const fault = (body: BlobPart[], name: string, type: string) => faultOf(new File(body, name, { type }), 100);
  expect(await fault([], 'empty.png', 'image/png')).toBe('empty');
  expect(await fault(['not a picture'], 'fake.jpg', 'image/jpeg')).toBe('type');
  expect(await fault([new Uint8Array([0xff, 0xd8, 0xff, 0xe0])], 'scan', '')).toBeUndefined();
});
