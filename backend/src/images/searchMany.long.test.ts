import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import { addCards } from '@lightbox/core/access/cards.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFields } from '@lightbox/core/users/search.js';
import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildAdmin, buildImage, buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { profiled } from '../testing/profiled.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

const ask = (viewer: Person, conditions: Record<string, unknown>) => api.as(viewer).post('/upload/search', conditions);

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
    const reads = await profiled(test.gateway.db, async () => {
      const { body } = await ask(owner, conditions).expect(200);
      expect([body.data, body.pagination.totalItems]).toEqual([[], 0]);
    });
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
