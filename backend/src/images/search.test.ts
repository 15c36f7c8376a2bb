import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { newId } from '@lightbox/core/db/ids.js';
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
