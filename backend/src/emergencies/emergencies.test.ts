import { randomUUID } from 'node:crypto';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import { emergencyReviewMoves, emergencyReviewStates } from '@lightbox/contract/emergencies/states.js';
import { decideImage, type ImageRule } from '@lightbox/contract/images/policy.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import { system } from '@lightbox/core/events/events.js';
import { removeImage } from '@lightbox/core/images/removeImage.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildEmergency,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  PASSWORD,
  type Person,
  signIn,
} from '../testing/factories.js';
import { joinGateway, type TestGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let two: TestGateway;
let admin: Person;
let setting: string;
const reason = 'Unconscious after a fall, no relatives';

beforeAll(async () => {
  two = await joinGateway(test.config, test.clock);
  admin = await buildAdmin(test.gateway);
});
afterAll(() => two.stop());

const turn = async (value: 'yes' | 'no') => {
  if (setting) return api.as(admin).put(`/appsetting/edit/${setting}`, { value }).expect(200);
  const { body } = await api.as(admin).post('/appsetting/add', { name: 'access.breakGlass', value }).expect(201);
  setting = body.data.id;
};

interface World {
  provider: Person;
  patient: Person;
  image: BuiltImage;
}
async function arrange(): Promise<World> {
  const [provider, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
  return { provider, patient, image: await buildImage(test.gateway, { patient: patient._id }) };
}
const ask = ({ provider, patient }: World) => api.as(provider).post(`/users/${patient.id}/emergency`, { reason });
const openAs = async (world: World): Promise<string> => (await ask(world).expect(201)).body.data.id;
const frames = ({ provider, image }: World, gateway = test) =>
  new Client(gateway).as(provider).get(`/upload/image/${image.id}/frames`);
/** Moves an access into the past, so that its hour is over now. Returns its end. */
async function pass(id: string): Promise<string> {
  const until = test.clock.now();
  const from = new Date(until.getTime() - 3_600_000);
  await test.gateway.models.Emergency.updateOne({ _id: id }, { $set: { from, until } });
  // The change is behind the product's back, so no signal tells of it.
  test.gateway.recent.forget();
  return until.toISOString();
}
const eventsOf = (id: string) =>
  test.gateway.models.Event.find({ record: id, status: 'success' }).sort({ _id: 1 }).lean<EventDoc[]>();

it('while the setting is off nothing is offered, and nothing can be opened', async () => {
  const world = await arrange();
  const { body } = await api.as(world.provider).get(`/users/${world.patient.id}/emergency`).expect(200);
  expect(body.data).toEqual({ offered: false, emergency: null });
  expect((await ask(world).expect(409)).body.error).toBe('EMERGENCY_OFF');
  await frames(world).expect(404);
});

describe('while the setting is on', () => {
  beforeAll(() => turn('yes'));

  it('it is offered only for images that the provider cannot open, without their number', async () => {
    const world = await arrange();
    const { provider, patient, image } = world;
    const offered = async () => (await api.as(provider).get(`/users/${patient.id}/emergency`).expect(200)).body.data;
    expect(await offered()).toEqual({ offered: true, emergency: null });
    // With a copy the original is still closed, and the answer must not tell whose copy it is.
    const copy = { image, recipient: provider, verified: true, deidentified: true };
    const { _id } = await buildShare(test.gateway, copy);
    expect((await offered()).offered).toBe(true);
    await test.gateway.models.Share.deleteOne({ _id });
    await buildShare(test.gateway, { image, recipient: provider, verified: true });
    expect((await offered()).offered).toBe(false);
    const other = await buildPatient(test.gateway);
    expect((await api.as(provider).get(`/users/${other.id}/emergency`).expect(200)).body.data.offered).toBe(false);
  });

  it('for one hour the provider lists and opens the images of this patient, and nothing more', async () => {
    const world = await arrange();
    const { provider, patient, image } = world;
    const study = await buildStudy(test.gateway, { patient: patient._id });
    const own = await buildImage(test.gateway, { owner: patient });
    const foreign = await buildImage(test.gateway, { patient: (await buildPatient(test.gateway))._id });
    await frames(world).expect(404);
    const { body } = await ask(world).expect(201);
    expect(Date.parse(body.data.until) - Date.parse(body.data.from)).toBe(3_600_000);
    const mine = api.as(provider);
    const list = await mine.get(`/users/${patient.id}/emergency/images`).expect(200);
    expect(list.body.data.map(({ id }: { id: string }) => id).sort()).toEqual([image.id, study.id, own.id].sort());
    expect(list.body.data[0]).toMatchObject({ isVerified: true, download: false, emergency: { id: body.data.id } });
    for (const { id } of [image, study, own]) {
      await mine.get(`/upload/image/${id}/frames`).expect(200);
      await mine.get(`/upload/image/${id}/preview`).expect(200);
    }
    await mine.get(`/studies/${study.study}`).expect(200);
    await mine.get(`/studies/${study.study}/frames`).expect(200);
    const refused = [
      mine.get(`/upload/image/${image.id}/content`),
      mine.get(`/studies/${study.study}/content`),
      mine.get(`/upload/image/${image.id}/timeline`),
      mine.get(`/analyze/${image.id}`),
      mine.post(`/analyze/${image.id}`, {}),
      mine.post('/sharing/request', { imagemetadataId: image.id, createdfor: admin.id }),
      mine.post('/sharing/batch', { images: [image.id], people: [admin.id] }),
      mine.post('/sharing/guest', { imagemetadataId: image.id }),
      mine.put(`/studies/${study.study}`, { title: 'Mine' }),
      mine.del(`/upload/image/${image.id}`, {}),
    ];
    for (const answer of await Promise.all(refused)) expect(answer.status).toBe(403);
    await mine.get(`/upload/image/${foreign.id}`).expect(404);
    const shared = await mine.get('/upload/shared-images').expect(200);
    expect(shared.body.data).toEqual([]);
    expect((await ask(world).expect(409)).body.error).toBe('CONFLICT');
    await api.as(admin).del(`/upload/image/${image.id}`, {}).expect(200);
    const deleted = await test.gateway.models.Event.findOne({
      type: 'image.delete',
      record: image._id,
      status: 'success',
    }).lean();
    expect(deleted?.recipients.map(String)).toContain(provider.id);
  });

  it('it covers nothing that was sent to the patient and is not taken yet', async () => {
    const provider = await buildProvider(test.gateway);
    const patient = await buildPatient(test.gateway);
    const held = await buildImage(test.gateway, { owner: patient, held: { request: newId() } });
    const mine = api.as(provider);
    const emergency = `/users/${patient.id}/emergency`;
    expect((await mine.get(emergency).expect(200)).body.data.offered).toBe(false);
    await buildEmergency(test.gateway, { provider, patient });
    expect((await mine.get(`${emergency}/images`).expect(200)).body.data).toEqual([]);
    await mine.get(`/upload/image/${held.id}`).expect(404);
    await mine.get(`/upload/image/${held.id}/frames`).expect(404);
    await api.as(patient).get(`/upload/image/${held.id}`).expect(200);
    // Nor does the provider hear of its end.
    await removeImage(test.gateway, system, held._id, '');
    const removed = await test.gateway.models.Event.findOne({
      type: 'image.delete',
      record: held._id,
    }).lean<EventDoc>();
    expect(removed?.recipients.map(String)).toEqual([patient.id]);
  });

  it('the hour ends by the clock, and a repeat of the same request begins no new one', async () => {
    const world = await arrange();
    const key = randomUUID();
    const send = () => ask(world).set('Idempotency-Key', key).expect(201);
    const { body } = await send();
    await frames(world).expect(200);
    const until = await pass(body.data.id);
    await frames(world).expect(404);
    await frames(world, two).expect(404);
    await api.as(world.provider).get(`/users/${world.patient.id}/emergency/images`).expect(404);
    const again = await send();
    expect(again.body.data).toMatchObject({ id: body.data.id, endedAt: until });
    await frames(world).expect(404);
    const another = { ...world, patient: await buildPatient(test.gateway) };
    await ask(another).set('Idempotency-Key', key).expect(422);
    // A new request is a new access, with its own review.
    expect(await openAs(world)).not.toBe(body.data.id);
    expect((await eventsOf(body.data.id)).map(({ type, reason }) => `${type} ${reason}`.trim())).toEqual([
      'emergency.opened',
      'emergency.ended expired',
    ]);
  });

  const endings: [string, (world: World, id: string) => Promise<unknown>][] = [
    ['its provider', ({ provider }, id) => api.as(provider).post(`/emergencies/${id}/end`, {}).expect(200)],
    ['an administrator', (_, id) => api.as(admin).post(`/emergencies/${id}/end`, {}).expect(200)],
    [
      'a change of the role',
      ({ provider }) => api.as(admin).put(`/users/role/${provider.id}`, { role: 'admin' }).expect(200),
    ],
    [
      'the end of the patient’s account',
      ({ patient }) => api.as(patient).del('/users/profile', { password: PASSWORD }).expect(200),
    ],
    ['the setting', () => turn('no')],
  ];
  it('deactivation ends it for good: the provider who comes back has no access', async () => {
    const world = await arrange();
    await openAs(world);
    await api.as(admin).put(`/users/toggleUserStatus/${world.provider.id}`).expect(200);
    await frames(world).expect(401);
    await api.as(admin).put(`/users/toggleUserStatus/${world.provider.id}`).expect(200);
    const back = { ...world, provider: { ...world.provider, ...(await signIn(test.gateway, world.provider._id)) } };
    await frames(back).expect(404);
  });

  it.each(endings)('%s ends it at once, at every gateway, and open viewers are told', async (_, end) => {
    await turn('yes');
    const world = await arrange();
    const id = await openAs(world);
    const watching = await connectSocket(two.url, { token: admin.token });
    await frames(world, two).expect(200);
    await end(world, id);
    // The other gateway learns it by the signal.
    await expect.poll(async () => (await frames(world, two)).status).toBeOneOf([401, 404]);
    const told = { emergencyId: id, patientId: world.patient.id };
    await eventually(() => expect(watching.seen('emergency:ended')).toContainEqual(told));
    watching.socket.close();
    await turn('yes');
  });

  it('the patient and every administrator are told at once; only they see the reason', async () => {
    const world = await arrange();
    const { provider, patient } = world;
    const sockets = await Promise.all([patient, admin].map(({ token }) => connectSocket(two.url, { token })));
    const id = await openAs(world);
    for (const one of sockets) {
      const told = { emergencyId: id, patientId: patient.id };
      await eventually(() => expect(one.seen('emergency:opened')).toContainEqual(told));
      one.socket.close();
    }
    const [event] = await eventsOf(id);
    const recipients = event?.recipients.map(String) ?? [];
    expect(recipients).toEqual(expect.arrayContaining([provider.id, patient.id, admin.id]));
    expect(JSON.stringify(event)).not.toContain(reason);
    const stored = JSON.stringify(await test.gateway.models.Emergency.findById(id).lean());
    expect(stored).not.toContain('fall');
    const seen = await api.as(patient).get(`/emergencies/${id}`).expect(200);
    expect(seen.body.data).toMatchObject({ reason, provider: { id: provider.id } });
    expect(seen.body.data.review).toBeUndefined();
    const strangers = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
    for (const stranger of strangers) {
      await api.as(stranger).get(`/emergencies/${id}`).expect(404);
      expect((await api.as(stranger).get('/emergencies').expect(200)).body.data).toEqual([]);
    }
    await api.as(patient).post(`/emergencies/${id}/end`, {}).expect(403);
    await api
      .as(strangers[0] as Person)
      .post(`/emergencies/${id}/end`, {})
      .expect(404);
  });

  it('each look is in the log with the access; looks by a right of their own are not', async () => {
    const world = await arrange();
    const { provider, patient, image } = world;
    const study = await buildStudy(test.gateway, { patient: patient._id });
    const shared = await buildImage(test.gateway, { patient: patient._id });
    await buildShare(test.gateway, { image: shared, recipient: provider, verified: true });
    const id = await openAs(world);
    const mine = api.as(provider);
    for (const path of [image, shared].map((one) => `/upload/image/${one.id}/frames`)) await mine.get(path).expect(200);
    await mine.get(`/upload/image/${image.id}/frames/1`).expect(200);
    await mine.get(`/studies/${study.study}/frames`).expect(200);
    await appendAudit(test.gateway.models, test.gateway.keys.audit);
    const { body } = await api.as(admin).get(`/emergencies/${id}`).expect(200);
    expect(body.data.looks).toEqual([
      { id: image.id, kind: 'image', name: expect.any(String), firstAt: expect.any(String), times: 1 },
      { id: String(study.study), kind: 'study', name: 'Left hand', firstAt: expect.any(String), times: 1 },
    ]);
    const timeline = await api.as(admin).get(`/upload/image/${image.id}/timeline`).expect(200);
    const rows = timeline.body.data.filter(({ actiontype: type }: { actiontype: string }) => type !== 'image.upload');
    expect(rows).toMatchObject([
      { actiontype: 'image.view', emergency: true, user: { id: provider.id } },
      { actiontype: 'emergency.opened', user: { id: provider.id } },
    ]);
  });

  it('a look by it is in the log and the timeline, also in a session that looked by a share before', async () => {
    const world = await arrange();
    const { provider, patient, image } = world;
    const { models, keys } = test.gateway;
    await buildShare(test.gateway, { image, recipient: patient, verified: true });
    const share = await buildShare(test.gateway, { image, recipient: provider, verified: true });
    const frame = () => api.as(provider).get(`/upload/image/${image.id}/frames/1`);
    await frames(world).expect(200);
    await frame().expect(200);
    await api.as(image.owner).del(`/sharing/${share.id}`).expect(200);
    await frames(world).expect(404);
    const id = await openAs(world);
    // A frame without an opening is a look too, and the opening is one. Its repeat belongs to it.
    await frame().expect(200);
    await frames(world).expect(200);
    await frames(world).expect(200);
    await appendAudit(models, keys.audit);
    const entries = await models.AuditEntry.find({ actor: provider._id, record: image._id, status: 'success' })
      .sort({ seq: 1 })
      .lean();
    const byIt = entries.filter(({ records }) => records?.some((one) => String(one) === id));
    expect(byIt.map(({ type, reason }) => [type, reason])).toEqual([
      ['image.view', ''],
      ['image.view', ''],
      ['image.view', sameLook],
    ]);
    const { looks } = (await api.as(admin).get(`/emergencies/${id}`).expect(200)).body.data;
    expect(looks).toMatchObject([{ id: image.id, times: 3 }]);
    const timeline: { actiontype: string; emergency?: true }[] = (
      await api.as(patient).get(`/upload/image/${image.id}/timeline`).expect(200)
    ).body.data;
    expect(timeline.filter(({ actiontype, emergency }) => actiontype === 'image.view' && emergency)).toHaveLength(2);
  });

  describe('the review', () => {
    type Act = keyof typeof emergencyReviewMoves;
    const bodies: Record<Act, object> = {
      question: { comment: 'Why not the colleague on duty?' },
      answer: { answer: 'Nobody answered the phone.' },
      approve: { comment: 'Thank you.' },
    };
    const act = (move: Act, id: string, by: Person) => api.as(by).post(`/emergencies/${id}/${move}`, bodies[move]);
    const acts = Object.keys(emergencyReviewMoves) as Act[];
    const turnOfAdmins = (state: EmergencyDoc['state']) => state === 'open' || state === 'answered';

    it.each(emergencyReviewStates.flatMap((state) => acts.map((move) => ({ state, move }))))(
      'in the state $state, “$move” is answered as the table of moves says',
      async ({ state, move }) => {
        const [provider, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
        const { _id } = await buildEmergency(test.gateway, { provider, patient, state, waits: turnOfAdmins(state) });
        const { from, to } = emergencyReviewMoves[move];
        const may = (from as readonly string[]).includes(state);
        const by = move === 'answer' ? provider : admin;
        const answer = await act(move, String(_id), by).expect(may ? 200 : 409);
        if (may) expect(answer.body.data.review.state).toBe(to);
        const kept = await test.gateway.models.Emergency.findById(_id).lean<EmergencyDoc>();
        const now = may ? to : state;
        expect(kept).toMatchObject({ state: now, waits: turnOfAdmins(now) });
      },
    );

    it('question and answer stay in the record; nobody reviews their own access', async () => {
      const world = await arrange();
      const { provider, patient } = world;
      const id = await openAs(world);
      await act('approve', id, provider).expect(403);
      await act('answer', id, admin).expect(403);
      const waiting = async () => (await api.as(admin).get('/emergencies/waiting').expect(200)).body.data.count;
      const before = await waiting();
      const watching = await connectSocket(two.url, { token: admin.token });
      await act('question', id, admin).expect(200);
      expect(await waiting()).toBe(before - 1);
      await act('answer', id, provider).expect(200);
      expect(await waiting(), 'an answer is no decision').toBe(before);
      const { body } = await act('approve', id, admin).expect(200);
      expect(await waiting()).toBe(before - 1);
      const told = { emergencyId: id, patientId: patient.id };
      for (const event of ['emergency:questioned', 'emergency:answered', 'emergency:approved']) {
        await eventually(() => expect(watching.seen(event)).toContainEqual(told));
      }
      watching.socket.close();
      expect(body.data.review).toMatchObject({
        state: 'approved',
        question: { text: 'Why not the colleague on duty?', by: { id: admin.id } },
        answer: { text: 'Nobody answered the phone.', by: { id: provider.id } },
        approval: { text: 'Thank you.' },
      });
      const types = (await eventsOf(id)).map(({ type }) => type).filter((type) => type !== 'emergency.listed');
      expect(types).toEqual(['emergency.opened', 'emergency.questioned', 'emergency.answered', 'emergency.approved']);
      // The provider becomes an administrator.
      await api.as(admin).put(`/users/role/${provider.id}`, { role: 'admin' }).expect(200);
      const promoted = { ...provider, ...(await signIn(test.gateway, provider._id)) };
      const other = await buildEmergency(test.gateway, { provider, patient });
      await act('approve', String(other._id), promoted).expect(403);
    });

    it('the answer goes to the administrator who asked, and to all of them when that one is none any more', async () => {
      const answered = async (leave: (asker: Person) => Promise<unknown>) => {
        const { provider, patient } = await arrange();
        const asker = await buildAdmin(test.gateway);
        const { _id } = await buildEmergency(test.gateway, { provider, patient });
        await act('question', String(_id), asker).expect(200);
        await leave(asker);
        await act('answer', String(_id), provider).expect(200);
        const [event] = (await eventsOf(String(_id))).filter(({ type }) => type === 'emergency.answered');
        const told = new Set(event?.recipients?.map(String));
        return { provider: told.has(provider.id), asker: told.has(asker.id), others: told.has(admin.id) };
      };
      expect(await answered(async () => undefined)).toEqual({ provider: true, asker: true, others: false });
      const demote = ({ id }: Person) => api.as(admin).put(`/users/role/${id}`, { role: 'healthProvider' }).expect(200);
      expect(await answered(demote)).toEqual({ provider: true, asker: false, others: true });
    });

    it('those without a decision come first, page by page', async () => {
      const provider = await buildProvider(test.gateway);
      const patients = await Promise.all([1, 2, 3].map(() => buildPatient(test.gateway)));
      const made: EmergencyDoc[] = [];
      for (const [i, patient] of patients.entries()) {
        const state = i === 2 ? 'approved' : 'open';
        made.push(await buildEmergency(test.gateway, { provider, patient, state, waits: state === 'open' }));
      }
      const listed: string[] = [];
      let cursor = '';
      do {
        const page = await api.as(provider).get(`/emergencies?limit=1${cursor}`).expect(200);
        listed.push(...page.body.data.map((one: { id: string }) => one.id));
        const next = page.body.pagination.nextCursor;
        cursor = next ? `&cursor=${encodeURIComponent(next)}` : '';
      } while (cursor);
      const [first, second, approved] = made.map(({ _id }) => String(_id));
      expect(listed).toEqual([second, first, approved]);
    });
  });
});

it('an emergency access gives a provider the right to see and to open, and nobody anything else', () => {
  const facts = { ownerId: 'owner', patientId: 'patient', share: null, emergency: true };
  const rules: ImageRule[] = ['see', 'open', 'download', 'edit', 'share', 'delete', 'analyse', 'timeline'];
  const given = (role: 'patient' | 'healthProvider' | 'guest') =>
    rules.filter((rule) => decideImage(rule, { id: 'viewer', role }, facts).may);
  expect(given('healthProvider')).toEqual(['see', 'open']);
  expect(given('patient')).toEqual([]);
  expect(given('guest')).toEqual([]);
  Object.assign(facts, { held: true });
  expect(given('healthProvider')).toEqual([]);
});
