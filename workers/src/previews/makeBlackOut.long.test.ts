import { createHash } from 'node:crypto';
import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { Client } from '@lightbox/backend/testing/client.js';
import {
  buildAdmin,
  buildCarer,
  buildPatient,
  buildProvider,
  type Person,
  shareCode,
} from '@lightbox/backend/testing/factories.js';
import { files } from '@lightbox/backend/testing/files.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import type { BlackOut } from '@lightbox/contract/images/blackOut.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { dicomPicture, element, item, phantom } from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../worker.js';
import { openDicom } from './dicom/dicomFile.js';

let test: TestGateway;
let worker: RunningWorker;
let owner: Person;
let api: Client;

beforeAll(async () => {
  test = await buildGateway();
  const { config } = test;
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['previews'] } });
  owner = await buildProvider(test.gateway);
  api = new Client(test.url).as(owner);
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
  await closeInspectors();
});

/** The text in the pixels: a row of each frame that no other pixel resembles. */
const NAME = 0x7a5a;
const SIDE = 16;
const pixels = Buffer.alloc(SIDE * SIDE * 2 * 2);
for (let i = 0; i < pixels.length / 2; i++) {
  const row = Math.floor(i / SIDE) % SIDE;
  pixels.writeUInt16LE(row === 3 ? NAME : 1_000 + (i % SIDE), i * 2);
}
const name = Buffer.alloc(2);
name.writeUInt16LE(NAME);
const named = Buffer.concat(Array.from({ length: 4 }, () => name));
const file = dicomPicture(
  { pixels, frames: '2' },
  Buffer.concat([
    element(0x00100010, 'PN', 'Khan^Aisha'),
    element(0x00100020, 'LO', 'MRN-0815'),
    element(0x0020000d, 'UI', '1.2.826.0.1.77'),
    element(0x0020000e, 'UI', '1.2.826.0.1.77.1'),
  ]),
);
const withIcon = Buffer.concat([
  file.subarray(0, file.indexOf(Buffer.from('e07f1000', 'hex'))),
  element(0x00880200, 'SQ', item(element(0x7fe00010, 'OW', named))),
  file.subarray(file.indexOf(Buffer.from('e07f1000', 'hex'))),
  element(0xfffcfffc, 'OB', named),
]);
/** The values of the original's header that tell of the patient. */
const traces = /khan|aisha|mrn-0815|1\.2\.826\.0\.1\.77|20240229/i;
const strip = { x0: 0, y0: 3, x1: SIDE, y1: 4 };
const wish = { rectangles: [strip], caption: 'Copy', noTextLeft: true };
const bytesOf = async (client: Client, path: string): Promise<Buffer> =>
  (await client.get(path).buffer().responseType('blob').expect(200)).body as Buffer;
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function upload(bytes: Buffer, fields: Record<string, string> = {}): Promise<string> {
  const { body } = await api.upload(bytes, { caption: 'Khan, thorax', ...fields }).expect(201);
  const drawn = async () => (await api.get(`/upload/image/${body.data.id}/frames`)).status;
  await expect.poll(drawn).toBe(200);
  return body.data.id;
}

type Answer = Awaited<ReturnType<Client['post']>>;

/** Asks for a copy until it is made: on a busy machine the call ends before the worker has drawn it. */
async function untilMade(send: () => PromiseLike<Answer>): Promise<Answer> {
  const answers: Answer[] = [];
  await expect.poll(async () => answers.push(await send()) && answers.at(-1)?.status).toBe(201);
  return answers.at(-1) as Answer;
}

/** Opens a link of the copy, and sees the copy in every call of a guest: nothing of the original's header, and no original. */
async function seenByGuest(id: string, copyId: string): Promise<void> {
  const ask = { imagemetadataId: copyId, expiresInHours: 24, download: true };
  const { body: made } = await api.post('/sharing/guest', ask).expect(201);
  const { pathname, hash: secret } = new URL(made.data.url);
  const link = pathname.replace('/guest/', '') + secret.replace('#', '.');
  const { body: opened } = await api.post('/guest/open', { link, code: made.data.code }).expect(200);
  const guest = new Client(test.url).as(opened.data.token as string);
  const paths = (Object.values(calls) as CallShape[])
    .filter(({ guests, who, method }) => method === 'get' && (guests || who === 'guest'))
    .map(({ path }) => path.replace(':n', '2').replace(/:\w+/, ':id'));
  expect(paths.length).toBeGreaterThan(6);
  const seen: string[] = [];
  for (const path of paths) {
    const answer = await guest.get(path.replace(':id', copyId)).buffer().responseType('blob');
    const bytes = answer.body as Buffer;
    expect(`${JSON.stringify(answer.headers)}${bytes.toString('latin1')}`, path).not.toMatch(traces);
    expect(bytes.includes(named) || bytes.includes(id), path).toBe(false);
    if (answer.status === 200) seen.push(path);
    if (path.includes(':id')) await guest.get(path.replace(':id', id)).expect(404);
  }
  const images = paths.filter((path) => path.startsWith('/upload/image/'));
  expect(seen).toEqual(expect.arrayContaining(images));
  expect(images).toHaveLength(5);
  // The header is for people with an account.
  await guest.get(`/upload/image/${copyId}/tags`).expect(401);
  const got = await bytesOf(guest, `/upload/image/${copyId}/content`);
  expect(hash(got)).toBe(hash(await bytesOf(api, `/upload/image/${copyId}/content`)));
}

it('A copy has its places black in every frame, no identity and no other trace of the text, and the original stays.', async () => {
  const patient = await buildPatient(test.gateway, { firstname: 'Aisha', lastname: 'Khan' });
  const id = await upload(withIcon, { patientId: patient.id, mismatchReason: 'The file has no date of birth.' });
  const recipient = await buildProvider(test.gateway);
  const { body } = await untilMade(() => api.post(`/upload/image/${id}/blackout`, wish));
  const copyId: string = body.data.id;
  expect(body.data).toMatchObject({ caption: 'Copy', owner: { id: owner.id } });
  expect(body.data.patient).toBeUndefined();
  const stored = await test.gateway.models.Image.find({ _id: { $in: [id, copyId] } }).lean<ImageDoc[]>();
  expect(new Set(stored.map(({ study }) => String(study))).size).toBe(2);
  // The recipient has a share of the copy alone.
  const { body: made } = await api
    .post('/sharing/request', { imagemetadataId: copyId, createdfor: recipient.id, deidentified: true })
    .expect(201);
  const sharingRequestId: string = made.data.id;
  const verificationCode = await shareCode(test.gateway, oid(sharingRequestId));
  const theirs = new Client(test.url).as(recipient);
  await theirs.post('/sharing/verify', { sharingRequestId, verificationCode }).expect(200);
  const drawn = async () => (await theirs.get(`/upload/image/${copyId}/frames`)).status;
  await expect.poll(drawn).toBe(200);
  const copy = await bytesOf(theirs, `/upload/image/${copyId}/content`);
  const { set } = openDicom(copy);
  const got = set.raw(0x7fe00010) ?? Buffer.alloc(0);
  expect(got.length).toBe(pixels.length);
  for (let i = 0; i < got.length / 2; i++) {
    const row = Math.floor(i / SIDE) % SIDE;
    expect(got.readUInt16LE(i * 2)).toBe(row === 3 ? 0 : pixels.readUInt16LE(i * 2));
  }
  for (const one of [copy, await bytesOf(api, `/upload/image/${copyId}/content`)]) {
    expect(one.includes(named)).toBe(false);
    expect(one.toString('latin1')).not.toMatch(traces);
    expect(
      openDicom(one)
        .set.items(0x00120064)
        .map((code) => code.text(0x00080100)),
    ).toContain('113101');
    expect(openDicom(one).set.code(0x00280301)).toBe('NO');
  }
  const frame = await bytesOf(theirs, `/upload/image/${copyId}/frames/2`);
  expect(frame.equals(got.subarray(got.length / 2))).toBe(true);
  const shown = async (path: string) =>
    sharp(await bytesOf(theirs, path))
      .extractChannel(0)
      .raw()
      .toBuffer();
  for (const path of ['preview', 'frames/1?rendered=true']) {
    const seen = await shown(`/upload/image/${copyId}/${path}`);
    expect(Math.max(...seen.subarray(3 * SIDE, 4 * SIDE)), path).toBeLessThan(40);
  }
  // Nothing of the original is theirs, and nothing of the copy leads to it.
  for (const path of ['', '/content', '/preview', '/frames', '/frames/1', '/tags', '/deidentified', '/timeline']) {
    await theirs.get(`/upload/image/${id}${path}`).expect(404);
  }
  await theirs.post(`/upload/image/${id}/blackout`, wish).expect(404);
  await theirs.post(`/upload/image/${copyId}/blackout`, wish).expect(403);
  for (const path of ['', '/tags', '/annotations']) {
    expect((await theirs.get(`/upload/image/${copyId}${path}`)).text, path).not.toContain(id);
  }
  await seenByGuest(id, copyId);
  expect(hash(await bytesOf(api, `/upload/image/${id}/content`))).toBe(hash(withIcon));
  // The dates of the patient moved once, by as much as in every other copy.
  const other = await bytesOf(api, `/upload/image/${id}/deidentified`);
  expect(set.text(0x00080020)).toBe(openDicom(other).set.text(0x00080020));
  const event = await test.gateway.models.Event.findOne({ type: 'image.blackOut', record: oid(copyId) }).lean();
  expect([String(event?.actor), String(event?.refs.original)]).toEqual([owner.id, id]);
  await api.del(`/sharing/${sharingRequestId}`).expect(200);
  await theirs.get(`/upload/image/${copyId}/frames/1`).expect(404);
});

it('A picture has a copy too, and a PDF is refused.', async () => {
  const jpeg = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  const id = await upload(jpeg);
  const { body } = await api
    .post(`/upload/image/${id}/blackout`, { rectangles: [{ x0: 0, y0: 0, x1: 10, y1: 5 }], caption: 'Copy' })
    .expect(201);
  const png = await bytesOf(api, `/upload/image/${body.data.id}/content`);
  const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect([data[0], data[(4 * 40 + 9) * 3], data[(5 * 40 + 9) * 3]]).toEqual([0, 0, 255]);
  const pdf = await upload(files.pdf);
  const refused = await api.post(`/upload/image/${pdf}/blackout`, wish);
  expect([refused.status, refused.body.error]).toEqual([422, 'CANNOT_BLACK_OUT']);
});

it('Hostile rectangles and files make no copy, and the same wish at once makes one.', async () => {
  const { models } = test.gateway;
  const id = await upload(file);
  const ask = (rectangles: unknown) =>
    api.post(`/upload/image/${id}/blackout`, { rectangles: rectangles as never, caption: 'Copy' });
  const count = () => models.Image.countDocuments({ owner: owner._id, blackedOut: true });
  const before = await count();
  const many = Array.from({ length: limits.blackRectangles + 1 }, () => strip);
  const hostile = [
    [],
    many,
    [{ ...strip, x0: null }],
    [{ ...strip, x0: -1 }],
    [{ ...strip, x0: 1.5 }],
    [{ ...strip, x1: 1e300 }],
    [{ ...strip, x1: SIDE + 1 }],
    [{ ...strip, y0: 4 }],
    [{ ...strip, frame: 3 }],
    [{ ...strip, frame: 0 }],
    [{ ...strip, more: 1 }],
    'all',
  ];
  for (const rectangles of hostile) {
    expect((await ask(rectangles)).status, JSON.stringify(rectangles).slice(0, 80)).toBe(422);
  }
  expect((await ask(Array.from({ length: 1_000_000 }, () => 1))).status).toBe(413);
  // Ten megabytes of nonsense behind a header that is right.
  const nonsense = dicomPicture({ rows: 2_000, columns: 2_000, frames: '3', pixels: Buffer.alloc(9_000_000, 'Khan') });
  const broken = await upload(nonsense);
  const refused = await api.post(`/upload/image/${broken}/blackout`, wish);
  expect([refused.status, refused.body.error]).toEqual([422, 'CANNOT_BLACK_OUT']);
  expect(await count()).toBe(before);
  const twice = await Promise.all([ask([strip]), ask([strip])]);
  expect(twice.map(({ status }) => status)).toEqual([201, 201]);
  expect(twice[0]?.body.data.id).toBe(twice[1]?.body.data.id);
  expect(await count()).toBe(before + 1);
  // The worker's bytes are gone, and the copy's remain.
  const wished = await models.BlackOut.findOne({ image: oid(id) }).lean();
  expect(await test.gateway.blobs.countChunks(wished?.made?.blob ?? oid(id))).toBe(0);
  const kept = { original: hash(await bytesOf(api, `/upload/image/${id}/content`)), file: hash(file) };
  expect(kept.original).toBe(kept.file);
});

/** UIDs of a DICOM file by their keywords. */
const uidsOf = (bytes: Buffer) => {
  const { set } = openDicom(bytes);
  const [sop, study, series, space] = [0x00080018, 0x0020000d, 0x0020000e, 0x00200052].map((tag) => set.text(tag));
  return { sop, study, series, space };
};

it('Copies from one study are a study: UIDs agree, an image without rectangles keeps its pixels, and it is shared as one.', async () => {
  const { models } = test.gateway;
  const originals = [1, 2, 3].map((instance) => phantom({ instance, z: instance * 3, study: '14' }));
  const ids: string[] = [];
  for (const bytes of originals) ids.push(await upload(bytes));
  const [first = '', second = '', third = ''] = ids;
  const ask = (id: string, more: Partial<BlackOut>, client = api) =>
    client.post(`/upload/image/${id}/blackout`, { rectangles: [strip], caption: 'Slice', noTextLeft: true, ...more });
  const { body } = await untilMade(() => ask(first, { studyTitle: 'Copies', studyCopies: 3 }));
  const studyId: string = body.data.studyId;
  const toSecond = (await untilMade(() => ask(second, { studyId }))).body.data.id as string;
  // The copies of a part of the study look like the whole one to their recipients.
  const recipient = await buildProvider(test.gateway);
  const ways = [
    ['/sharing/request', { studyId, createdfor: recipient.id }],
    ['/sharing/guest', { studyId, expiresInHours: 24, download: true }],
    ['/sharing/batch', { studies: [studyId], people: [recipient.id] }],
  ] as const;
  const unfinished = async () => (await api.get(`/studies/${studyId}`).expect(200)).body.data.unfinished;
  expect(await unfinished()).toBe(true);
  for (const [path, wish] of ways) {
    const early = await api.post(path, wish);
    expect([early.status, early.body.errors?.[0]?.message], path).toEqual([422, texts.unfinishedStudy]);
  }
  const made = [
    body.data.id as string,
    toSecond,
    (await untilMade(() => ask(third, { studyId, rectangles: [] }))).body.data.id as string,
  ];

  expect(await unfinished()).toBeUndefined();
  const { body: found } = await api.get(`/studies/${studyId}`).expect(200);
  expect(found.data).toMatchObject({ title: 'Copies', kind: 'dicom', imageCount: 3, modalities: ['CT'] });
  expect(found.data.patient).toBeUndefined();
  expect(found.data.series.map(({ images }: { images: string[] }) => images)).toEqual([made]);
  const copies = await Promise.all(made.map((id) => bytesOf(api, `/upload/image/${id}/content`)));
  const uids = copies.map(uidsOf);
  for (const part of ['study', 'series', 'space'] as const) expect(new Set(uids.map((one) => one[part])).size).toBe(1);
  expect(new Set(uids.map(({ sop }) => sop)).size).toBe(3);
  const all = uids.flatMap((one) => Object.values(one));
  expect(originals.flatMap((bytes) => Object.values(uidsOf(bytes))).filter((uid) => all.includes(uid))).toEqual([]);
  const codes = (bytes: Buffer) =>
    openDicom(bytes)
      .set.items(0x00120064)
      .map((code) => code.text(0x00080100));
  const [black, , plain] = copies as [Buffer, Buffer, Buffer];
  expect([codes(black).includes('113101'), codes(plain).includes('113101')]).toEqual([true, false]);
  for (const bytes of copies) expect(openDicom(bytes).set.code(0x00280301)).toBe('NO');
  const pixelsOf = (bytes: Buffer) => openDicom(bytes).set.raw(0x7fe00010) ?? Buffer.alloc(0);
  expect(pixelsOf(plain).equals(pixelsOf(originals[2] as Buffer))).toBe(true);
  expect(pixelsOf(black).equals(pixelsOf(originals[0] as Buffer))).toBe(false);

  // One file of each image: another one would have the same UID. Nothing joins a study that is not of its copies.
  const others = new Client(test.url).as(await buildProvider(test.gateway));
  const elsewhere = await upload(phantom({ study: '15' }));
  const alone = await upload(files.jpeg);
  const { body: pictures } = await api.post('/studies', { title: 'Pictures' }).expect(201);
  const { body: source } = await api.get(`/upload/image/${first}`).expect(200);
  const count = () => models.Image.countDocuments({ owner: owner._id });
  const before = await count();
  const moved = { rectangles: [{ ...strip, y0: 5, y1: 9 }] };
  const wrong: [id: string, more: Partial<BlackOut>][] = [
    [first, { studyId, ...moved }],
    [third, { studyId }],
    [third, { studyId, rectangles: [] }],
    [elsewhere, { studyId }],
    [alone, { studyId }],
    [alone, { studyTitle: 'Copies' }],
    [first, { studyId: source.data.studyId }],
    [first, { studyId: pictures.data.id }],
    [first, { studyId, studyTitle: 'Copies' }],
    [first, { rectangles: [] }],
    [first, { studyId, studyCopies: 2 }],
  ];
  for (const [id, more] of wrong) {
    const answer = await ask(id, more);
    expect([answer.status, answer.body.error], JSON.stringify(more)).toEqual([422, 'VALIDATION_FAILED']);
  }
  await ask(first, { studyId }, others).expect(404);
  // An administrator may copy the image, but not into the study of another person.
  const admin = await buildAdmin(test.gateway);
  const refused = await ask(first, { studyId, ...moved }, new Client(test.url).as(admin));
  expect(refused.body.errors).toEqual([expect.objectContaining({ field: 'studyId' })]);
  expect(await count()).toBe(before);

  // The copies are shared as one study. Nothing of the original is theirs, and the copies outlive it.
  const theirs = new Client(test.url).as(recipient);
  const { body: share } = await api.post('/sharing/request', { studyId, createdfor: recipient.id }).expect(201);
  const verificationCode = await shareCode(test.gateway, oid(share.data.id));
  await theirs.post('/sharing/verify', { sharingRequestId: share.data.id, verificationCode }).expect(200);
  const { text } = await theirs.get(`/studies/${studyId}`).expect(200);
  for (const id of [...ids, source.data.studyId]) expect(text).not.toContain(id);
  await theirs.get(`/studies/${source.data.studyId}`).expect(404);
  await ask(made[0] as string, { studyTitle: 'Mine' }, theirs).expect(403);
  await api.del(`/studies/${source.data.studyId}`, {}).expect(200);
  expect(hash(await bytesOf(theirs, `/upload/image/${made[1]}/content`))).toBe(hash(copies[1] as Buffer));
  await ask(first, { studyId, rectangles: [] }).expect(404);
  await api.del(`/sharing/${share.data.id}`).expect(200);
  for (const id of made) await theirs.get(`/upload/image/${id}/content`).expect(404);
});

it('A study of copies takes copies alone, each original once, and guests and carers see no more than the copies.', async () => {
  const { models } = test.gateway;
  const patient = await buildPatient(test.gateway);
  const carer = await buildPatient(test.gateway);
  await buildCarer(test.gateway, { patient, carer });
  const mine = { patientId: patient.id, mismatchReason: 'The file names nobody.' };
  const { body: pictures } = await api.post('/studies', { title: 'Khan, both hands' }).expect(201);
  const from: string = pictures.data.id;
  const ids = [
    await upload(files.jpeg, { studyId: from, ...mine }),
    await upload(files.jpeg, { studyId: from, patientId: patient.id }),
  ];
  const [first = '', second = ''] = ids;
  const ask = (id: string, more: Partial<BlackOut>, client = api) =>
    client.post(`/upload/image/${id}/blackout`, { rectangles: [strip], caption: 'Copy', noTextLeft: true, ...more });
  const { body: begun } = await ask(first, { studyTitle: 'Copies' }).expect(201);
  const studyId: string = begun.data.studyId;

  // Wishes for one original at once have one copy. The number of images and the space of the others stay as they were.
  const space = async () => (await models.Usage.findById(owner._id).lean())?.bytes;
  const before = await space();
  const answers = await Promise.all(
    [[strip], [], [], [{ ...strip, y1: 6 }], []].map((rectangles) => ask(second, { studyId, rectangles })),
  );
  const statuses = answers.map(({ status }) => status);
  expect([statuses.filter((status) => status === 201).length, new Set(statuses)]).toEqual([1, new Set([201, 422])]);
  const copyId: string = answers.find(({ status }) => status === 201)?.body.data.id;
  const copy = await models.Image.findById(copyId).lean<ImageDoc>();
  expect((await space()) ?? 0).toBe((before ?? 0) + (copy?.size ?? 0));
  const copies = { study: oid(studyId) };
  expect([await models.Image.countDocuments(copies), (await models.Study.findById(studyId).lean())?.images]).toEqual([
    2, 2,
  ]);

  // An upload may name somebody.
  const named = await api.upload(files.jpeg, { caption: 'Khan', studyId }).expect(422);
  expect(named.body.errors).toEqual([expect.objectContaining({ field: 'studyId' })]);
  expect(await models.Image.countDocuments(copies)).toBe(2);

  // A guest of the copies, and a carer of the patient.
  const { body: made } = await api.post('/sharing/guest', { studyId, expiresInHours: 24, download: true }).expect(201);
  const { pathname, hash: secret } = new URL(made.data.url);
  const link = pathname.replace('/guest/', '') + secret.replace('#', '.');
  const { body: opened } = await api.post('/guest/open', { link, code: made.data.code }).expect(200);
  const guest = new Client(test.url).as(opened.data.token as string);
  const { text } = await guest.get('/guest/view').expect(200);
  expect(text).toContain(copyId);
  for (const hidden of [...ids, from, patient.id, 'Khan']) expect(text).not.toContain(hidden);
  await guest.get(`/upload/image/${copyId}/content`).expect(200);
  for (const path of [`/studies/${from}/content`, `/upload/image/${first}/content`]) await guest.get(path).expect(404);
  const caring = new Client(test.url).as(carer);
  for (const path of [`/studies/${studyId}`, `/upload/image/${copyId}`]) await caring.get(path).expect(404);
  const byCarer = await ask(first, { studyTitle: 'Mine' }, caring);
  expect([403, 404]).toContain(byCarer.status);

  // A held original is looked at, and not copied.
  await models.Image.updateOne({ _id: oid(second) }, { $set: { held: oid(from) } });
  const held = await ask(second, { studyTitle: 'Held' });
  expect([403, 404]).toContain(held.status);
  expect(await models.Study.countDocuments({ owner: owner._id, copiesOf: oid(from) })).toBe(1);
});
