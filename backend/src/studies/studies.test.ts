import { randomUUID } from 'node:crypto';
import { appendAndTell } from '@lightbox/core/audit/append.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { seriesOf, sliceOf } from '@lightbox/core/studies/order.js';
import { titleOf } from '@lightbox/core/studies/title.js';
import { finishClosing } from '@lightbox/core/users/closing.js';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { Client, connectSocket } from '../testing/client.js';
import {
  buildAdmin,
  buildCarer,
  buildEmergency,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
  shareCode,
} from '../testing/factories.js';
import { files } from '../testing/files.js';
import { joinGateway } from '../testing/gateway.js';
import { type Slice, slice } from '../testing/slices.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
let friend: Person;
let uids = 0;
const newUid = () => `1.2.826.0.1.${++uids}`;

afterAll(closeInspectors);
beforeEach(async () => {
  [owner, friend] = await Promise.all([buildProvider(test.gateway), buildProvider(test.gateway)]);
});

type Fields = Record<string, string>;

const upload = async (file: Buffer, fields: Fields = {}, filename = 'file', as = owner): Promise<Row> => {
  const { body } = await api
    .as(as)
    .upload(file, { caption: 'A caption', ...fields }, filename)
    .expect(201);
  return body.data;
};
const uploadSlice = (wanted: Slice, fields: Fields = {}) => upload(slice(wanted), fields);

async function begin(fields: Fields = {}, as = owner): Promise<string> {
  const { body } = await api
    .as(as)
    .post('/studies', { title: 'Left hand', ...fields })
    .expect(201);
  return body.data.id;
}

interface Row {
  id: string;
  studyId?: string | null;
  seriesId?: string | null;
  isVerified: boolean;
  isShared: boolean;
  image_url: string | null;
  patient?: { id: string };
  study?: { id: string; imageCount: number; size: number; title: string; kind: string; modalities: string[] };
}

const read = async (as: Person, id: string) => (await api.as(as).get(`/studies/${id}`).expect(200)).body.data;
const statusOf = async (as: Person, path: string) => (await api.as(as).get(path)).status;
const rows = async (as: Person, list = 'shared-images', query = 'grouped=true'): Promise<Row[]> =>
  (await api.as(as).get(`/upload/${list}?${query}`).expect(200)).body.data;
const share = async (target: object, recipient: Person, as = owner) =>
  (
    await api
      .as(as)
      .post('/sharing/request', { ...target, createdfor: recipient.id })
      .expect(201)
  ).body.data;
const verify = async (as: Person, id: string) =>
  (
    await api
      .as(as)
      .post('/sharing/verify', { sharingRequestId: id, verificationCode: await shareCode(test.gateway, oid(id)) })
      .expect(200)
  ).body.data;
const studyOf = (id: string) => test.gateway.models.Study.findById(id).lean<StudyDoc>();
const eventsOf = (record: string, type: EventDoc['type']) =>
  test.gateway.models.Event.find({ record, type, status: 'success' }).lean<EventDoc[]>();

describe('files of one examination', () => {
  it('become one study, however many arrive at once at several gateways', async () => {
    const other = await joinGateway(test.config);
    const study = newUid();
    try {
      const apis = [api, new Client(other.url)];
      const count = 24;
      const made = await Promise.all(
        Array.from({ length: count }, (_, i) =>
          (apis[i % 2] as Client)
            .as(owner)
            .upload(slice({ study, number: 1, instance: i, z: (i * 7) % count }), { caption: `Slice ${i}` }),
        ),
      );
      expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
      const ids = new Set(made.map(({ body }) => body.data.studyId));
      expect(ids.size).toBe(1);
      const [id = ''] = ids;
      const shown = await read(owner, id);
      expect(shown).toMatchObject({
        kind: 'dicom',
        title: 'CT 2024-02-29',
        studyDate: '2024-02-29',
        modalities: ['CT'],
        imageCount: count,
        size: made.reduce((sum, { body }) => sum + body.data.size, 0),
        isVerified: true,
        isShared: false,
        owner: { id: owner.id },
      });
      const byPosition = made.map(({ body }, i) => ({ id: body.data.id, z: (i * 7) % count }));
      expect(shown.series).toHaveLength(1);
      expect(shown.series[0].images).toEqual(byPosition.sort((a, b) => a.z - b.z).map((one) => one.id));
      const leads = await test.gateway.models.Image.countDocuments({ study: id, isLead: true });
      expect(leads).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('are two studies for two owners, and for two patients of one owner', async () => {
    const study = newUid();
    const [one, other, patient, stranger] = [
      await uploadSlice({ study }),
      await upload(slice({ study }), {}, 'file', friend),
      await buildPatient(test.gateway),
      await buildPatient(test.gateway),
    ];
    expect(other.studyId).not.toBe(one.studyId);
    // The study that names nobody yet takes the first patient, and all its images with it.
    const named = await uploadSlice({ study }, { patientId: patient.id });
    expect(named.studyId).toBe(one.studyId);
    expect((await api.as(owner).get(`/upload/image/${one.id}`).expect(200)).body.data.patient.id).toBe(patient.id);
    const apart = await uploadSlice({ study }, { patientId: stranger.id });
    expect(apart.studyId).not.toBe(one.studyId);
    expect((await uploadSlice({ study }, { patientId: stranger.id })).studyId).toBe(apart.studyId);
    expect((await uploadSlice({ study })).studyId).toBe(one.studyId);
    expect(await rows(stranger)).toMatchObject([{ study: { id: apart.studyId, imageCount: 2 } }]);
    expect(await rows(patient)).toMatchObject([{ study: { id: one.studyId, imageCount: 3 } }]);
  });

  it('have their series in order: by number, and within by position, instance number or name', async () => {
    const study = newUid();
    const scout = await uploadSlice({ study, series: `${study}.9`, number: 2, instance: 2 });
    const scoutFirst = await uploadSlice({ study, series: `${study}.9`, number: 2, instance: 1 });
    const high = await uploadSlice({ study, number: 1, instance: 1, z: 10.5 });
    const low = await uploadSlice({ study, number: 1, instance: 2, z: -3 });
    const [ten, two] = [
      await upload(slice({ study, series: `${study}.8`, number: 3 }), {}, 'IM10'),
      await upload(slice({ study, series: `${study}.8`, number: 3 }), {}, 'IM2'),
    ];
    const { series } = await read(owner, scout.studyId ?? '');
    expect(series.map(({ number, images }: { number: number; images: string[] }) => ({ number, images }))).toEqual([
      { number: 1, images: [low.id, high.id] },
      { number: 2, images: [scoutFirst.id, scout.id] },
      { number: 3, images: [two.id, ten.id] },
    ]);
    expect(series[0].id).toBe(high.seriesId);
    expect(series[0].modality).toBe('CT');
    // Neither a UID nor the name of a file is stored in clear or leaves the server.
    const stored = await test.gateway.models.Image.find({ study: oid(scout.studyId ?? '') }).lean();
    expect(JSON.stringify([stored, await studyOf(scout.studyId ?? ''), series])).not.toMatch(/1\.2\.826|IM10/);
  });

  it('have the description of a series, unless it contains a part of the patient’s name', async () => {
    const [study, patientName] = [newUid(), 'KHAN^AMINA'];
    const series = (number: number, description: string) =>
      uploadSlice({ study, series: `${study}.${number}`, number, description, patientName });
    const { studyId } = await series(1, 'Chest, thin');
    await series(2, 'KHAN AMINA chest');
    const shown = await read(owner, studyId ?? '');
    expect(shown.series.map(({ description }: { description?: string }) => description)).toEqual([
      'Chest, thin',
      undefined,
    ]);
    const stored = await test.gateway.models.Image.find({ study: oid(studyId ?? '') }).lean();
    expect(JSON.stringify(stored)).not.toMatch(/khan|amina/i);
  });

  it('have slices in the order of their positions only where the slices are parallel', () => {
    const [study, createAt] = [newId(), new Date()];
    const image = (instance: number, z: number, orientation: number[]) => ({
      _id: newId(),
      createAt,
      place: { instance, ...sliceOf([0, 0, z], orientation) },
    });
    const axial = [1, 0, 0, 0, 1, 0];
    const order = (images: ReturnType<typeof image>[]) =>
      seriesOf(study, images, () => '').flatMap((series) => series.images.map(({ place }) => place.instance));
    expect(order([image(1, 5, axial), image(2, -1, axial), image(3, 2, axial)])).toEqual([2, 3, 1]);
    // A localizer: its slices have different normals.
    expect(order([image(3, 5, axial), image(2, 9, [0, 1, 0, 0, 0, -1]), image(1, 7, axial)])).toEqual([1, 2, 3]);
    expect(sliceOf([0, 0, 1], [1, 0, 0, 1, 0, 0])).toEqual({});
  });

  it.each([
    [{ studyDescription: 'Brain MRI', patientName: 'Roe^Jane' }, 'Brain MRI'],
    [
      { studyDescription: 'Mrs ROE knee', patientName: 'Röe^Jane', modality: 'MR', studyDate: '2024-02-01' },
      'MR 2024-02-01',
    ],
    [{ modality: 'US' }, 'US'],
    [{}, 'DICOM'],
  ])('%j gets the title %s', (identity, title) => {
    expect(titleOf(identity)).toBe(title);
  });
});

describe('a study of pictures', () => {
  it('takes pictures and PDFs of its owner, in the order of their names, and stands for them in grouped lists', async () => {
    const study = await begin({ title: ' Left\u200B  hand ' });
    expect(await read(owner, study)).toMatchObject({ title: 'Left hand', kind: 'pictures', imageCount: 0, series: [] });
    expect(await rows(owner, 'my-images')).toEqual([]);
    const [b, a, pdf] = [
      await upload(files.png, { studyId: study }, 'b.png'),
      await upload(files.jpeg, { studyId: study }, 'a.jpg'),
      await upload(files.pdf, { studyId: study }, 'C.pdf'),
    ];
    const lonely = await upload(files.png);
    const whole = await read(owner, study);
    expect(whole.series.map(({ images }: { images: string[] }) => images)).toEqual([[a.id, b.id, pdf.id]]);
    expect(whole).toMatchObject({ modalities: [], imageCount: 3, leadId: b.id });
    const listed = await rows(owner, 'my-images');
    expect(listed.map(({ id, study: of }) => [id, of?.id])).toEqual([
      [lonely.id, undefined],
      [b.id, study],
    ]);
    expect(lonely.studyId).toBeNull();
    expect((await rows(owner, 'my-images', '')).map(({ id }) => id)).toHaveLength(4);
    const { body } = await api.as(owner).get('/upload/my-images?grouped=true&limit=1').expect(200);
    expect(body.pagination).toMatchObject({ totalItems: 2, totalPages: 2 });
  });

  it('is not for DICOM files, other people’s files, files of another patient, or unknown', async () => {
    const patient = await buildPatient(test.gateway);
    const [study, dicom] = [await begin({ patientId: patient.id }), await uploadSlice({ study: newUid() })];
    const stranger = await buildPatient(test.gateway);
    const admin = await buildAdmin(test.gateway);
    const before = await test.gateway.models.Image.countDocuments();
    const refused = async (as: Person, file: Buffer, fields: Fields, field: string) => {
      const { body } = await api
        .as(as)
        .upload(file, { caption: 'x', ...fields })
        .expect(422);
      expect(body.errors).toMatchObject([{ field }]);
    };
    await refused(owner, slice({ study: newUid() }), { studyId: study }, 'studyId');
    await refused(owner, files.png, { studyId: dicom.studyId ?? '' }, 'studyId');
    await refused(friend, files.png, { studyId: study }, 'studyId');
    await refused(admin, files.png, { studyId: study }, 'studyId');
    await refused(owner, files.png, { studyId: String(owner._id) }, 'studyId');
    await refused(owner, files.png, { studyId: 'x' }, 'studyId');
    await refused(owner, files.png, { studyId: study, patientId: stranger.id }, 'patientId');
    expect(await test.gateway.models.Image.countDocuments()).toBe(before);
  });

  it('has one entry in the log for each act, and a repeated key begins one study', async () => {
    const key = randomUUID();
    const send = (title: string) => api.as(owner).post('/studies', { title }).set('Idempotency-Key', key);
    const [one, again] = await Promise.all([send('Hand').expect(201), send('Hand').expect(201)]);
    expect(again.body.data.id).toBe(one.body.data.id);
    await send('Foot').expect(422);
    const { id } = one.body.data;
    const { body } = await api.as(owner).put(`/studies/${id}`, { title: 'Right hand' }).expect(200);
    expect(body.data.title).toBe('Right hand');
    await read(owner, id);
    for (const type of ['study.created', 'study.updated', 'study.read'] as const) {
      expect(await eventsOf(id, type), type).toHaveLength(1);
    }
  });

  it('keeps its title and its images when a call is malformed', async () => {
    const study = await begin();
    const { id } = await upload(files.png, { studyId: study });
    const before = await studyOf(study);
    for (const body of [{}, { title: ' ' }, { title: 5 }, { title: 'x', patientId: owner.id }]) {
      await api.as(owner).put(`/studies/${study}`, body).expect(422);
    }
    await api
      .as(owner)
      .del(`/studies/${study}`, { reason: 'x'.repeat(501) })
      .expect(422);
    for (const absent of [id, 'x']) {
      for (const method of ['get', 'put', 'delete']) {
        await api
          .as(owner)
          .call(method, `/studies/${absent}`, method === 'put' ? { title: 'x' } : {})
          .expect(404);
      }
    }
    expect(await studyOf(study)).toEqual(before);
  });

  it.each([
    [{ title: '' }, 'title'],
    [{ title: '\u200B' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{}, 'title'],
    [{ title: 'x', patientId: 'x' }, 'patientId'],
    [{ title: 'x', patientId: '65e0a0f0f0f0f0f0f0f0f0f0' }, 'patientId'],
    [{ title: 'x', kind: 'dicom' }, 'kind'],
  ])('is not begun with %j', async (body, field) => {
    const answer = await api.as(owner).post('/studies', body).expect(422);
    expect(answer.body.errors).toMatchObject([{ field }]);
    expect(await test.gateway.models.Study.countDocuments({ owner: owner._id })).toBe(0);
  });
});

describe('a share of a study', () => {
  it('covers every image, also later ones: an outline before the code, then everything, until it is revoked', async () => {
    const study = newUid();
    const first = await uploadSlice({ study, instance: 1 });
    const id = first.studyId ?? '';
    const given = await share({ studyId: id }, friend);
    expect(given).toMatchObject({ studyId: id, imagemetadataId: first.id, createdfor: friend.id });
    const outline = await read(friend, id);
    expect(outline).toMatchObject({ id, isVerified: false, isShared: true, shareId: given.id, image_url: null });
    expect(outline.sharedBy.id).toBe(owner.id);
    for (const hidden of ['series', 'owner', 'patient', 'leadId']) expect(outline).not.toHaveProperty(hidden);
    expect(await statusOf(friend, `/upload/image/${first.id}/content`)).toBe(403);
    const later = await uploadSlice({ study, instance: 2 });
    expect(await statusOf(friend, `/upload/image/${later.id}/content`)).toBe(403);
    expect(await verify(friend, given.id)).toEqual({ imagemetadataId: first.id, studyId: id, isVerified: true });
    for (const image of [first, later]) expect(await statusOf(friend, `/upload/image/${image.id}/content`)).toBe(200);
    const last = await uploadSlice({ study, instance: 3 });
    expect(await statusOf(friend, `/upload/image/${last.id}/content`)).toBe(200);
    expect((await read(friend, id)).series[0].images).toEqual([first.id, later.id, last.id]);
    const listed = await rows(friend);
    expect(listed).toMatchObject([{ id: first.id, studyId: id, study: { id, imageCount: 3 }, isVerified: true }]);
    expect((await rows(friend, 'shared-images', '')).map((row) => row.id).sort()).toEqual(
      [first.id, later.id, last.id].sort(),
    );
    expect(await rows(owner)).toMatchObject([{ id: first.id }]);
    const { body } = await api.as(owner).get(`/sharing?imageId=${later.id}`).expect(200);
    expect(body.data).toMatchObject([{ id: given.id, studyId: id, isVerified: true }]);
    await api.as(owner).del(`/sharing/${given.id}`).expect(200);
    for (const image of [first, later, last]) expect(await statusOf(friend, `/upload/image/${image.id}`)).toBe(404);
    expect(await statusOf(friend, `/studies/${id}`)).toBe(404);
    expect([await rows(friend), await rows(owner)]).toEqual([[], []]);
  });

  it('and a share of one image: the verified one wins, and each ends alone', async () => {
    const study = newUid();
    const [lead, other] = [await uploadSlice({ study, instance: 1 }), await uploadSlice({ study, instance: 2 })];
    const id = lead.studyId ?? '';
    const single = await share({ imagemetadataId: other.id }, friend);
    await verify(friend, single.id);
    // Somebody who knows of one image only has a row for it, and learns nothing about its study.
    expect(await rows(friend)).toMatchObject([{ id: other.id, studyId: null, isVerified: true }]);
    expect((await rows(friend))[0]).not.toHaveProperty('study');
    expect(await statusOf(friend, `/studies/${id}`)).toBe(404);
    const whole = await share({ studyId: id }, friend);
    expect(await rows(friend)).toMatchObject([{ id: lead.id, study: { id } }]);
    expect(await statusOf(friend, `/upload/image/${other.id}/content`)).toBe(200);
    expect(await statusOf(friend, `/upload/image/${lead.id}/content`)).toBe(403);
    await api.as(owner).post('/sharing/request', { studyId: id, createdfor: friend.id }).expect(409);
    await api.as(owner).del(`/sharing/${single.id}`).expect(200);
    expect(await statusOf(friend, `/upload/image/${other.id}/content`)).toBe(403);
    await verify(friend, whole.id);
    expect(await statusOf(friend, `/upload/image/${other.id}/content`)).toBe(200);
    const admin = await buildAdmin(test.gateway);
    const why = await api.as(admin).get(`/users/${friend.id}/may?imageId=${other.id}`).expect(200);
    expect(why.body.data).toMatchObject({ because: 'verifiedShare', share: { shareId: whole.id } });
  });

  it('of the patient is made once, by the first upload that names them, and again only after it has ended', async () => {
    const [study, patient] = [newUid(), await buildPatient(test.gateway)];
    const { studyId } = await uploadSlice({ study }, { patientId: patient.id });
    const id = studyId ?? '';
    await uploadSlice({ study }, { patientId: patient.id });
    await uploadSlice({ study });
    const [made, ...more] = await eventsOf(id, 'share.create');
    expect(more).toEqual([]);
    expect(made?.refs).toMatchObject({ mailed: patient._id });
    expect(await read(patient, id)).toMatchObject({ isVerified: false });
    await api.as(owner).del(`/sharing/${made?.refs.share}`).expect(200);
    await uploadSlice({ study });
    expect(await eventsOf(id, 'share.create')).toHaveLength(1);
    const pictures = await begin({ patientId: patient.id });
    await upload(files.png, { studyId: pictures });
    const second = await upload(files.jpeg, { studyId: pictures });
    expect(second.patient?.id).toBe(patient.id);
    expect(await eventsOf(pictures, 'share.create')).toHaveLength(1);
  });

  it.each([
    ['for a day', {}],
    ['for a day, of copies without identity', { deidentified: true }],
  ])('that the patient has %s becomes the permanent one with the upload that names them first', async (_, terms) => {
    const [study, patient] = [newUid(), await buildPatient(test.gateway)];
    const first = await uploadSlice({ study });
    const given = await share({ studyId: first.studyId, ...terms }, patient);
    await verify(patient, given.id);
    await uploadSlice({ study }, { patientId: patient.id });
    const [live, ...more] = await test.gateway.models.Share.find({ recipient: patient._id, live: true }).lean();
    expect(more).toEqual([]);
    expect(live).toMatchObject({ study: oid(first.studyId ?? '') });
    expect(live).not.toHaveProperty('expiresAt');
    expect(live).not.toHaveProperty('deidentified');
  });

  it.each([
    [{}, 'imagemetadataId'],
    [{ studyId: 'x' }, 'studyId'],
    [{ studyId: '65e0a0f0f0f0f0f0f0f0f0f0', imagemetadataId: '65e0a0f0f0f0f0f0f0f0f0f0' }, 'studyId'],
  ])('is refused for %j', async (target, field) => {
    const body = { ...target, createdfor: friend.id };
    expect((await api.as(owner).post('/sharing/request', body).expect(422)).body.errors).toMatchObject([{ field }]);
    const both = await api.as(owner).post('/sharing/request', target).expect(422);
    expect(both.body.errors.map((error: { field: string }) => error.field).sort()).toEqual(
      ['createdfor', field].sort(),
    );
  });

  it('is refused of an empty study, to its owner, and by others', async () => {
    const study = await begin();
    const send = (as: Person, to: Person, studyId = study) =>
      api.as(as).post('/sharing/request', { studyId, createdfor: to.id });
    expect((await send(owner, friend).expect(422)).body.errors).toMatchObject([{ field: 'studyId' }]);
    await upload(files.png, { studyId: study });
    await send(owner, owner).expect(422);
    await send(friend, owner).expect(404);
    await send(owner, friend, friend.id).expect(404);
    await send(owner, friend).expect(201);
    // Somebody who may see the study may not share it.
    await send(friend, await buildProvider(test.gateway)).expect(403);
    await api.as(friend).put(`/studies/${study}`, { title: 'Mine' }).expect(403);
    await api.as(friend).del(`/studies/${study}`).expect(403);
    await api.as(friend).get(`/sharing?studyId=${study}`).expect(403);
  });
});

describe('people who see a study', () => {
  it('are told live about its share, its later images, its title and its end', async () => {
    const socket = await connectSocket(test.url, { token: friend.token });
    const study = newUid();
    const first = await uploadSlice({ study });
    const id = first.studyId ?? '';
    const given = await share({ studyId: id }, friend);
    expect(await socket.until('share:created')).toMatchObject([
      { sharingRequestId: given.id, imagemetadataId: first.id, studyId: id },
    ]);
    const later = await uploadSlice({ study });
    expect(await socket.until('image:uploaded')).toEqual([{ imagemetadataId: later.id, studyId: id }]);
    await api.as(owner).put(`/studies/${id}`, { title: 'Chest' }).expect(200);
    expect(await socket.until('study:updated')).toEqual([{ studyId: id }]);
    await api.as(owner).del(`/studies/${id}`).expect(200);
    expect(await socket.until('study:deleted')).toEqual([{ studyId: id }]);
    const gone = (await socket.until('image:deleted', 2)) as { imagemetadataId: string; studyId: string }[];
    expect(gone.map(({ imagemetadataId }) => imagemetadataId).sort()).toEqual([first.id, later.id].sort());
    expect(gone[0]?.studyId).toBe(id);
    socket.socket.close();
  });

  it('are told live about its title as carers and by an emergency access too', async () => {
    const [patient, carer] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    const image = await buildStudy(test.gateway, { owner, patient: patient._id });
    await buildShare(test.gateway, { image, recipient: patient, verified: true });
    await buildCarer(test.gateway, { patient, carer });
    await buildEmergency(test.gateway, { patient, provider: friend });
    const sockets = await Promise.all([carer, friend].map(({ token }) => connectSocket(test.url, { token })));
    const id = String(image.study);
    await api.as(owner).put(`/studies/${id}`, { title: 'Right hand' }).expect(200);
    for (const one of sockets) {
      expect(await one.until('study:updated')).toEqual([{ studyId: id }]);
      one.socket.close();
    }
  });

  it('are told live that it, or an image, passes to an administrator, as carers and by an emergency access too', async () => {
    const [patient, carer] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    await buildAdmin(test.gateway);
    const wishes = { owner, patient: patient._id };
    const [{ study, ...lead }, image] = [
      await buildStudy(test.gateway, wishes),
      await buildImage(test.gateway, wishes),
    ];
    for (const one of [{ study, ...lead }, image])
      await buildShare(test.gateway, { image: one, recipient: patient, verified: true });
    await buildCarer(test.gateway, { patient, carer });
    await buildEmergency(test.gateway, { patient, provider: friend });
    const sockets = await Promise.all([carer, friend].map(({ token }) => connectSocket(test.url, { token })));
    const end = new Date(test.gateway.clock.now().getTime() + 60_000);
    expect(await finishClosing(test.gateway, { ip: '' }, owner._id, end)).toBe(true);
    for (const one of sockets) {
      expect(await one.until('study:updated')).toEqual([{ studyId: String(study) }]);
      expect(await one.until('image:updated')).toEqual([{ imagemetadataId: image.id }]);
      one.socket.close();
    }
  });

  it('find its share and its looks in the timeline of each of its images', async () => {
    const study = newUid();
    const [one, other] = [await uploadSlice({ study }), await uploadSlice({ study })];
    const id = one.studyId ?? '';
    const given = await share({ studyId: id }, friend);
    await verify(friend, given.id);
    await read(friend, id);
    const socket = await connectSocket(test.url, { token: owner.token });
    await appendAndTell(test.gateway);
    const told = { imagemetadataId: one.id, studyId: id };
    await expect.poll(() => socket.seen('image:activity')).toContainEqual(told);
    socket.socket.close();
    const { body } = await api.as(owner).get(`/upload/image/${other.id}/timeline`).expect(200);
    expect(body.data.map((row: { actiontype: string; user: { id: string } }) => [row.actiontype, row.user.id])).toEqual(
      [
        ['study.read', friend.id],
        ['share.verify', friend.id],
        ['share.create', owner.id],
        ['image.upload', owner.id],
      ],
    );
  });
});

describe('deleting', () => {
  it('the image that stands for a study lets the next one stand for it, with the shares', async () => {
    const study = newUid();
    const [lead, next] = [await uploadSlice({ study, instance: 1 }), await uploadSlice({ study, instance: 2 })];
    const id = lead.studyId ?? '';
    const given = await share({ studyId: id }, friend);
    await verify(friend, given.id);
    await api.as(owner).del(`/upload/image/${lead.id}`, { reason: 'Blurred' }).expect(200);
    expect(await rows(friend)).toMatchObject([{ id: next.id, study: { id, imageCount: 1 } }]);
    expect(await rows(owner, 'my-images')).toMatchObject([{ id: next.id }]);
    await api.as(owner).del(`/upload/image/${next.id}`, { reason: 'Blurred' }).expect(200);
    expect(await studyOf(id)).toBeNull();
    expect(await test.gateway.models.Share.countDocuments({ study: id, live: true })).toBe(0);
    expect([await rows(friend), await rows(owner, 'my-images')]).toEqual([[], []]);
  });

  it('a study removes all its images, blobs, shares and analyses, with one entry and a reason', async () => {
    const [study, patient] = [newUid(), await buildPatient(test.gateway)];
    const images = [await uploadSlice({ study }, { patientId: patient.id }), await uploadSlice({ study })];
    const id = images[0]?.studyId ?? '';
    await share({ studyId: id }, friend);
    await share({ imagemetadataId: images[1]?.id }, friend);
    const { Image, Share, Tombstone, Usage } = test.gateway.models;
    const records = await Image.find({ study: id }).lean<ImageDoc[]>();
    await api.as(owner).del(`/studies/${id}`).expect(422);
    await api.as(owner).del(`/studies/${id}`, { reason: 'Wrong person' }).expect(200);
    expect(await studyOf(id)).toBeNull();
    expect(await Image.countDocuments({ study: id })).toBe(0);
    expect(
      await Share.countDocuments({ $or: [{ study: id }, { image: { $in: records.map((r) => r._id) } }], live: true }),
    ).toBe(0);
    expect(await Tombstone.countDocuments({ _id: { $in: records.map(({ blob }) => blob) } })).toBe(2);
    expect(await Usage.findById(owner._id).lean()).toMatchObject({ files: 0, bytes: 0 });
    const [event, ...more] = await eventsOf(id, 'study.deleted');
    expect(more).toEqual([]);
    expect(event).toMatchObject({ reason: 'Wrong person', owners: [owner._id, owner._id] });
    expect(event?.records?.map(String).sort()).toEqual(images.map((image) => image.id).sort());
    expect(event?.recipients.map(String)).toEqual(expect.arrayContaining([owner.id, friend.id, patient.id]));
    expect(await statusOf(friend, `/upload/image/${images[0]?.id}`)).toBe(404);
    await api.as(owner).del(`/studies/${id}`, { reason: 'Wrong person' }).expect(404);
    // The same examination may be uploaded again.
    expect((await uploadSlice({ study })).studyId).not.toBe(id);
  });
});
