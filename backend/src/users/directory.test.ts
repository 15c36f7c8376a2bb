import { limits } from '@lightbox/contract/limits.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildAdmin, buildImage, buildPatient, buildProvider, buildShare, type Person } from '../testing/factories.js';
import { buildGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';
import { countPeopleRead } from './bulkReads.js';

const { test, api } = useGateway();
let boss: Person;

beforeAll(async () => {
  boss = await buildAdmin(test.gateway);
});

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
const handed = async ({ provider, patient }: Two, how: Parameters<typeof buildShare>[1] = {}) => {
  const image = await buildImage(test.gateway, { owner: boss, patient: patient._id });
  await buildShare(test.gateway, { image, recipient: provider, ...how });
};
const chatted = async (a: Person, b: Person, daysAgo = 0) => {
  const members = [a._id, b._id];
  const lastAt = new Date(test.gateway.clock.now().getTime() - daysAgo * 86_400_000);
  const chat = { _id: conversationOf(a._id, b._id), members, seq: 0, lastAt, read: {} };
  await test.gateway.models.Conversation.create([chat]);
};

/** The relations between a provider and a patient, and whether each is a care relationship. */
const states: [string, boolean, (two: Two) => Promise<unknown>][] = [
  ['nothing', false, async () => undefined],
  ['a live share', true, (two) => share(two)],
  ['a share that ran out', false, (two) => share(two, { hours: -1 })],
  ['a share that was revoked', false, (two) => share(two, { revoked: true })],
  [
    'an image of the patient that the provider owns',
    true,
    ({ provider, patient }) => buildImage(test.gateway, { owner: provider, patient: patient._id }),
  ],
  ['an image of the patient that the provider opened', true, (two) => handed(two, { verified: true })],
  ['an image of the patient that the provider has not opened', false, (two) => handed(two)],
  [
    'an image of the patient that the provider opened, before its share ended',
    false,
    (two) => handed(two, { verified: true, revoked: true }),
  ],
  [
    'a copy without identity that the provider opened, of an image of the patient',
    false,
    (two) => handed(two, { verified: true, deidentified: true }),
  ],
  ['a chat of the last year', true, ({ provider, patient }) => chatted(provider, patient, limits.tieDays - 1)],
  ['a chat of more than a year ago', false, ({ provider, patient }) => chatted(provider, patient, limits.tieDays + 1)],
  ['an image that another provider keeps', false, ({ patient }) => buildImage(test.gateway, { patient: patient._id })],
  ['a share from another provider', false, ({ patient }) => buildShare(test.gateway, { recipient: patient })],
];

const table = (['all', 'known'] as const).flatMap((patients) =>
  states.map(([state, tied, make]) => ({ patients, state, tied, found: patients === 'all' || tied, make })),
);

describe.each(table)('with directory.patients = $patients and $state', ({ patients, tied, found, make }) => {
  // The first test only reads.
  let two: Two;
  beforeAll(async () => {
    await set(patients);
    two = {
      provider: await buildProvider(test.gateway),
      patient: await buildPatient(test.gateway, { primphysician: 'Dr Iqbal' }),
    };
    await make(two);
  });
  const rows = async (viewer: Person, search: string): Promise<Record<string, string>[]> =>
    (await api.as(viewer).get(`/users?search=${search}`).expect(200)).body.data;
  const list = async (viewer: Person, search: string) => (await rows(viewer, search)).map(({ id }) => id);

  it('date of birth, blood group and physician are shown to whom the patient is tied to', async () => {
    const { provider, patient } = two;
    const one = (await api.as(provider).get(`/users/${patient.id}`)).body.data ?? {};
    for (const shown of [one, ...(await rows(provider, patient.username))]) {
      const clinical = { dob: '1980-05-17', bloodgroup: 'AB+', primphysician: 'Dr Iqbal' };
      const fields = Object.keys(clinical).map((name) => [name, shown[name]]);
      expect(Object.fromEntries(fields)).toEqual(tied ? clinical : {});
    }
  });

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

it('people who are not patients are found although only known patients are listed', async () => {
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

it('a patient can still answer in an earlier chat, and the list counts the known patients', async () => {
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

it('reading more than five hundred people in an hour makes one entry in the log and a notice to administrators', async () => {
  const reading = await buildGateway({ rateLimits: true });
  try {
    const [admin, provider] = [await buildAdmin(reading.gateway), await buildProvider(reading.gateway)];
    const actor = { id: provider._id, ip: '203.0.113.1' };
    const viewer = { ...provider, secondFactor: false };
    const read = (people: ObjectId[]) => countPeopleRead(reading.gateway, actor, viewer, people);
    const told = () => reading.gateway.models.Event.find({ type: 'user.bulkRead' }).lean<EventDoc[]>();
    const people = Array.from({ length: throttles.people.points * 2 }, () => newId());
    // The hour of the clock does not end meanwhile.
    void reading.clock.still(() => new Promise(() => {}));
    for (let times = 0; times < 3; times++) await read(people.slice(0, throttles.people.points - 20));
    expect(await told()).toEqual([]);
    for (let i = 0; i < people.length; i += 100) await read(people.slice(i, i + 100));
    const [event, ...more] = await told();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ actor: provider._id, record: provider._id, pending: expect.any(Boolean) });
    expect(event?.recipients.map(String)).toContain(admin.id);
    // Calls that read are counted.
    const other = await buildProvider(reading.gateway);
    await read(people.slice(0, 100));
    const api = new Client(reading.url).as(other);
    await countPeopleRead(
      reading.gateway,
      { ...actor, id: other._id },
      { ...other, secondFactor: false },
      people.slice(0, 500),
    );
    const patients = await Promise.all(Array.from({ length: 20 }, () => buildPatient(reading.gateway)));
    await api.get('/users?limit=50').expect(200);
    for (const { id } of patients.slice(0, 3)) await api.get(`/users/${id}`).expect(200);
    expect((await told()).map((one) => String(one.actor))).toEqual([provider.id, other.id]);
    // So are calls that ask if an emergency access is offered.
    const breakGlass = { name: 'access.breakGlass', value: 'yes' };
    await new Client(reading.url).as(admin).post('/appsetting/add', breakGlass).expect(201);
    const third = await buildProvider(reading.gateway);
    await countPeopleRead(
      reading.gateway,
      { ...actor, id: third._id },
      { ...third, secondFactor: false },
      people.slice(0, throttles.people.points - 15),
    );
    expect(await told()).toHaveLength(2);
    const asked = [
      ...patients,
      ...(await Promise.all(Array.from({ length: 10 }, () => buildPatient(reading.gateway)))),
    ];
    for (const { id } of asked) await new Client(reading.url).as(third).get(`/users/${id}/emergency`).expect(200);
    expect((await told()).map((one) => String(one.actor))).toEqual([provider.id, other.id, third.id]);
  } finally {
    await reading.stop();
  }
});
