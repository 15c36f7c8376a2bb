import { createHash } from 'node:crypto';
import { texts } from '@lightbox/contract/texts.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { undrawable } from '@lightbox/core/imaging/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { dicomPicture, element, partTen, shorts } from '@lightbox/testkit/part10.js';
import type { Response } from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { buildPatient, buildProvider, buildShare, type Person, shareCode, storeDrawing } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
let recipient: Person;
let patient: Person;

afterAll(closeInspectors);
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
  recipient = await buildProvider(test.gateway);
  patient = await buildPatient(test.gateway, { firstname: 'Aisha', lastname: 'Khan' });
});

const STUDY = '1.2.826.0.1.77';
const pixels = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 251));
const ct = (n: number, study = STUDY) =>
  dicomPicture(
    { pixels },
    Buffer.concat([
      element(0x0008103e, 'LO', 'Khan thorax'),
      element(0x00100010, 'PN', 'Khan^Aisha'),
      element(0x00100020, 'LO', 'MRN-0815'),
      element(0x0020000d, 'UI', study),
      element(0x0020000e, 'UI', `${study}.1`),
      element(0x00200013, 'IS', String(n)),
    ]),
  );
/** Everything that tells of the patient or leads to the original. */
const traces = /khan|aisha|mrn-0815|20240229|2024-02-29|1\.2\.826\.0\.1\.77/i;

const upload = async (file: Buffer, caption = 'Khan, thorax') =>
  (await api.as(owner).upload(file, { caption, patientId: patient.id }).expect(201)).body.data as {
    id: string;
    studyId: string | null;
  };
async function shareWith(person: Person, body: object): Promise<string> {
  const { body: made } = await api
    .as(owner)
    .post('/sharing/request', { createdfor: person.id, deidentified: true, ...body })
    .expect(201);
  const sharingRequestId: string = made.data.id;
  const verificationCode = await shareCode(test.gateway, oid(sharingRequestId));
  await api.as(person).post('/sharing/verify', { sharingRequestId, verificationCode }).expect(200);
  return sharingRequestId;
}
const bytesOf = (answer: Response): Buffer => answer.body as Buffer;
const said = ({ text, body }: Response) => `${text ?? ''}${Buffer.isBuffer(body) ? body.toString('latin1') : ''}`;
/** The value of an element of explicit little endian. */
function valueIn(file: Buffer, tag: number): string {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(tag >>> 16, 0);
  head.writeUInt16LE(tag & 0xffff, 2);
  const at = file.indexOf(head, 132);
  return file.toString('latin1', at + 8, at + 8 + file.readUInt16LE(at + 6)).replace(/[\0 ]+$/, '');
}

it('a study that is shared without identity gives its copies in every answer, and the original stays', async () => {
  const original = ct(1);
  const { id, studyId } = await upload(original);
  const second = await upload(ct(2));
  expect(second.studyId).toBe(studyId);
  const shareId = await shareWith(recipient, { studyId });
  const mine = api.as(recipient);
  const answers = {
    image: await mine.get(`/upload/image/${id}`),
    lists: await mine.get('/upload/shared-images?grouped=true'),
    study: await mine.get(`/studies/${studyId}`),
    notices: await mine.get('/notifications'),
    content: await mine.get(`/upload/image/${id}/content`).buffer().responseType('blob'),
    zip: await mine.get(`/studies/${studyId}/content`).buffer().responseType('blob'),
  };
  for (const [name, answer] of Object.entries(answers)) {
    expect(answer.status, name).toBe(200);
    expect(said(answer), name).not.toMatch(traces);
    expect(JSON.stringify(answer.headers), name).not.toContain(id);
  }
  expect(answers.image.body.data).toMatchObject({ deidentified: true, isVerified: true, caption: expect.any(String) });
  expect(answers.image.body.data.patient).toBeUndefined();
  const copy = bytesOf(answers.content);
  const other = bytesOf(await mine.get(`/upload/image/${second.id}/content`).buffer().responseType('blob'));
  expect(copy.subarray(-pixels.length)).toEqual(pixels);
  for (const tag of [0x0020000d, 0x0020000e, 0x00080020]) expect(valueIn(copy, tag)).toBe(valueIn(other, tag));
  expect(valueIn(copy, 0x0020000d)).toMatch(/^2\.25\.\d+$/);
  // A range is cut out of the copy.
  const range = await mine
    .get(`/upload/image/${id}/content`)
    .set('Range', 'bytes=100-700')
    .buffer()
    .responseType('blob')
    .expect(206);
  expect(bytesOf(range)).toEqual(copy.subarray(100, 701));
  expect(range.headers['content-range']).toBe(`bytes 100-700/${copy.length}`);
  // The owner sees the same copy, and its differences. The original is what was uploaded.
  const { body } = await api.as(owner).get(`/upload/image/${id}/deidentified/changes`).expect(200);
  expect(bytesOf(await api.as(owner).get(`/upload/image/${id}/deidentified`).buffer().responseType('blob'))).toEqual(
    copy,
  );
  expect(body.data).toMatchObject({ burnedIn: 'unknown', text: [], frame: null });
  expect(body.data.changes).toContainEqual(
    expect.objectContaining({ keyword: 'PatientName', action: 'emptied', before: 'Khan^Aisha' }),
  );
  const kept = bytesOf(await api.as(owner).get(`/upload/image/${id}/content`).buffer().responseType('blob'));
  expect(createHash('sha256').update(kept).digest('hex')).toBe(createHash('sha256').update(original).digest('hex'));
  // A recipient does none of this with a copy.
  await mine.get(`/upload/image/${id}/deidentified`).expect(403);
  await mine.get(`/analyze/${id}`).expect(403);
  await mine.post('/message/send', { recipientId: owner.id, content: 'x', images: [id] }).expect(403);
  await api.as(owner).del(`/sharing/${shareId}`).expect(200);
  await mine.get(`/upload/image/${id}/content`).expect(404);
});

it('a copy has neither an overlay in the unused bits of its pixels nor text behind its last frame, as a file, in ranges and in an archive', async () => {
  const { id, studyId } = await upload(
    partTen(
      Buffer.concat([
        element(0x00080020, 'DA', '20240229'),
        element(0x00080060, 'CS', 'CT'),
        element(0x0020000d, 'UI', `${STUDY}.2`),
        element(0x0020000e, 'UI', `${STUDY}.2.1`),
        element(0x00280002, 'US', 1),
        element(0x00280004, 'CS', 'MONOCHROME2'),
        element(0x00280010, 'US', 16),
        element(0x00280011, 'US', 16),
        element(0x00280100, 'US', 16),
        element(0x00280101, 'US', 12),
        element(0x00280102, 'US', 11),
        element(0x00280103, 'US', 0),
        element(0x60000100, 'US', 16),
        element(0x60000102, 'US', 15),
        element(
          0x7fe00010,
          'OW',
          Buffer.concat([shorts(...Array.from({ length: 256 }, (_, i) => i | 0x8000)), Buffer.from('Khan MRN-0815 ')]),
        ),
      ]),
    ),
  );
  await shareWith(recipient, { studyId });
  const mine = api.as(recipient);
  const path = `/upload/image/${id}/content`;
  const file = bytesOf(await mine.get(path).buffer().responseType('blob').expect(200));
  expect(file.subarray(-512)).toEqual(shorts(...Array.from({ length: 256 }, (_, i) => i)));
  expect(file.toString('latin1')).not.toMatch(traces);
  // A range may begin and end in the middle of a value.
  for (const [from, to] of [
    [file.length - 401, file.length - 98],
    [file.length - 301, file.length - 301],
    [100, file.length - 1],
  ] as const) {
    const { body, headers } = await mine
      .get(path)
      .set('Range', `bytes=${from}-${to}`)
      .buffer()
      .responseType('blob')
      .expect(206);
    expect(body).toEqual(file.subarray(from, to + 1));
    expect(headers['content-range']).toBe(`bytes ${from}-${to}/${file.length}`);
  }
  const zip = bytesOf(await mine.get(`/studies/${studyId}/content`).buffer().responseType('blob').expect(200));
  expect(zip.includes(file)).toBe(true);
});

it('Text that a worker found in the pixels is likely a name, against the word of the file, and is shown to the owner.', async () => {
  const file = dicomPicture({ pixels }, element(0x00280301, 'CS', 'NO'));
  const { id } = (await api.as(owner).upload(file, { caption: 'Screen' }).expect(201)).body.data;
  const changes = async () =>
    (await api.as(owner).get(`/upload/image/${id}/deidentified/changes`).expect(200)).body.data;
  expect(await changes()).toMatchObject({ burnedIn: 'no', text: [], frame: null });
  const text = [{ x0: 1, y0: 2, x1: 9, y1: 4 }];
  const image = await test.gateway.models.Image.findById(id).orFail().lean<ImageDoc>();
  const key = unwrapDataKey(test.gateway.keys.images, id, image.dataKey);
  const facts = { ...undrawable.facts, kind: 'dicom' as const, rows: 16, columns: 16 };
  await storeDrawing(test.gateway, { _id: image._id, key }, { ...undrawable, facts, text });
  expect(await changes()).toMatchObject({ burnedIn: 'likely', text, frame: { columns: 16, rows: 16 } });
});

it('The drawing of a copy has no free text of the file: no names of windows, values, units and waveforms, and no lines of a report.', async () => {
  const { id } = await upload(ct(1, '1.2.826.0.1.81'));
  const image = await test.gateway.models.Image.findById(id).orFail().lean<ImageDoc>();
  const key = unwrapDataKey(test.gateway.keys.images, id, image.dataKey);
  const windows = [{ center: 40, width: 400, explanation: 'KHAN LUNG' }];
  const lead = { name: 'Lead II, Khan', seconds: 1, low: [0], high: [1] };
  const waveforms = ['Khan unit', 'mV'].map((unit) => ({ ...lead, unit }));
  const report = { title: 'Khan', lines: [{ depth: 0, text: 'Khan' }], waveforms };
  const perFrame = [{ windows, rescaleSlope: 2, rescaleType: 'KHAN' }, { rescaleType: 'HU' }];
  const drawn = { rows: 16, columns: 16, frames: 2, windows, rescaleType: 'KHAN MRN', perFrame };
  const facts = { ...undrawable.facts, kind: 'dicom' as const, ...drawn, report };
  await storeDrawing(test.gateway, { _id: image._id, key }, { ...undrawable, facts });
  const person = await buildProvider(test.gateway);
  await shareWith(person, { imagemetadataId: id });
  const { text, body } = await api.as(person).get(`/upload/image/${id}/frames`).expect(200);
  expect(text).not.toMatch(traces);
  expect(body.data).toMatchObject({
    windows: [{ center: 40, width: 400 }],
    // Unspecified: a value that is absent would be Hounsfield units in a CT.
    rescaleType: 'US',
    perFrame: [{ windows: [{ center: 40, width: 400 }], rescaleSlope: 2, rescaleType: 'US' }, { rescaleType: 'HU' }],
    report: {
      lines: [],
      waveforms: [
        { name: '1', low: [0], high: [1] },
        { name: '2', unit: 'mV' },
      ],
    },
  });
  expect(body.data.report.waveforms[0]).not.toHaveProperty('unit');
  expect((await api.as(owner).get(`/upload/image/${id}/frames`).expect(200)).body.data.windows).toEqual(windows);
});

it('a study that is shared without identity stays so beside one of its images that is shared as it is', async () => {
  const title = 'Rehman, both hands';
  const { body } = await api.as(owner).post('/studies', { title, patientId: patient.id }).expect(201);
  const studyId: string = body.data.id;
  const add = async (caption: string) => {
    const added = await api.as(owner).upload(files.png, { caption, studyId }).expect(201);
    return added.body.data.id as string;
  };
  const hand = await add('Left hand');
  await add('Farooqi, right hand');
  const person = await buildProvider(test.gateway);
  await shareWith(person, { studyId });
  await shareWith(person, { imagemetadataId: hand, deidentified: false });
  const mine = api.as(person);
  const list = await mine.get('/upload/shared-images?grouped=true').expect(200);
  const whole = await mine.get(`/studies/${studyId}`).expect(200);
  for (const { text } of [list, whole]) expect(text).not.toMatch(/Rehman|Farooqi/);
  const shown = { title: texts.copyTitle, imageCount: 2, size: 0 };
  expect(list.body.data).toMatchObject([{ id: hand, caption: 'Left hand', study: { id: studyId, ...shown } }]);
  expect(whole.body.data).toMatchObject(shown);
  const found = async (text: string) => (await mine.post('/upload/search', { text }).expect(200)).body.data.length;
  expect([await found('rehman'), await found('farooqi'), await found('left')]).toEqual([0, 0, 1]);
  // The patient, whose share began with the study, by the log of what others did with their images.
  const theirs = { study: oid(studyId), recipient: patient._id };
  const copies = { deidentified: true, verifiedAt: test.gateway.clock.now() };
  expect((await test.gateway.models.Share.updateOne(theirs, { $set: copies })).modifiedCount).toBe(1);
  await shareWith(patient, { imagemetadataId: hand, deidentified: false });
  await mine.get(`/upload/image/${hand}/content`).expect(200);
  await appendAudit(test.gateway.models, test.gateway.keys.audit);
  const told = await api.as(patient).get('/users/profile/disclosures').expect(200);
  expect(told.body.data).toContainEqual(expect.objectContaining({ image: { id: hand, name: 'Left hand' } }));
  expect(told.text).not.toMatch(/Rehman|Farooqi/);
});

it('no search finds a copy by the words of the original, and a chat names it by its general name', async () => {
  const { id } = await upload(ct(1, '1.2.826.0.1.78'), 'Khan, sought');
  const person = await buildProvider(test.gateway);
  await shareWith(person, { imagemetadataId: id });
  const found = async (conditions: object) =>
    (await api.as(person).post('/upload/search', conditions).expect(200)).body.data.length;
  expect([await found({ text: 'sought' }), await found({ text: 'khan' })]).toEqual([0, 0]);
  expect(await found({})).toBe(1);
  await api
    .as(owner)
    .post('/message/send', { recipientId: person.id, content: 'Look', images: [id] })
    .expect(201);
  const { text, body } = await api.as(person).get(`/message/chat/${owner.id}`).expect(200);
  expect(text).not.toMatch(traces);
  expect(body.data[0].attachments).toMatchObject([{ imageId: id, access: 'open' }]);
});

it('The archive of a study of copies has the very files that its recipient downloads one by one.', async () => {
  const { id: original } = await upload(ct(1, '1.2.826.0.1.85'));
  const wish = { rectangles: [], caption: 'Copy', studyTitle: 'Copies', studyCopies: 1 };
  const { body } = await api.as(owner).post(`/upload/image/${original}/blackout`, wish).expect(201);
  const { id, studyId } = body.data;
  await shareWith(recipient, { studyId });
  const read = async (path: string) =>
    bytesOf(await api.as(recipient).get(path).buffer().responseType('blob').expect(200));
  const [file, zip] = [await read(`/upload/image/${id}/content`), await read(`/studies/${studyId}/content`)];
  expect(zip.includes(file)).toBe(true);
});

it('The copies of a share stay as they are when an upload names the patient, and when the study gets another owner.', async () => {
  const study = '1.2.826.0.1.86';
  const person = await buildProvider(test.gateway);
  const { body } = await api.as(owner).upload(ct(1, study), { caption: 'Thorax' }).expect(201);
  const { id, studyId } = body.data;
  await shareWith(person, { studyId });
  const copyOf = async (image: string) =>
    bytesOf(await api.as(person).get(`/upload/image/${image}/content`).buffer().responseType('blob').expect(200));
  const before = await copyOf(id);
  const { id: later } = await upload(ct(2, study));
  const { models } = test.gateway;
  expect((await models.Image.findById(id).orFail().lean<ImageDoc>()).patient).toEqual(patient._id);
  expect((await copyOf(id)).equals(before)).toBe(true);
  // A later image moves like the earlier ones.
  expect(valueIn(await copyOf(later), 0x00080020)).toBe(valueIn(before, 0x00080020));
  const { _id: heir } = await buildProvider(test.gateway);
  await models.Study.updateOne({ _id: oid(studyId) }, { $set: { owner: heir } });
  await models.Image.updateMany({ study: oid(studyId) }, { $set: { owner: heir } });
  expect((await copyOf(id)).equals(before)).toBe(true);
});

it('two shares give copies that cannot be told to be of one image by their UIDs, names or hashes', async () => {
  const { id } = await upload(ct(1, '1.2.826.0.1.79'));
  const people = [await buildProvider(test.gateway), await buildProvider(test.gateway)];
  const got: Response[] = [];
  for (const person of people) {
    await shareWith(person, { imagemetadataId: id });
    got.push(await api.as(person).get(`/upload/image/${id}/content`).buffer().responseType('blob').expect(200));
  }
  const [a, b] = got as [Response, Response];
  for (const tag of [0x0020000d, 0x0020000e, 0x00100020]) {
    expect(valueIn(bytesOf(a), tag)).not.toBe(valueIn(bytesOf(b), tag));
  }
  expect(a.headers['content-disposition']).not.toBe(b.headers['content-disposition']);
  // The dates of one patient move alike everywhere.
  expect(valueIn(bytesOf(a), 0x00080020)).toBe(valueIn(bytesOf(b), 0x00080020));
});

it('a share of the original wins once its own code was entered, and not before', async () => {
  const { id, studyId } = await upload(ct(1, '1.2.826.0.1.80'));
  const person = await buildProvider(test.gateway);
  await shareWith(person, { imagemetadataId: id });
  const names = async () =>
    /Khan/.test(said(await api.as(person).get(`/upload/image/${id}/content`).buffer().responseType('blob')));
  expect(await names()).toBe(false);
  const share = await test.gateway.models.Share.findOne({ recipient: person._id }).lean();
  const study = oid(studyId ?? '');
  const image = { _id: share?.image ?? newId(), id, owner, study };
  const plain = await buildShare(test.gateway, { image, recipient: person });
  expect(await names()).toBe(false);
  await api
    .as(person)
    .post('/sharing/verify', { sharingRequestId: plain.id, verificationCode: plain.code })
    .expect(200);
  expect(await names()).toBe(true);
});

it('files that hold a document are refused, alone and in an act for many', async () => {
  const person = await buildProvider(test.gateway);
  const document = partTen(
    Buffer.concat([element(0x00080060, 'CS', 'DOC'), element(0x00420011, 'OB', Buffer.from('%PDF-1.4 Khan  '))]),
  );
  for (const file of [files.pdf, document]) {
    const { id } = await upload(file);
    const wish = { deidentified: true };
    const alone = await api.as(owner).post('/sharing/request', { imagemetadataId: id, createdfor: person.id, ...wish });
    const many = await api.as(owner).post('/sharing/batch', { images: [id], people: [person.id], ...wish });
    const looked = await api.as(owner).get(`/upload/image/${id}/deidentified`);
    for (const answer of [alone, many, looked]) {
      expect([answer.status, answer.body.error]).toEqual([422, 'CANNOT_DEIDENTIFY']);
    }
  }
  expect(await test.gateway.models.Share.countDocuments({ recipient: person._id })).toBe(0);
});

it('a PDF that comes into a study later is not in its copies', async () => {
  const person = await buildProvider(test.gateway);
  const { body } = await api.as(owner).post('/studies', { title: 'Khan, album' }).expect(201);
  const studyId: string = body.data.id;
  await api.as(owner).upload(files.png, { caption: 'One', studyId }).expect(201);
  await shareWith(person, { studyId });
  const { body: later } = await api.as(owner).upload(files.pdf, { caption: 'Two', studyId }).expect(201);
  const refused = await api.as(person).get(`/upload/image/${later.data.id}/content`);
  expect([refused.status, refused.body.error]).toEqual([422, 'CANNOT_DEIDENTIFY']);
  const zip = bytesOf(
    await api.as(person).get(`/studies/${studyId}/content`).buffer().responseType('blob').expect(200),
  );
  expect(zip.includes('.png')).toBe(true);
  expect(zip.includes('.pdf')).toBe(false);
});
