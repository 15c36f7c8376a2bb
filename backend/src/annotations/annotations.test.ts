import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Layer, Layers, Mark, SaveLayer } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildEmergency,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
  sampleFile,
  storeDrawing,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
});

const line = (changes: Partial<Mark> = {}): Mark => ({
  id: randomUUID(),
  kind: 'length',
  frame: 1,
  points: [
    [10, 20.25],
    [40, 60.25],
  ],
  ...changes,
});
const probe = (pixels: Mark['pixels']): Mark => line({ kind: 'probe', points: [[70, 90]], pixels });
const arrow = (text: string): Mark => line({ kind: 'arrow', text });

const path = (image: BuiltImage) => `/upload/image/${image.id}/annotations`;
const read = async (as: Person, image: BuiltImage): Promise<Layers> =>
  (await api.as(as).get(path(image)).expect(200)).body.data;
const put = (as: Person, image: BuiltImage, body: Partial<SaveLayer>) =>
  api.as(as).put(path(image), { version: 0, shared: false, marks: [], ...body });
const save = async (as: Person, image: BuiltImage, body: Partial<SaveLayer>): Promise<Layer> =>
  (await put(as, image, body).expect(200)).body.data;

describe('the layers of an image', () => {
  it('A layer is kept for its author alone until it is shared. Then everybody who may open the image reads it.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const patient = await buildPatient(test.gateway);
    await buildShare(test.gateway, { image, recipient: patient, verified: true });
    const copyHolder = await buildProvider(test.gateway);
    await buildShare(test.gateway, { image, recipient: copyHolder, verified: true, deidentified: true });
    const marks = [line(), arrow('See here, Mrs. Ünal')];
    const kept = await save(owner, image, { marks });
    expect(kept).toMatchObject({ imageId: image.id, author: { id: owner.id }, shared: false, marks });
    expect((await read(owner, image)).layers).toEqual([kept]);
    expect(await read(patient, image)).toEqual({ layers: [], mayAnnotate: true });

    const shared = await save(owner, image, { version: kept.version, shared: true, marks });
    expect(shared.version).toBe(kept.version + 1);
    expect((await read(patient, image)).layers).toEqual([shared]);
    // The texts may name the patient, so a copy without identity has no layers.
    expect(await read(copyHolder, image)).toEqual({ layers: [], mayAnnotate: false });

    const stored = await test.gateway.models.Annotation.findOne({ image: image._id }).lean();
    expect(JSON.stringify(stored)).not.toContain('Mrs');
    expect(stored?.marks.toString('latin1')).not.toContain('Mrs');
    const entries = await test.gateway.models.Event.find({ record: image._id }).lean();
    expect(JSON.stringify(entries)).not.toContain('Mrs');
  });

  it('A provider in an emergency reads the shared layers, and keeps none.', async () => {
    const patient = await buildPatient(test.gateway);
    const image = await buildImage(test.gateway, { owner, patient: patient._id });
    const helper = await buildProvider(test.gateway);
    await buildEmergency(test.gateway, { provider: helper, patient });
    const shared = await save(owner, image, { shared: true, marks: [line()] });
    expect(await read(helper, image)).toEqual({ layers: [shared], mayAnnotate: false });
    await put(helper, image, { marks: [line()] }).expect(403);
  });

  it('A guest reads shared layers without the names of their authors.', async () => {
    const image = await buildImage(test.gateway, { owner });
    await save(owner, image, { shared: true, marks: [line()] });
    await save(await buildAdmin(test.gateway), image, { marks: [line()] });
    const made = await api.as(owner).post('/sharing/guest', { imagemetadataId: image.id }).expect(201);
    const { url, code } = made.body.data;
    const { pathname, hash } = new URL(url);
    const link = pathname.replace('/guest/', '') + hash.replace('#', '.');
    const opened = await api.as(null).post('/guest/open', { link, code }).expect(200);
    const guest = { ...owner, token: opened.body.data.token };
    const { layers, mayAnnotate } = await read(guest, image);
    expect(mayAnnotate).toBe(false);
    expect(layers).toHaveLength(1);
    expect(layers[0]).not.toHaveProperty('author');
  });

  it('Two patients of one image do not learn of each other by their marks.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const [one, other] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    for (const recipient of [one, other]) await buildShare(test.gateway, { image, recipient, verified: true });
    await save(one, image, { shared: true, marks: [line()] });
    expect((await read(other, image)).layers).toEqual([expect.not.objectContaining({ author: expect.anything() })]);
    expect((await read(owner, image)).layers).toMatchObject([{ author: { id: one.id } }]);
  });

  it('The layers of a study come in one answer.', async () => {
    const image = await buildStudy(test.gateway, { owner });
    const layer = await save(owner, image, { marks: [line()] });
    const { body } = await api.as(owner).get(`/studies/${image.study}/annotations`).expect(200);
    expect(body.data).toEqual({ layers: [layer], mayAnnotate: true });
  });

  it('Of two windows that save the same version, one is refused, and nothing of the other is lost.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const { version } = await save(owner, image, { marks: [line()] });
    const [one, other] = [[line()], [line()]];
    const answers = await Promise.all([one, other].map((marks) => put(owner, image, { version, marks })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error).toBe('MARKS_CHANGED');
    const won = answers.find(({ status }) => status === 200)?.body.data;
    expect((await read(owner, image)).layers).toEqual([won]);

    // A new layer never has the version of one that was removed.
    await api.as(owner).del(path(image)).expect(200);
    expect((await read(owner, image)).layers).toEqual([]);
    const again = await save(owner, image, { marks: [] });
    await put(owner, image, { version: won.version }).expect(409);
    expect(again.version).not.toBe(won.version);
  });

  it.each([
    [
      'a point that is no number',
      [
        line({
          points: [
            [Number.NaN, 1],
            [2, 2],
          ],
        }),
      ],
    ],
    [
      'a point that is infinite',
      [
        line({
          points: [
            [Number.POSITIVE_INFINITY, 1],
            [2, 2],
          ],
        }),
      ],
    ],
    [
      'a point far beside every picture',
      [
        line({
          points: [
            [1e9, 1],
            [2, 2],
          ],
        }),
      ],
    ],
    ['too few points', [line({ points: [[1, 1]] })]],
    ['too many points', [line({ points: Array.from({ length: 5 }, () => [1, 1]) })]],
    ['a frame that the image does not have', [line({ frame: 2 })]],
    ['a text at a length', [line({ text: 'x' })]],
    ['a text that is too long', [arrow('x'.repeat(limits.markText + 1))]],
    ['too many marks', Array.from({ length: limits.marks + 1 }, () => line())],
    [
      'two marks with one id',
      [line({ id: 'b5c3c2d0-0f6c-4c52-8a5e-0a4f6f1e2d3c' }), line({ id: 'b5c3c2d0-0f6c-4c52-8a5e-0a4f6f1e2d3c' })],
    ],
    ['values of pixels at a length', [line({ pixels: { mean: 1 } })]],
    ['a value of pixels that no picture has', [probe({ mean: 1e13 })]],
    ['a value of pixels that is no number', [probe({ mean: '40' as unknown as number })]],
    ['a deviation at a probe', [probe({ mean: 1, deviation: 1 })]],
    ['an unknown field', [{ ...line(), value: 12 }]],
  ] as [string, Mark[]][])('%s is refused, and nothing is kept', async (_, marks) => {
    const image = await buildImage(test.gateway, { owner, frames: 1 });
    await put(owner, image, { marks }).expect(422);
    expect((await read(owner, image)).layers).toEqual([]);
  });

  it('The largest layer fits into a request, and markup in a text comes back as it was written.', async () => {
    const image = await buildImage(test.gateway, { owner });
    const text = '<img src=x onerror=alert(1)>'.padEnd(limits.markText, '文');
    const marks = Array.from({ length: limits.marks }, () => arrow(text));
    expect((await save(owner, image, { marks })).marks).toEqual(marks);
  });

  it('Everybody who may open the image hears of a change of a shared layer, and nobody else of a private one.', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    const { image } = share;
    const [mine, theirs] = [
      await connectSocket(test.url, { token: image.owner.token }),
      await connectSocket(test.url, { token: share.recipient.token }),
    ];
    const layer = await save(image.owner, image, { marks: [line()] });
    await expect.poll(() => mine.seen('annotations:changed')).toEqual([{ imageId: image.id }]);
    await save(image.owner, image, { version: layer.version, shared: true, marks: layer.marks });
    await expect.poll(() => mine.seen('annotations:changed')).toHaveLength(2);
    await expect.poll(() => theirs.seen('annotations:changed')).toEqual([{ imageId: image.id }]);
    // The end of the share ends the access to the layer.
    await api.as(image.owner).del(`/sharing/${share.id}`).expect(200);
    await api.as(share.recipient).get(path(image)).expect(404);
    await put(share.recipient, image, { marks: [] }).expect(404);
    mine.socket.close();
    theirs.socket.close();
  });

  it('The removal of a layer that is not there is no entry of the log, and no fault.', async () => {
    const image = await buildImage(test.gateway, { owner });
    await save(owner, image, { marks: [line()] });
    for (let i = 0; i < 3; i++) await api.as(owner).del(path(image)).expect(200);
    const removed = { record: image._id, type: 'annotation.removed' as const };
    expect(await test.gateway.models.Event.countDocuments(removed)).toBe(1);
  });

  it('Layers are removed with their image, and with the account of their author.', async () => {
    const { Annotation } = test.gateway.models;
    const author = await buildAdmin(test.gateway);
    const [gone, stays] = [await buildImage(test.gateway, { owner }), await buildImage(test.gateway, { owner })];
    for (const image of [gone, stays]) {
      await save(author, image, { shared: true, marks: [line()] });
      await save(owner, image, { shared: true, marks: [line()] });
    }
    await api.as(owner).del(`/upload/image/${gone.id}`).expect(200);
    expect(await Annotation.countDocuments({ image: gone._id })).toBe(0);
    await api
      .as(await buildAdmin(test.gateway))
      .del(`/users/${author.id}`)
      .expect(200);
    expect((await read(owner, stays)).layers.map((layer) => layer.author?.id)).toEqual([owner.id]);
  });
});

/** Reads a file with the library's own reader. */
const { data } = createRequire(import.meta.url)('dcmjs') as {
  data: {
    DicomMessage: { readFile: (bytes: ArrayBuffer) => { dict: object } };
    DicomMetaDictionary: { naturalizeDataset: (dict: object) => Record<string, unknown> };
  };
};
const parsed = (bytes: Buffer) =>
  data.DicomMetaDictionary.naturalizeDataset(
    data.DicomMessage.readFile(new Uint8Array(bytes).buffer).dict,
    // biome-ignore lint/suspicious/noExplicitAny: content trees are nested without end
  ) as any;

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
    .get(`${path(image)}/dicom?format=${format}${author ? `&author=${author.id}` : ''}`)
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
    const values = contents.map(
      // biome-ignore lint/suspicious/noExplicitAny: as above
      (one: any) => {
        const [measured] = [one.MeasuredValueSequence].flat();
        const unit = measured && [measured.MeasurementUnitsCodeSequence].flat()[0].CodeValue;
        return measured ? `${measured.NumericValue} ${unit}` : one.TextValue;
      },
    );
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
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const places = contents.map((one: any) => [one.ContentSequence].flat().at(-1));
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
        // biome-ignore lint/suspicious/noExplicitAny: as above
        report: groups.map((group: any) => group.ContentSequence.slice(2).flatMap((one: any) => one.TextValue ?? [])),
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
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const [item] = [sequence].flat() as any[];
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
