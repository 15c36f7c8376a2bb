import { limits } from '@lightbox/contract/limits.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildCarer,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
} from '../testing/factories.js';
import { joinGateway, type TestGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let two: TestGateway;
beforeAll(async () => {
  two = await joinGateway(test.config, test.clock);
});
afterAll(() => two.stop());

interface World {
  patient: Person;
  carer: Person;
  image: BuiltImage;
  share: string;
}
/** A patient with an image that they have opened, and somebody who could be their carer. */
async function arrange(): Promise<World> {
  const [patient, carer] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
  const image = await buildImage(test.gateway, { patient: patient._id });
  const share = await buildShare(test.gateway, { image, recipient: patient, verified: true });
  return { patient, carer, image, share: share.id };
}
const name = (patient: Person, email: string) => api.as(patient).post('/carers', { email });
const act = (person: Person, id: string, what: 'accept' | 'end') => api.as(person).post(`/carers/${id}/${what}`, {});
const listOf = async (person: Person) => (await api.as(person).get('/carers').expect(200)).body.data;
const look = (person: Person, image: BuiltImage, gateway: { url: string } = test) =>
  new Client(gateway.url).as(person).get(`/upload/image/${image.id}/frames`);
const begin = async (world: World): Promise<string> =>
  String((await buildCarer(test.gateway, { patient: world.patient, carer: world.carer }))._id);
const eventsOf = (id: string) =>
  test.gateway.models.Event.find({ record: id, status: 'success' }).sort({ _id: 1 }).lean<EventDoc[]>();

describe('naming', () => {
  it('a named patient accepts, sees what the patient has opened, and either side ends it', async () => {
    for (const side of ['patient', 'carer'] as const) {
      const world = await arrange();
      const { patient, carer, image } = world;
      const locked = await buildImage(test.gateway, { patient: patient._id });
      await buildShare(test.gateway, { image: locked, recipient: patient });
      const { id } = (await name(patient, carer.email.toUpperCase()).expect(201)).body.data;
      await look(carer, image).expect(404);
      expect((await listOf(carer)).others).toMatchObject([{ id, state: 'waiting', person: { id: patient.id } }]);
      expect((await act(patient, id, 'accept').expect(409)).body.error).toBe('CONFLICT');
      await act(carer, id, 'accept').expect(200);
      await look(carer, image).expect(200);
      await look(carer, locked).expect(404);
      const { body } = await api.as(carer).get(`/carers/${id}/images`).expect(200);
      expect(body.data).toMatchObject([{ id: image.id, isVerified: true, download: false, carer: { id } }]);
      expect((await listOf(patient)).mine).toMatchObject([{ id, state: 'accepted', person: { id: carer.id } }]);
      await api.as(carer).get(`/users/${patient.id}`).expect(200);
      await act(world[side], id, 'end').expect(200);
      await look(carer, image).expect(404);
      await api.as(carer).get(`/carers/${id}/images`).expect(404);
      await api.as(carer).get(`/users/${patient.id}`).expect(404);
      // All are told but the person who acted.
      const told = (await eventsOf(id)).map(({ type, actor, recipients }) => [
        type,
        recipients.filter((one) => !one.equals(actor)).map(String),
      ]);
      const other = world[side === 'patient' ? 'carer' : 'patient'].id;
      expect(told).toEqual([
        ['carer.named', [carer.id]],
        ['carer.accepted', [patient.id]],
        ['carer.ended', [other]],
      ]);
      const left = await test.gateway.models.Carer.findById(id).lean<CarerDoc>();
      expect(left?.address).toBeUndefined();
    }
  });

  it('the answer is the same for an address with an account, of another role, and without one', async () => {
    const { patient, carer } = await arrange();
    const provider = await buildProvider(test.gateway);
    const inactive = await buildPatient(test.gateway, { active: false });
    const addresses = [carer.email, provider.email, inactive.email, 'nobody@example.test'];
    const shapes = new Set<string>();
    for (const email of addresses) {
      const { data } = (await name(patient, email).expect(201)).body;
      expect(data.email).toBe(email);
      shapes.add(Object.keys(data).sort().join());
    }
    for (const email of addresses) expect((await name(patient, email).expect(409)).body.error).toBe('CONFLICT');
    for (const row of (await listOf(patient)).mine) shapes.add(Object.keys(row).sort().join());
    expect([...shapes]).toEqual(['email,expiresAt,id,since,state']);
    expect((await listOf(carer)).others).toHaveLength(1);
    // The end of an account tells nothing either: the invitation waits on.
    const admin = await buildAdmin(test.gateway);
    await api.as(admin).put(`/users/toggleUserStatus/${carer.id}`).expect(200);
    expect((await listOf(patient)).mine).toHaveLength(addresses.length);
    expect((await name(patient, patient.email).expect(422)).body.errors[0].field).toBe('email');
    await api.as(provider).post('/carers', { email: carer.email }).expect(403);
  });

  it('a patient has at most five carers, also at once, and a carer ten patients', async () => {
    const { patient, carer } = await arrange();
    const all = await Promise.all(
      Array.from({ length: limits.carersOfPatient + 2 }, (_, i) => name(patient, `person${i}@example.test`)),
    );
    expect(all.filter(({ status }) => status === 201)).toHaveLength(limits.carersOfPatient);
    for (let i = 0; i < limits.patientsOfCarer; i++) {
      await buildCarer(test.gateway, { patient: await buildPatient(test.gateway), carer });
    }
    const further = await buildPatient(test.gateway);
    const { id } = (await name(further, carer.email).expect(201)).body.data;
    expect((await act(carer, id, 'accept').expect(409)).body.error).toBe('TOO_MANY_CARERS');
  });

  it('a stranger learns nothing of a record, and it cannot be accepted after its time', async () => {
    const { patient, carer } = await arrange();
    const { id } = (await name(patient, carer.email).expect(201)).body.data;
    const stranger = await buildPatient(test.gateway);
    for (const what of ['accept', 'end'] as const) await act(stranger, id, what).expect(404);
    await api.as(stranger).get(`/carers/${id}/images`).expect(404);
    await test.gateway.models.Carer.updateOne({ _id: id }, { $set: { expiresAt: test.clock.now() } });
    expect((await act(carer, id, 'accept').expect(409)).body.error).toBe('CONFLICT');
    await act(carer, id, 'end').expect(200);
    expect((await eventsOf(id)).at(-1)).toMatchObject({ type: 'carer.ended', reason: 'declined' });
  });
});

describe('the access', () => {
  it('is to look, at single images and at studies, and nothing more', async () => {
    const world = await arrange();
    const { patient, carer, image } = world;
    const study = await buildStudy(test.gateway, { patient: patient._id });
    await buildShare(test.gateway, { image: study, recipient: patient, verified: true });
    await begin(world);
    const mine = api.as(carer);
    await mine.get(`/studies/${study.study}/frames`).expect(200);
    await mine.get(`/upload/image/${study.id}/preview`).expect(200);
    const { data } = (await mine.get(`/studies/${study.study}`).expect(200)).body;
    expect(data).toMatchObject({ isVerified: true, carer: { patient: { id: patient.id } } });
    for (const path of [`/upload/image/${image.id}/content`, `/studies/${study.study}/content`]) {
      await mine.get(path).expect(403);
    }
    await mine.get(`/upload/image/${image.id}/timeline`).expect(403);
    await mine.post(`/analyze/${image.id}`, {}).expect(403);
    await mine.get(`/message/chat/${patient.id}`).expect(404);
    expect((await mine.get('/upload/shared-images').expect(200)).body.data).toEqual([]);
    expect((await mine.post('/upload/search', { patientId: patient.id }).expect(200)).body.data).toEqual([]);
    expect((await mine.get('/users?limit=100').expect(200)).body.data).not.toContainEqual(
      expect.objectContaining({ id: patient.id }),
    );
  });

  it('is in the log of the owner and in the patient’s timeline and disclosures, as a carer’s', async () => {
    const world = await arrange();
    const { patient, carer, image } = world;
    const id = await begin(world);
    await look(carer, image).expect(200);
    await appendAudit(test.gateway.models, test.gateway.keys.audit);
    const entry = { actiontype: 'image.view', user: { id: carer.id } };
    const { data: timeline } = (await api.as(patient).get(`/upload/image/${image.id}/timeline`).expect(200)).body;
    expect(timeline).toContainEqual(
      expect.objectContaining({ ...entry, user: expect.objectContaining(entry.user), carer: true }),
    );
    const { data: disclosed } = (await api.as(patient).get('/users/profile/disclosures').expect(200)).body;
    expect(disclosed).toContainEqual(
      expect.objectContaining({ kind: 'carerLooked', by: expect.objectContaining({ id: carer.id }) }),
    );
    const { data: log } = (await api.as(image.owner).get('/audit/logs?limit=100').expect(200)).body;
    expect(log).toContainEqual(expect.objectContaining({ actiontype: 'image.view', reason: 'carer' }));
    const recorded = await test.gateway.models.Event.findOne({
      type: 'image.view',
      record: image._id,
    }).lean<EventDoc>();
    expect(recorded?.records?.map(String)).toEqual([id]);
  });

  it('is in the disclosures also in a session that looked by a share of its own before', async () => {
    const world = await arrange();
    const { patient, carer, image } = world;
    const own = await buildShare(test.gateway, { image, recipient: carer, verified: true });
    const preview = () => api.as(carer).get(`/upload/image/${image.id}/preview`).expect(200);
    await look(carer, image).expect(200);
    await preview();
    await api.as(image.owner).del(`/sharing/${own.id}`).expect(200);
    await begin(world);
    await look(carer, image).expect(200);
    await preview();
    await appendAudit(test.gateway.models, test.gateway.keys.audit);
    const { data } = (await api.as(patient).get('/users/profile/disclosures').expect(200)).body;
    expect(data.filter(({ kind }: { kind: string }) => kind === 'carerLooked')).toHaveLength(2);
  });

  it('ends with the share, with either account and with the setting; other gateways and open screens learn it', async () => {
    const admin = await buildAdmin(test.gateway);
    const turn = (value: string) => api.as(admin).post('/appsetting/add', { name: 'access.carers', value }).expect(201);
    const ends: Record<string, (world: World) => unknown> = {
      share: ({ image, share }) => api.as(image.owner).del(`/sharing/${share}`).expect(200),
      patient: ({ patient }) => api.as(admin).put(`/users/toggleUserStatus/${patient.id}`).expect(200),
      carer: ({ carer }) => api.as(admin).put(`/users/toggleUserStatus/${carer.id}`).expect(200),
      closed: ({ patient }) => api.as(admin).del(`/users/${patient.id}`).expect(200),
      setting: () => turn('no'),
    };
    for (const [what, end] of Object.entries(ends)) {
      const world = await arrange();
      const id = await begin(world);
      await look(world.carer, world.image, two).expect(200);
      const watching = await connectSocket(two.url, { token: world.carer.token });
      await end(world);
      // The other gateway learns it by the signal.
      const status = async () => (await look(world.carer, world.image, two)).status;
      await expect.poll(status, { message: what }).toBe(what === 'carer' ? 401 : 404);
      if (what !== 'carer') {
        const [event] = await watching.until(what === 'share' ? 'carer:changed' : 'carer:ended');
        expect(event, what).toEqual({ patientId: world.patient.id });
      }
      watching.socket.close();
      const { live } = (await test.gateway.models.Carer.findById(id).lean<CarerDoc>()) ?? {};
      expect(live, what).toBe(what === 'share');
    }
    const { patient, carer } = await arrange();
    expect((await name(patient, carer.email).expect(409)).body.error).toBe('CARERS_OFF');
    expect((await listOf(patient)).on).toBe(false);
  });
});
