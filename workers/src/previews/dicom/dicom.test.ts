import { factsOfFrame, lengthOf } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { element, item, partTen } from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { dataSet, nativeFile, pixelModule, type Row } from '../../testing/dicom.js';
import { COLOUR, GREY, greys, pixels, prepared, seen, words } from '../../testing/prepared.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

describe('a file', () => {
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

  test.each([
    ['big endian', 'little endian', 'big', '1.2.840.10008.1.2.1'],
    ['little endian', 'big endian', 'explicit', '1.2.840.10008.1.2.2'],
    ['without VRs', 'big endian', 'implicit', '1.2.840.10008.1.2.2'],
  ] as const)(
    'that is %s behind a header that says %s is read by its first element',
    async (_is, _said, coding, syntax) => {
      const data = coding === 'big' ? Buffer.from(words).swap16() : words;
      const rows: Row[] = [[0x00080005, 'CS', 'ISO_IR 100'], ...pixelModule(GREY), [0x7fe00010, 'OW', data]];
      const file = partTen(dataSet(rows, coding), syntax);
      expect((await prepared(file)).drawing.facts.kind).toBe('dicom');
      expect(await seen(file)).toEqual(greys);
    },
  );

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

  const ramp = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const below = (first: number) => Buffer.from(Int16Array.of(256, first, 8).buffer);

  test.each<['explicit' | 'implicit', string, number, number]>([
    ['explicit', 'SS', -1024, -1024],
    ['explicit', 'US', -1024, 64_512],
    ['implicit', 'SS', -1024, -1024],
  ])(
    'is shown through a VOI LUT that begins as its VR says, or below zero where the rescale leads there: %s %s',
    async (coding, vr, first, read) => {
      const lut = dataSet(
        [
          [0x00283002, vr, below(first)],
          [0x00283006, 'OW', ramp],
        ],
        coding,
      );
      const extra: Row[] = [
        [0x00281052, 'DS', '-1024'],
        [0x00281053, 'DS', '1'],
        [0x00283010, 'SQ', item(lut)],
      ];
      const { drawing } = await prepared(nativeFile({ ...GREY, extra }, words, coding));
      expect(drawing.facts.voiLuts).toMatchObject([{ first: read, bits: 8 }]);
    },
  );

  test('is coloured by a palette that begins below zero', async () => {
    const extra: Row[] = [0, 1, 2].flatMap((i): Row[] => [
      [0x00281101 + i, 'SS', below(-128)],
      [0x00281201 + i, 'OW', ramp],
    ]);
    const data = Buffer.from(Int8Array.from({ length: 64 }, (_, i) => i - 128).buffer);
    const shape = { rows: 8, columns: 8, bits: 8, signed: true, photometric: 'PALETTE COLOR', extra };
    expect((await seen(nativeFile(shape, data))).filter((_, i) => i % 3 === 0)).toEqual(
      [...data].map((value) => value - 128),
    );
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
    const shared = item(
      Buffer.concat([
        group(0x00289110, element(0x00280030, 'DS', '0.5\\0.25')),
        group(0x00289145, element(0x00281054, 'LO', 'US')),
      ]),
    );
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
      // Of a CT too, such values have no unit: a map of the flow of blood is not in Hounsfield units.
      rescaleType: 'US',
    });
  });
});

describe('the regions of an ultrasound picture', () => {
  const binary = (tag: number, vr: string, size: number, value: number) => {
    const bytes = Buffer.alloc(size);
    if (vr === 'FD') bytes.writeDoubleLE(value);
    else bytes.writeUIntLE(value, 0, size);
    return element(tag, vr, bytes);
  };
  type Place = [number, number, number, number];
  const region = (unitY: number, flags: number, [x0, y0, x1, y1]: Place, deltaX = 0.02) =>
    item(
      Buffer.concat([
        binary(0x00186016, 'UL', 4, flags),
        ...[x0, y0, x1, y1].map((place, i) => binary(0x00186018 + i * 2, 'UL', 4, place)),
        binary(0x00186024, 'US', 2, unitY === 3 ? 3 : 4),
        binary(0x00186026, 'US', 2, unitY),
        binary(0x0018602c, 'FD', 8, deltaX),
        binary(0x0018602e, 'FD', 8, 0.01),
      ]),
    );
  const factsOf = async (...regions: Buffer[]) => {
    const extra: Row[] = [
      [0x00186011, 'SQ', Buffer.concat(regions)],
      [0x00280030, 'DS', '0.3\\0.3'],
    ];
    return (await prepared(nativeFile({ ...GREY, extra }, words))).drawing.facts;
  };
  const unitAt = (facts: FrameFacts, x: number, y: number) => lengthOf(facts, [x, y], [x + 1, y]).scale;

  test('have millimetres where they are of centimetres, and none where they are of times and speeds', async () => {
    const facts = await factsOf(region(3, 1, [0, 0, 15, 7]), region(7, 1, [0, 8, 15, 15]));
    expect(unitAt(facts, 2, 2)).toMatchObject({ unit: 'mm', x: expect.closeTo(0.2), y: expect.closeTo(0.1) });
    expect(unitAt(facts, 2, 10)).toMatchObject({ unit: 'px', x: 1 });
  });

  test('have none either where all of them are of times and speeds, although the file states a spacing', async () => {
    expect(unitAt(await factsOf(region(7, 1, [0, 0, 15, 15])), 2, 2)).toMatchObject({ unit: 'px', x: 1 });
  });

  // Flags of 0 stand for the high priority (PS3.3 §C.8.5.5.1.3).
  test('that lie over another one come before it by their priority', async () => {
    const facts = await factsOf(region(3, 1, [0, 0, 15, 15]), region(7, 0, [0, 8, 15, 15]));
    expect(unitAt(facts, 2, 2).unit).toBe('mm');
    expect(unitAt(facts, 2, 10).unit).toBe('px');
    // From one into the other.
    expect(lengthOf(facts, [2, 2], [2, 10]).scale.unit).toBe('px');
  });

  test('give one scale to a line into a box that lies over the tissue with the same scale, and none with another one', async () => {
    const tissue = region(3, 1, [0, 0, 15, 15]);
    const scaleOf = async (box: Buffer) => lengthOf(await factsOf(tissue, box), [2, 2], [6, 6]).scale;
    const scale = { unit: 'mm', x: expect.closeTo(0.2), y: expect.closeTo(0.1) };
    expect(await scaleOf(region(3, 0, [4, 4, 8, 8]))).toMatchObject(scale);
    expect(await scaleOf(region(3, 0, [4, 4, 8, 8], 0.04))).toMatchObject({ unit: 'px', x: 1 });
  });

  test('that are two pictures side by side have no scale for a line across them', async () => {
    const facts = await factsOf(region(3, 0, [0, 0, 7, 15]), region(3, 0, [8, 0, 15, 15]));
    expect(lengthOf(facts, [2, 2], [6, 2]).scale.unit).toBe('mm');
    expect(lengthOf(facts, [2, 2], [10, 2]).scale.unit).toBe('px');
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

  test('is that of its frames before that of the detector, if the two differ', async () => {
    const measured = (spacing: string): Row[] => [
      [0x00181164, 'DS', '0.2\\0.2'],
      [0x52009230, 'SQ', item(element(0x00289110, 'SQ', item(element(0x00280030, 'DS', spacing))))],
    ];
    const frameOf = async (extra: Row[]) => {
      const { facts } = (await prepared(nativeFile({ ...GREY, extra }, words))).drawing;
      const { pixelSpacing, spacingAt } = factsOfFrame(facts, 1);
      return [pixelSpacing, spacingAt];
    };
    for (const scale of [scaleOf, frameOf]) {
      expect(await scale(measured('0.1\\0.1'))).toEqual([[0.1, 0.1], 'patient']);
      expect(await scale(measured('0.2\\0.2'))).toEqual([[0.2, 0.2], 'detector']);
    }
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

  test('becomes a readable page: a plan, by the names of its elements and without those of people', async () => {
    const dose = item(Buffer.concat([element(0x300a0012, 'IS', '1'), element(0x300a0016, 'LO', 'PTV')]));
    const set = Buffer.concat([
      element(0x00080050, 'SH', 'accession'),
      element(0x00080060, 'CS', 'RTPLAN'),
      element(0x00081070, 'PN', 'Operator'),
      element(0x00100010, 'PN', 'Patient'),
      element(0x00100030, 'DA', '19371129'),
      element(0x300a0002, 'SH', 'Plan 1'),
      sequence(0x300a0010, dose),
    ]);
    expect((await prepared(partTen(set))).drawing.facts.report).toEqual({
      title: 'Plan 1',
      lines: [
        { depth: 0, label: 'Modality', text: 'RTPLAN' },
        { depth: 0, label: 'RTPlan Label', text: 'Plan 1' },
        { depth: 0, label: 'Dose Reference', text: '' },
        { depth: 1, label: 'Dose Reference Number', text: '1' },
        { depth: 1, label: 'Dose Reference Description', text: 'PTV' },
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
    const set = Buffer.concat([element(0x00080060, 'CS', 'ECG'), sequence(0x54000100, group)]);
    const { drawing } = await prepared(partTen(set));
    const [lead] = drawing.facts.report?.waveforms ?? [];
    expect(lead).toMatchObject({ name: 'Lead I', unit: 'uV', seconds: 10 });
    expect([Math.max(...(lead?.high ?? [])), Math.min(...(lead?.low ?? []))]).toEqual([1_000, 0]);
    expect(lead?.high).toHaveLength(2_000);
  });
});
