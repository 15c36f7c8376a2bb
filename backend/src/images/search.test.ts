import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import { addCards } from '@lightbox/core/access/cards.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFields } from '@lightbox/core/users/search.js';
import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
} from '../testing/factories.js';
import { png } from '../testing/files.js';
import { profiled } from '../testing/profiled.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

const ask = (viewer: Person, conditions: Record<string, unknown>, query = '') =>
  api.as(viewer).post(`/upload/search${query}`, conditions);
async function found(viewer: Person, conditions: ImageSearch): Promise<string[]> {
  const { body } = await ask(viewer, conditions).expect(200);
  expect(body.pagination.totalItems).toBe(body.data.length);
  return body.data.map(({ id }: { id: string }) => id);
}

describe('A search', () => {
  let provider: Person;
  let patient: Person;
  let hand: BuiltImage;
  let chest: BuiltImage;
  let report: BuiltImage;

  beforeAll(async () => {
    provider = await buildProvider(test.gateway);
    patient = await buildPatient(test.gateway, { firstname: 'نور', lastname: 'کریمی' });
    hand = await buildImage(test.gateway, { owner: provider, caption: 'Linke Hand, façade' });
    chest = await buildImage(test.gateway, {
      owner: provider,
      patient: patient._id,
      caption: 'Chest PA T2-weighted',
      contentType: 'application/dicom',
      dicom: { modality: 'CT', studyDate: '2019-03-05' },
    });
    report = await buildImage(test.gateway, {
      owner: provider,
      caption: 'سینہ رپورٹ ۱۲',
      contentType: 'application/pdf',
      createAt: new Date('2024-02-01T10:00:00Z'),
    });
  });

  it.each<[string, ImageSearch, string[]]>([
    ['the beginning of a word of the caption, in any case', { text: 'CHE' }, ['chest']],
    ['words in any order', { text: 'pa chest' }, ['chest']],
    ['a part of a word with a dash', { text: 't2-w' }, ['chest']],
    ['a letter without its accent', { text: 'facade' }, ['hand']],
    ['no middle of a word', { text: 'hest' }, []],
    ['no pattern', { text: '.*' }, ['hand', 'chest', 'report']],
    ['Arabic forms of Urdu letters', { text: 'سينه' }, ['report']],
    ['European digits', { text: '12' }, ['report']],
    ['the name of the patient', { text: 'نور' }, ['chest']],
    ['the name of the patient, typed on an Arabic keyboard, with the caption', { text: 'كريمي chest' }, ['chest']],
    ['the kind picture', { kind: 'picture' }, ['hand']],
    ['the kind PDF', { kind: 'pdf' }, ['report']],
    ['the kind DICOM', { kind: 'dicom' }, ['chest']],
    ['the modality', { modality: 'CT' }, ['chest']],
    ['the date of the study', { from: '2019-03-05', to: '2019-03-05' }, ['chest']],
    ['the date of the upload', { from: '2024-01-31', to: '2024-02-02' }, ['report']],
    ['the list', { list: 'shared' }, []],
    ['the list and a text', { list: 'uploaded', text: 'chest' }, ['chest']],
  ])('A search by %s finds its images.', async (_, conditions, names) => {
    const ids = { hand: hand.id, chest: chest.id, report: report.id } as Record<string, string>;
    expect((await found(provider, conditions)).sort()).toEqual(names.map((name) => ids[name]).sort());
  });

  it('A search by patient finds the images of this patient alone, for the owner and for administrators.', async () => {
    const admin = await buildAdmin(test.gateway);
    for (const viewer of [provider, admin]) {
      expect(await found(viewer, { patientId: patient.id })).toEqual([chest.id]);
      expect(await found(viewer, { patientId: String(newId()) })).toEqual([]);
    }
    expect(await found(admin, { text: 'نور', list: 'uploaded' })).toEqual([chest.id]);
  });

  it('A search finds a study by its new title.', async () => {
    const study = await buildStudy(test.gateway, { owner: provider });
    await api.as(provider).put(`/studies/${study.study}`, { title: 'Wrist series' }).expect(200);
    expect(await found(provider, { text: 'wrist' })).toEqual([study.id]);
  });

  it('A search finds a study of pictures by the caption of each picture, as long as it is in the study.', async () => {
    const study = await buildStudy(test.gateway, { owner: provider });
    const client = api.as(provider);
    const added = await client.upload(png(4, 4, 400), { caption: 'Elbow, oblique', studyId: String(study.study) });
    expect(added.status).toBe(201);
    expect(await found(provider, { text: 'oblique' })).toEqual([study.id]);
    await client.del(`/upload/image/${added.body.data.id}`).expect(200);
    expect(await found(provider, { text: 'oblique' })).toEqual([]);
  });

  it.each([
    { text: 'x'.repeat(101) },
    { modality: '$ne' },
    { modality: { $ne: 'CT' } },
    { from: '5 March' },
    { state: 'all' },
    { person: 'x' },
  ])('A search with %j is refused.', async (conditions) => {
    await ask(provider, conditions).expect(422);
  });
});

describe('A search by a recipient', () => {
  it.each(['patient', 'healthProvider'] as const)(
    'A %s finds a share by nothing that its card hides, until the code is entered.',
    async (role) => {
      const recipient = await (role === 'patient' ? buildPatient : buildProvider)(test.gateway);
      const stranger = await buildProvider(test.gateway);
      const patient = role === 'patient' ? recipient : await buildPatient(test.gateway, { firstname: 'Zubaida' });
      const name = (await test.gateway.models.User.findById(patient._id).lean())?.firstname ?? '';
      const image = await buildImage(test.gateway, {
        caption: 'Knee, lateral',
        patient: patient._id,
        contentType: 'application/dicom',
        dicom: { modality: 'MR', studyDate: '2018-01-02' },
      });
      const hidden: ImageSearch[] = [
        { text: 'knee' },
        { text: name },
        { patientId: patient.id },
        { modality: 'MR' },
        { to: '2018-12-31' },
      ];
      const { id, code } = await buildShare(test.gateway, { image, recipient });
      for (const conditions of hidden)
        expect(await found(recipient, conditions), JSON.stringify(conditions)).toEqual([]);
      expect(await found(recipient, { kind: 'dicom', state: 'notVerified' })).toEqual([image.id]);

      await api.as(recipient).post('/sharing/verify', { sharingRequestId: id, verificationCode: code }).expect(200);
      for (const conditions of hidden) {
        expect(await found(recipient, conditions), JSON.stringify(conditions)).toEqual([image.id]);
        expect(await found(stranger, conditions)).toEqual([]);
      }
      expect(await found(recipient, { state: 'notVerified' })).toEqual([]);
      await api.as(image.owner).del(`/sharing/${id}`).expect(200);
      for (const conditions of hidden) expect(await found(recipient, conditions)).toEqual([]);
    },
  );

  it('The states of shares are those of the own share for a recipient, and of any share for the owner.', async () => {
    const image = await buildImage(test.gateway, { caption: 'Ankle' });
    const [first, second] = [await buildProvider(test.gateway), await buildProvider(test.gateway)];
    const share = await buildShare(test.gateway, { image, recipient: first, hours: 200 });
    await buildShare(test.gateway, { image, recipient: second, verified: true, hours: 20 });
    const states = async (viewer: Person) => {
      const all = ['notVerified', 'locked', 'endsSoon'] as const;
      const hits = await Promise.all(all.map((state) => found(viewer, { state })));
      return all.filter((_, i) => hits[i]?.includes(image.id));
    };
    expect(await states(image.owner)).toEqual(['notVerified', 'endsSoon']);
    expect(await states(first)).toEqual(['notVerified']);
    expect(await states(second)).toEqual(['endsSoon']);

    const guess = { sharingRequestId: share.id, verificationCode: share.code === '000000' ? '111111' : '000000' };
    for (let i = 0; i < 5; i++) await api.as(first).post('/sharing/verify', guess);
    expect(await states(image.owner)).toEqual(['notVerified', 'locked', 'endsSoon']);
    await api.as(image.owner).post(`/sharing/${share.id}/resend`, {}).expect(200);
    await api.as(image.owner).call('put', `/sharing/${share.id}`, { expiresInHours: 2 }).expect(200);
    expect(await states(first)).toEqual(['notVerified', 'endsSoon']);
  });
});

it('A new share of an old image stands first in the recipient’s list, and the owner’s list keeps its order.', async () => {
  const [owner, recipient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
  const dated = (caption: string, day: string) =>
    buildImage(test.gateway, { owner, caption, createAt: new Date(`${day}T08:00:00Z`) });
  const [oldest, older, newer] = [
    await dated('oldest', '2020-01-01'),
    await dated('older', '2021-01-01'),
    await dated('newer', '2022-01-01'),
  ];
  for (const image of [newer, oldest, older]) await buildShare(test.gateway, { image, recipient });
  const listed = async (viewer: Person, query: string) => {
    const { body } = await api.as(viewer).get(`/upload/shared-images?grouped=true${query}`).expect(200);
    return body.data.map(({ id }: { id: string }) => id);
  };
  const byShare = [older.id, oldest.id, newer.id];
  expect(await listed(recipient, '')).toEqual(byShare);
  expect(await listed(recipient, '&sort=createAt')).toEqual(byShare.toReversed());
  expect(await listed(owner, '')).toEqual([newer.id, older.id, oldest.id]);
});

describe('Among 10,000 images of one owner', () => {
  const MANY = 10_000;
  const PATIENTS = 2_000;
  const parts = ['Chest', 'Hand', 'Knee', 'Skull'];
  let owner: Person;

  beforeAll(async () => {
    const { Image } = test.gateway.models;
    const sample = await buildImage(test.gateway);
    const base = await Image.findById(sample._id).lean<ImageDoc>();
    owner = await buildProvider(test.gateway);
    const patient = await test.gateway.models.User.findById((await buildPatient(test.gateway))._id).lean<UserDoc>();
    const patients = Array.from({ length: PATIENTS }, (_, i) => {
      const names = { firstname: `Given${i}`, lastname: 'Family', username: `p${i}`, email: `p${i}@hospital.test` };
      return { ...patient, _id: newId(), ...names, usernameKey: names.username, ...searchFields(names) };
    });
    await test.gateway.models.User.collection.insertMany(patients as never[]);
    const images = Array.from({ length: MANY }, (_, i) => ({
      ...base,
      patient: patients[i % PATIENTS]?._id,
      _id: newId(),
      owner: owner._id,
      caption: `${parts[i % 4]} view n${i}`,
      createAt: new Date(Date.UTC(2024, 0, 1) + Math.floor(i / 3) * 60_000),
    }));
    await Image.collection.insertMany(images as never[]);
    for (let after = images[0]?._id ?? null; after; ) after = await addCards(test.gateway.models, after, new Date());
  });

  it.each<ImageSearch>([
    { kind: 'pdf' },
    { modality: 'MG' },
    { state: 'locked' },
    { state: 'endsSoon' },
    { state: 'notVerified' },
    { from: '2019-01-01', to: '2019-01-08' },
  ])('A search by %j, which few images meet, reads few cards.', async (conditions) => {
    const reads = await profiled(test.gateway.db, async () => expect(await found(owner, conditions)).toEqual([]));
    const ofCards = reads.filter(({ ns }) => ns.endsWith('.cards'));
    expect(ofCards.length).toBeGreaterThan(0);
    for (const { keysExamined = 0, docsExamined = 0 } of ofCards) expect(keysExamined + docsExamined).toBeLessThan(100);
  });

  it('A search by a name reads the cards of that name, and finds all images, however many patients have it.', async () => {
    const totalOf = async (text: string, viewer = owner): Promise<number> =>
      (await ask(viewer, { text }).expect(200)).body.pagination.totalItems;
    await totalOf('given1234');
    const reads = await profiled(test.gateway.db, async () => expect(await totalOf('given1234')).toBe(MANY / PATIENTS));
    for (const { docsExamined = 0, ns } of reads) expect(docsExamined, ns).toBeLessThan(100);
    const admin = await buildAdmin(test.gateway);
    for (const viewer of [owner, admin]) expect(await totalOf('family given77', viewer)).toBe((11 * MANY) / PATIENTS);
  });

  it('A far month is found without counting the images before it, and its page begins with its newest image.', async () => {
    for (const sort of ['-createAt', 'createAt'] as const) {
      const at = new Date(Date.UTC(2024, 0, 1) + 1_500 * 60_000).toISOString();
      const wish = { list: 'uploaded', at, limit: 10, sort };
      let place: Response | undefined;
      const reads = await profiled(test.gateway.db, async () => {
        place = await api.as(owner).post('/upload/place', wish).expect(200);
      });
      const { page, cursor } = place?.body.data ?? {};
      for (const { keysExamined = 0, docsExamined = 0 } of reads) {
        expect(Math.max(keysExamined, docsExamined)).toBeLessThan(1_500);
      }
      // All images of this list are equally far apart, so the estimate is right.
      expect(Math.abs(page - (sort === 'createAt' ? 450 : 550))).toBeLessThan(3);
      const query = `sort=${sort}&shared=false&grouped=true&limit=10&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await api.as(owner).get(`/upload/my-images?${query}`).expect(200);
      expect(body.data[0].createAt).toBe(at);
      expect(body.pagination).toMatchObject({ currentPage: page, hasPrevPage: true });
    }
  });

  it.each([
    ['every image', { text: 'view' }],
    ['a quarter', { text: 'chest' }],
    ['every image, by the name of all patients', { text: 'family' }],
    ['every image, by a letter', { text: 'g' }],
    ['one', { text: 'n9876' }],
    ['one, by a frequent and a rare word', { text: 'view n9876' }],
    ['one, by a rare and a frequent word', { text: 'n9876 view' }],
    ['a few, by a frequent word and a rare name', { text: 'view given77' }],
    ['none', { text: 'shoulder' }],
  ])(
    'A search that finds %s reads by an index no more cards than its page and its total need.',
    async (_, conditions) => {
      const admin = await buildAdmin(test.gateway);
      for (const viewer of [owner, admin]) {
        const reads = await profiled(test.gateway.db, () => ask(viewer, conditions).expect(200));
        const ofCards = reads.filter(({ ns }) => ns.endsWith('.cards'));
        expect(ofCards.length).toBeGreaterThan(0);
        // An administrator meets the one image of another owner too.
        const most = limits.exactTotal + (viewer === owner ? 1 : 2);
        for (const { planSummary, keysExamined, docsExamined } of ofCards) {
          expect(planSummary).toMatch(/^IXSCAN/);
          expect(keysExamined).toBeLessThanOrEqual(most);
          expect(docsExamined).toBeLessThanOrEqual(most);
        }
      }
    },
  );
});

describe('The months of a list', () => {
  it('are those of the time zone, and each is found on its page', async () => {
    const owner = await buildProvider(test.gateway);
    const times = [
      // 1 November in Karachi, 31 October in Greenwich.
      ...Array.from({ length: 12 }, (_, i) => `2026-10-31T20:${String(10 + i)}:00.000Z`),
      ...Array.from({ length: 9 }, (_, i) => `2026-10-0${i + 1}T10:00:00.000Z`),
      '2024-02-29T10:00:00.000Z',
    ];
    for (const at of times) await buildImage(test.gateway, { owner, createAt: new Date(at) });
    const months = async (timeZone: string) => {
      const { body } = await api.as(owner).post('/upload/months', { list: 'uploaded', timeZone }).expect(200);
      return body.data.map(({ at }: { at: string }) => at);
    };
    expect(await months('Asia/Karachi')).toEqual([
      '2026-10-31T20:21:00.000Z',
      '2026-10-09T10:00:00.000Z',
      '2024-02-29T10:00:00.000Z',
    ]);
    expect(await months('UTC')).toEqual(['2026-10-31T20:21:00.000Z', '2024-02-29T10:00:00.000Z']);
    const rows = async (query: string) =>
      (await api.as(owner).get(`/upload/my-images?shared=false&grouped=true&limit=5&${query}`).expect(200)).body;
    for (const sort of ['-createAt', 'createAt'] as const) {
      for (const [at, page] of [
        ['2026-10-09T10:00:00.000Z', 3],
        ['2024-02-29T10:00:00.000Z', sort === 'createAt' ? 1 : 5],
      ] as const) {
        const wish = { list: 'uploaded', at, limit: 5, sort };
        const place = (await api.as(owner).post('/upload/place', wish).expect(200)).body.data;
        const wanted = sort === 'createAt' && page === 3 ? 2 : page;
        expect(place.page, `${sort} ${at}`).toBe(wanted);
        const byNumber = await rows(`sort=${sort}&page=${place.page}`);
        const shown = place.cursor ? await rows(`sort=${sort}&cursor=${encodeURIComponent(place.cursor)}`) : byNumber;
        expect(shown.data.map(({ id }: { id: string }) => id)).toEqual(
          byNumber.data.map(({ id }: { id: string }) => id),
        );
        expect(shown.pagination.currentPage).toBe(place.page);
        expect(shown.data.map(({ createAt }: { createAt: string }) => createAt)).toContain(at);
      }
    }
    const stranger = await buildProvider(test.gateway);
    expect((await api.as(stranger).post('/upload/months', { list: 'uploaded', timeZone: 'UTC' })).body.data).toEqual(
      [],
    );
  });
});
