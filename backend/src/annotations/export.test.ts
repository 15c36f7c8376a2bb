import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Mark } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { newId } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../testing/dicomWeb.js';
import {
  type BuiltImage,
  buildImage,
  buildProvider,
  buildShare,
  type Person,
  sampleFile,
  storeDrawing,
} from '../testing/factories.js';
import { layerCalls, layerPath, line } from '../testing/layers.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
});

const { save } = layerCalls({ api });

/** Reads a file with the library's own reader. */
const { data } = createRequire(import.meta.url)('dcmjs') as {
  data: {
    DicomMessage: { readFile: (bytes: ArrayBuffer) => { dict: object } };
    DicomMetaDictionary: { naturalizeDataset: (dict: object) => Record<string, unknown> };
  };
};
const parsed = (bytes: Buffer): Json =>
  data.DicomMetaDictionary.naturalizeDataset(data.DicomMessage.readFile(new Uint8Array(bytes).buffer).dict);

const facts: FrameFacts = {
  kind: 'dicom',
  frames: 1,
  rows: 100,
  columns: 80,
  modality: 'CT',
  photometricInterpretation: 'MONOCHROME2',
  pixelSpacing: [0.5, 0.25],
  rescaleSlope: 1,
  rescaleIntercept: -1024,
  windows: [{ center: 40, width: 400 }],
  previewFrame: 1,
};
const row = (tag: string, keyword: string, vr: string, value: string) => ({ tag, keyword, vr, value, private: false });
const uids = { study: '1.2.3.4', series: '1.2.3.4.5', instance: '1.2.3.4.5.6' };

async function dicomImage(changes: Partial<FrameFacts> = {}): Promise<BuiltImage> {
  const key = randomBytes(32);
  const blob = newId();
  await test.gateway.blobs.write(
    blob,
    key,
    (async function* () {
      yield sampleFile;
    })(),
  );
  const image = await buildImage(test.gateway, { owner, blob, contentType: 'application/dicom' });
  const { id: keyId, key: wrapping } = test.gateway.keys.images.current;
  const dataKey = { keyId, sealed: seal(wrapping, image.id, key) };
  await test.gateway.models.Image.collection.updateOne({ _id: image._id }, { $set: { dataKey } });
  await storeDrawing(
    test.gateway,
    { _id: image._id, key },
    { facts: { ...facts, ...changes }, source: 'file', mediaType: 'application/octet-stream', frames: [] },
    [
      row('00080016', 'SOPClassUID', 'UI', '1.2.840.10008.5.1.4.1.1.2'),
      row('00080018', 'SOPInstanceUID', 'UI', uids.instance),
      row('0020000d', 'StudyInstanceUID', 'UI', uids.study),
      row('0020000e', 'SeriesInstanceUID', 'UI', uids.series),
      row('00100010', 'PatientName', 'PN', 'Ünal^Ada'),
      row('00100020', 'PatientID', 'LO', 'A-1'),
      row('00080020', 'StudyDate', 'DA', 'not a date'),
    ],
  );
  return image;
}
const exported = (as: Person, image: BuiltImage, format: string, author?: Person) =>
  api
    .as(as)
    .get(`${layerPath(image)}/dicom?format=${format}${author ? `&author=${author.id}` : ''}`)
    .buffer()
    .responseType('blob');

const all: Mark[] = [
  line(),
  line({
    kind: 'angle',
    points: [
      [10, 10],
      [10, 30],
      [30, 30],
    ],
  }),
  line({
    kind: 'ellipse',
    points: [
      [40, 60],
      [40, 40],
      [20, 50],
      [60, 50],
    ],
    pixels: { mean: 40.5, deviation: 2.25 },
  }),
  line({ kind: 'probe', points: [[5, 6]] }),
  line({
    kind: 'arrow',
    text: 'Fissur \\ Bruch? جوڑ',
    points: [
      [70, 90],
      [500, -20],
    ],
  }),
];

describe('the export of a layer', () => {
  it('A structured report has each mark with its value, its unit and its place on the image.', async () => {
    const image = await dicomImage();
    await save(owner, image, { marks: all });
    const answer = await exported(owner, image, 'sr').expect(200);
    expect(answer.headers['content-type']).toBe('application/dicom');
    const report = parsed(answer.body);
    expect(report).toMatchObject({
      StudyInstanceUID: uids.study,
      PatientID: 'A-1',
      StudyDate: '',
      Modality: 'SR',
    });
    expect(String(report.PatientName)).toBe('Ünal^Ada');
    const groups = report.ContentSequence.at(-1).ContentSequence;
    const contents = groups.flatMap((group: { ContentSequence: unknown[] }) => group.ContentSequence.slice(2));
    const values = contents.map((one: Json) => {
      const [measured] = [one.MeasuredValueSequence].flat();
      const unit = measured && [measured.MeasurementUnitsCodeSequence].flat()[0].CodeValue;
      return measured ? `${measured.NumericValue} ${unit}` : one.TextValue;
    });
    // 30 columns of 0.25 mm and 40 rows of 0.5 mm.
    expect(values).toEqual([
      `${Number(Math.hypot(7.5, 20).toPrecision(8))} mm`,
      '90 deg',
      `${Number(((Math.PI * 10 * 10) / 4).toPrecision(8))} mm2`,
      "40.5 [hnsf'U]",
      "2.25 [hnsf'U]",
      'Point',
      expect.anything(),
    ]);
    expect(answer.body.includes(Buffer.from('Fissur \\ Bruch? جوڑ'))).toBe(true);
    const places = contents.map((one: Json) => [one.ContentSequence].flat().at(-1));
    expect(places.map(({ GraphicType }: { GraphicType: string }) => GraphicType)).toEqual([
      'POLYLINE',
      'POLYLINE',
      'ELLIPSE',
      'ELLIPSE',
      'ELLIPSE',
      'POINT',
      'POINT',
    ]);
    // DICOM counts from the corner of the first pixel. The longer axis of the ellipse comes first.
    expect([...places[0].GraphicData]).toEqual([10.5, 20.75, 40.5, 60.75]);
    expect([...places[2].GraphicData]).toEqual([20.5, 50.5, 60.5, 50.5, 40.5, 60.5, 40.5, 40.5]);
    const [reference] = [[places[0].ContentSequence].flat()[0].ReferencedSOPSequence].flat();
    expect(reference.ReferencedSOPInstanceUID).toBe(uids.instance);
  });

  it('A length at the detector says so in both exports; an angle and a length in the patient do not.', async () => {
    const texts = async (changes: Partial<FrameFacts>) => {
      const image = await dicomImage(changes);
      await save(owner, image, { marks: all.slice(0, 2) });
      const [report, state] = await Promise.all(
        (['sr', 'gsps'] as const).map(async (type) => parsed((await exported(owner, image, type).expect(200)).body)),
      );
      const groups = report.ContentSequence.at(-1).ContentSequence;
      const [annotation] = [state.GraphicAnnotationSequence].flat();
      return {
        report: groups.map((group: Json) => group.ContentSequence.slice(2).flatMap((one: Json) => one.TextValue ?? [])),
        state: [annotation.TextObjectSequence].flat().map(({ UnformattedTextValue }) => UnformattedTextValue),
      };
    };
    expect(await texts({})).toEqual({ report: [[], []], state: ['21.36 mm', '90 deg'] });
    expect(await texts({ spacingAt: 'detector' })).toEqual({
      report: [['Measured at the detector. The size in the patient may be smaller.'], []],
      state: ['21.36 mm at the detector', '90 deg'],
    });
  });

  it('A presentation state draws the marks within the picture, with the values of the file.', async () => {
    const image = await dicomImage();
    await save(owner, image, { marks: all });
    const file: Buffer = (await exported(owner, image, 'gsps').expect(200)).body;
    const state = parsed(file);
    expect(state).toMatchObject({ Modality: 'PR', RescaleIntercept: -1024, PresentationLUTShape: 'IDENTITY' });
    const [annotation] = [state.GraphicAnnotationSequence].flat();
    const graphics = [annotation.GraphicObjectSequence].flat();
    expect(graphics.map(({ GraphicType }: { GraphicType: string }) => GraphicType)).toEqual([
      'POLYLINE',
      'POLYLINE',
      'ELLIPSE',
      'POINT',
      'POLYLINE',
      'POLYLINE',
    ]);
    expect([...graphics[4].GraphicData]).toEqual([70.5, 90.5, 80, 0]);
    const texts = [annotation.TextObjectSequence].flat().map(({ UnformattedTextValue }) => UnformattedTextValue);
    expect(texts.slice(0, 3)).toEqual(['21.36 mm', '90 deg', '78.54 mm2\r\nMean 40.5 HU, SD 2.25 HU']);
    // The reader splits a text at its backslash; the file has it as it was written.
    expect(file.includes(Buffer.from('Fissur \\ Bruch? جوڑ'))).toBe(true);
  });

  it('A presentation state has the shape of the pixels: their spacing, or their aspect ratio.', async () => {
    const areaOf = async (changes: Partial<FrameFacts>) => {
      const image = await dicomImage(changes);
      await save(owner, image, { marks: all });
      const state = parsed((await exported(owner, image, 'gsps').expect(200)).body);
      return [state.DisplayedAreaSelectionSequence].flat()[0];
    };
    expect((await areaOf({})).PresentationPixelSpacing).toEqual([0.5, 0.25]);
    const unspaced = { pixelSpacing: undefined } as Partial<FrameFacts>;
    expect((await areaOf(unspaced)).PresentationPixelAspectRatio).toEqual([1, 1]);
    const tall = await areaOf({ ...unspaced, pixelAspectRatio: [4, 3] });
    expect(tall.PresentationPixelAspectRatio).toEqual([4, 3]);
    expect(tall.PresentationPixelSpacing).toBeUndefined();
  });

  it('A presentation state has the window of the file with its function.', async () => {
    const windowOf = async (changes: Partial<FrameFacts>) => {
      const image = await dicomImage(changes);
      await save(owner, image, { marks: all });
      const state = parsed((await exported(owner, image, 'gsps').expect(200)).body);
      const { WindowCenter, WindowWidth, VOILUTFunction } = [state.SoftcopyVOILUTSequence].flat()[0];
      return [WindowCenter, WindowWidth, VOILUTFunction];
    };
    expect(await windowOf({})).toEqual([40, 400, undefined]);
    expect(await windowOf({ voiFunction: 'SIGMOID' })).toEqual([40, 400, 'SIGMOID']);
  });

  it('A presentation state has the tables of the file, by which other viewers show the same values.', async () => {
    const table = (values: number[], first: number, bits: number) => ({
      ...{ first, bits },
      entries: Buffer.from(Uint16Array.from(values).buffer).toString('base64'),
    });
    const stateOf = async (changes: Partial<FrameFacts>) => {
      const image = await dicomImage(changes);
      await save(owner, image, { marks: all });
      return parsed((await exported(owner, image, 'gsps').expect(200)).body);
    };
    const read = (sequence: unknown) => {
      const [item] = [sequence].flat() as Json[];
      const { LUTDescriptor, LUTData } = item;
      return [[...LUTDescriptor], Buffer.from([LUTData].flat()[0])];
    };
    const modalityLut = table([0, 300, 65_535], -2, 16);
    const voiLuts = [table([0, 128, 255], 40_000, 8), table([1], 0, 8)];
    const state = await stateOf({ modalityLut, voiLuts, windows: [] });
    expect(read(state.ModalityLUTSequence)).toEqual([[3, -2, 16], Buffer.from(modalityLut.entries, 'base64')]);
    expect([state.ModalityLUTSequence].flat()[0].ModalityLUTType).toBe('US');
    expect(state.RescaleSlope).toBeUndefined();
    const [softcopy] = [state.SoftcopyVOILUTSequence].flat();
    // Entries of 8 bits are packed, and the picture is drawn by the first table.
    expect(read(softcopy.VOILUTSequence)).toEqual([[3, 40_000, 8], Buffer.from([0, 128, 255, 0])]);
    expect([softcopy.VOILUTSequence].flat()).toHaveLength(1);
    // A window comes before a table, as in the viewer.
    const windowed = await stateOf({ voiLuts });
    expect([windowed.SoftcopyVOILUTSequence].flat()[0]).toMatchObject({ WindowCenter: 40 });
    expect([windowed.SoftcopyVOILUTSequence].flat()[0].VOILUTSequence).toBeUndefined();
    const long = table(Array(65_536).fill(7), 0, 16);
    expect(read((await stateOf({ modalityLut: long })).ModalityLUTSequence)[0]).toEqual([0, 0, 16]);
  });

  it('A presentation state of a file with fractions leaves out rescale and window, which are those of the drawing.', async () => {
    const stateOf = async (changes: Partial<FrameFacts>) => {
      const image = await dicomImage({ rescaleSlope: 0.001, rescaleIntercept: -7, ...changes });
      await save(owner, image, { marks: all });
      return parsed((await exported(owner, image, 'gsps').expect(200)).body);
    };
    expect(await stateOf({})).toMatchObject({ RescaleSlope: 0.001, SoftcopyVOILUTSequence: expect.anything() });
    const state = await stateOf({ inSteps: true });
    for (const element of ['RescaleSlope', 'RescaleIntercept', 'RescaleType', 'SoftcopyVOILUTSequence']) {
      expect(state).not.toHaveProperty(element);
    }
    expect(state).toMatchObject({ PresentationLUTShape: 'IDENTITY', GraphicAnnotationSequence: expect.anything() });
  });

  it('The same version is always the same instance, and another version another one.', async () => {
    const image = await dicomImage();
    const { version } = await save(owner, image, { marks: [line()] });
    const instance = async () => parsed((await exported(owner, image, 'sr').expect(200)).body).SOPInstanceUID;
    const first = await instance();
    expect(await instance()).toBe(first);
    await save(owner, image, { version, marks: [line()] });
    expect(await instance()).not.toBe(first);
  });

  it('A layer of another author is exported once it is shared, by people who may download the original.', async () => {
    const image = await dicomImage();
    const [may, mayNot] = [await buildProvider(test.gateway), await buildProvider(test.gateway)];
    await buildShare(test.gateway, { image, recipient: may, verified: true });
    await buildShare(test.gateway, { image, recipient: mayNot, verified: true, download: false });
    const { version } = await save(owner, image, { marks: [line()] });
    await exported(may, image, 'sr', owner).expect(404);
    await save(owner, image, { version, shared: true, marks: [line()] });
    await exported(may, image, 'sr', owner).expect(200);
    await exported(may, image, 'sr').expect(404);
    expect(JSON.parse((await exported(mayNot, image, 'sr', owner).expect(403)).body.toString()).error).toBe(
      'NO_DOWNLOAD',
    );
  });

  it('A picture is refused, and a presentation state of a file in colour.', async () => {
    const colour = await dicomImage({ photometricInterpretation: 'RGB' });
    await save(owner, colour, { marks: [line()] });
    await exported(owner, colour, 'gsps').expect(422);
    await exported(owner, colour, 'sr').expect(200);
  });
});
