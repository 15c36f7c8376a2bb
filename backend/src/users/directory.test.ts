import type { Role } from '@lightbox/contract/permissions.js';
import { conversationOf } from '@lightbox/core/messages.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildAdmin, buildImage, buildPatient, buildProvider, buildShare, type Person } from '../testing/factories.js';
import { buildGateway, type TestGateway } from '../testing/gateway.js';

let test: TestGateway;
let api: Client;
let boss: Person;

beforeAll(async () => {
  test = await buildGateway();
  api = new Client(test.url);
  boss = await buildAdmin(test.gateway);
});
afterAll(() => test.stop());

async function set(patients: 'all' | 'known') {
  const { models, settings, clock } = test.gateway;
  const now = clock.now();
  const rest = { description: '', updatedAt: now };
  await models.Setting.updateOne(
    { name: 'directory.patients' },
    { $set: { value: patients, ...rest }, $setOnInsert: { createAt: now } },
    { upsert: true },
  );
  settings.forget();
}

interface Two {
  provider: Person;
  patient: Person;
}

const share = async ({ provider, patient }: Two, how: Parameters<typeof buildShare>[1] = {}) => {
  const image = await buildImage(test.gateway, { owner: provider });
  await buildShare(test.gateway, { image, recipient: patient, ...how });
};
/** An image that an administrator filed for the patient and handed to the provider. */
const handed = async ({ provider, patient }: Two, verified: boolean) => {
  const image = await buildImage(test.gateway, { owner: boss, patient: patient._id });
  await buildShare(test.gateway, { image, recipient: provider, verified });
};
const chatted = async (a: Person, b: Person) => {
  const members = [a._id, b._id];
  const chat = { _id: conversationOf(a._id, b._id), members, seq: 0, lastAt: test.gateway.clock.now(), read: {} };
  await test.gateway.models.Conversation.create([chat]);
};

/** What may be between a provider and a patient, and whether the two know each other by it. */
const states: [string, boolean, (two: Two) => Promise<unknown>][] = [
  ['nothing', false, async () => undefined],
  ['a live share', true, (two) => share(two)],
  ['a share that ran out', true, (two) => share(two, { hours: -1 })],
  ['a share that was revoked', true, (two) => share(two, { revoked: true })],
  [
    'an image of the patient that the provider owns',
    true,
    ({ provider, patient }) => buildImage(test.gateway, { owner: provider, patient: patient._id }),
  ],
  ['an image of the patient that the provider opened', true, (two) => handed(two, true)],
  ['an image of the patient that the provider has not opened', false, (two) => handed(two, false)],
  ['a conversation', true, ({ provider, patient }) => chatted(provider, patient)],
  ['an image that another provider keeps', false, ({ patient }) => buildImage(test.gateway, { patient: patient._id })],
  ['a share from another provider', false, ({ patient }) => buildShare(test.gateway, { recipient: patient })],
];

const table = (['all', 'known'] as const).flatMap((patients) =>
  states.map(([state, tied, make]) => ({ patients, state, found: patients === 'all' || tied, make })),
);

describe.each(table)('with directory.patients = $patients and $state', ({ patients, found, make }) => {
  let two: Two;
  beforeEach(async () => {
    await set(patients);
    two = { provider: await buildProvider(test.gateway), patient: await buildPatient(test.gateway) };
    await make(two);
  });
  const list = async (viewer: Person, search: string) =>
    (await api.as(viewer).get(`/users?search=${search}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

  it('list, account, sharing and writing agree', async () => {
    const { provider, patient } = two;
    const asProvider = api.as(provider);
    expect(await list(provider, patient.username)).toEqual(found ? [patient.id] : []);
    await asProvider.get(`/users/${patient.id}`).expect(found ? 200 : 404);
    const image = await buildImage(test.gateway, { owner: provider });
    // The patient's own view is the same in every state; so is an administrator's.
    expect(await list(patient, provider.username)).toEqual([provider.id]);
    await api.as(patient).get(`/users/${provider.id}`).expect(200);
    await api.as(boss).get(`/users/${patient.id}`).expect(200);
    // Writing last: a message, and a share, are ties themselves.
    const send = (from: Person, to: Person) => api.as(from).post('/message/send', { recipientId: to.id, content: 'x' });
    await send(patient, provider).expect(found ? 201 : 404);
    await send(provider, patient).expect(found ? 201 : 404);
    await asProvider
      .post('/sharing/request', { imagemetadataId: image.id, createdfor: patient.id })
      .expect(found ? 201 : 404);
  });
});

it('who is no patient is found as ever while only known patients are', async () => {
  await set('known');
  const build: Record<Role, () => Promise<Person>> = {
    patient: () => buildPatient(test.gateway),
    healthProvider: () => buildProvider(test.gateway),
    admin: () => buildAdmin(test.gateway),
  };
  const sees: [Role, Role, boolean][] = [
    ['patient', 'patient', false],
    ['patient', 'healthProvider', true],
    ['patient', 'admin', true],
    ['healthProvider', 'patient', false],
    ['healthProvider', 'healthProvider', true],
    ['healthProvider', 'admin', true],
    ['admin', 'patient', true],
    ['admin', 'healthProvider', true],
    ['admin', 'admin', true],
  ];
  for (const [viewer, other, seen] of sees) {
    const caller = api.as(await build[viewer]());
    const { id, username } = await build[other]();
    await caller.get(`/users/${id}`).expect(seen ? 200 : 404);
    const { body } = await caller.get(`/users?search=${username}`).expect(200);
    expect(body.data.length, `${viewer} → ${other}`).toBe(seen ? 1 : 0);
  }
});

it('a patient goes on answering in a chat from before, and the list says how many are known', async () => {
  await set('all');
  const [provider, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
  const write = (from: Person, to: Person) =>
    api.as(from).post('/message/send', { recipientId: to.id, content: 'x' }).expect(201);
  await write(provider, patient);
  await set('known');
  await write(patient, provider);
  await write(provider, patient);
  const patients = await api.as(provider).get('/users?role=patient').expect(200);
  expect(patients.body.data.map(({ id }: { id: string }) => id)).toEqual([patient.id]);
  const all = await api.as(provider).get('/users').expect(200);
  const stats = await api.as(provider).get('/stats').expect(200);
  expect(stats.body.data.totalUsers).toBe(all.body.pagination.totalItems);
});
