import { accountState, accountStates, accountStatuses, isUsable } from '@lightbox/contract/users/states.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Client } from '../testing/client.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  PASSWORD,
  type Person,
} from '../testing/factories.js';
import { buildGateway, firstAdmin } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let admin: Person;

beforeAll(async () => {
  admin = await buildAdmin(test.gateway);
});

const basic = ['active', 'email', 'firstname', 'gender', 'id', 'lastname', 'role', 'username'];

describe('people', () => {
  it('are shown with the fields that the viewer may see', async () => {
    const changes = { gender: 'female', primphysician: 'Dr X', bio: 'private' };
    const patient = await buildPatient(test.gateway, changes);
    const provider = await buildProvider(test.gateway, { gender: 'male', specialization: 'Radiology' });
    await buildImage(test.gateway, { owner: provider, patient: patient._id });
    const fields = async (viewer: Person, who: Person) => {
      const { body } = await api.as(viewer).get(`/users/${who.id}`).expect(200);
      expect(body.data.role).toEqual({ name: who.role });
      return Object.keys(body.data).sort();
    };
    expect(await fields(patient, provider)).toEqual(basic);
    expect(await fields(await buildProvider(test.gateway), provider)).toEqual(basic);
    const clinical = [...basic, 'bloodgroup', 'dob', 'primphysician'].sort();
    expect(await fields(provider, patient)).toEqual(clinical);
    const all = [...clinical, 'bio', 'createAt', 'language', 'phone', 'status'].sort();
    expect(await fields(admin, patient)).toEqual(all);
    expect(await fields(patient, patient)).toEqual([...all, 'readReceipts'].sort());
    const row = await api.as(provider).get(`/users?search=${patient.username}`).expect(200);
    expect(row.body.data).toMatchObject([{ id: patient.id, role: 'patient' }]);
    expect(Object.keys(row.body.data[0]).sort()).toEqual(clinical);
  });

  it('are found by any beginning of name, username or address, without regard to case and accents', async () => {
    const person = await buildPatient(test.gateway, {
      firstname: 'Élodie',
      lastname: "O'Brien-Gümüş",
      username: 'qwx.ela',
    });
    const ids = async (search: string) =>
      (
        await api
          .as(admin)
          .get(`/users?search=${encodeURIComponent(search)}`)
          .expect(200)
      ).body.data.map((user: { id: string }) => user.id);
    for (const search of ['elo', 'ÉLODIE', 'brien', 'gumus', 'qwx', 'ela', 'qwx.ela@hos', 'elodie gum']) {
      expect(await ids(search), search).toContain(person.id);
    }
    expect(await ids('lodie')).not.toContain(person.id);
    const second = await buildPatient(test.gateway, { firstname: 'Qira Anne-Sophie', lastname: "van O'Qeefe" });
    for (const search of ['anne-s', "o'qeef", 'O’Qeefe, Qira', "O'Qeefe - Qira"]) {
      expect(await ids(search), search).toContain(second.id);
    }
    expect(await ids('anne-q')).toContain(second.id);
    expect(await ids('anne-x')).not.toContain(second.id);
    // Signs alone are the beginning of no word.
    expect(await ids('-')).toEqual([]);
  });

  it('are ordered by name and paged, forward and back', async () => {
    const names = ['Aa', 'Ab', 'Ac', 'Ad', 'Ae'];
    for (const firstname of names.toReversed()) await buildPatient(test.gateway, { firstname, lastname: 'Zzpaging' });
    const page = async (query: string) => {
      const { body } = await api.as(admin).get(`/users?search=zzpaging&limit=2&${query}`).expect(200);
      return { names: body.data.map((user: { firstname: string }) => user.firstname), ...body.pagination };
    };
    const first = await page('page=1');
    expect(first).toMatchObject({
      names: ['Aa', 'Ab'],
      totalItems: 5,
      totalPages: 3,
      hasNextPage: true,
      hasPrevPage: false,
    });
    const second = await page(`cursor=${first.nextCursor}`);
    expect(second.names).toEqual(['Ac', 'Ad']);
    expect((await page(`cursor=${second.prevCursor}`)).names).toEqual(['Aa', 'Ab']);
    expect((await page('page=3')).names).toEqual(['Ae']);
    // The cursor holds a name, and tells it to nobody.
    expect(Buffer.from(first.nextCursor, 'base64url').toString()).not.toMatch(/zzpaging/i);
  });

  it('are listed without the caller, by role and status, and for each role those it may see', async () => {
    const pending = await buildProvider(test.gateway, { status: 'pending' });
    const list = async (viewer: Person, query: string) =>
      (await api.as(viewer).get(`/users?limit=100&${query}`).expect(200)).body.data as { id: string; role: string }[];
    expect((await list(admin, 'status=pending')).map((user) => user.id)).toContain(pending.id);
    expect((await list(admin, '')).map((user) => user.id)).not.toContain(admin.id);
    const patient = await buildPatient(test.gateway);
    const roles = new Set((await list(patient, '')).map((user) => user.role));
    expect(roles).toEqual(new Set(['healthProvider', 'admin']));
    expect(await list(patient, 'role=patient')).toEqual([]);
    expect(await list(patient, `search=${pending.username}`)).toEqual([]);
  });
});

describe('one’s profile', () => {
  it('changes by JSON and by form, and nothing else changes with it', async () => {
    const person = await buildPatient(test.gateway);
    const json = await api
      .as(person)
      .put('/users/profile', { firstname: ' Noor ', gender: 'FEMALE', dob: '' })
      .expect(200);
    expect(json.body).toMatchObject({
      message: 'Profile updated successfully!',
      data: { firstname: 'Noor', gender: 'female' },
    });
    expect(json.body.data).not.toHaveProperty('dob');
    const form = await api.as(person).put('/users/profile').field('city', 'Lahore').field('phone', '').expect(200);
    expect(form.body.data).toMatchObject({ city: 'Lahore', firstname: 'Noor' });
    expect(form.body.data).not.toHaveProperty('phone');
    const found = await api.as(admin).get(`/users?search=noor`).expect(200);
    expect(found.body.data.map((user: { id: string }) => user.id)).toContain(person.id);
  });

  it.each([
    { role: 'admin' },
    { active: false },
    { email: 'other@hospital.test' },
    { password: 'Meadow-Copper-19' },
    { status: 'active' },
    { _id: 'x' },
    { isVerified: true },
    { createAt: 'x' },
    { bio: 'x'.repeat(2001) },
    { firstname: '' },
    { dob: '2023-02-30' },
    { gender: 'x' },
    { username: 'a b' },
  ])('does not take %j', async (change) => {
    const person = await buildPatient(test.gateway);
    const before = await test.gateway.models.User.findById(person._id).lean<UserDoc>();
    const { body } = await api.as(person).put('/users/profile', change).expect(422);
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual(Object.keys(change));
    expect(await test.gateway.models.User.findById(person._id).lean<UserDoc>()).toEqual(before);
  });

  it('a file and another person’s username are refused', async () => {
    const [person, other] = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    await api.as(person).put('/users/profile').attach('file', Buffer.from('x'), 'x.png').expect(400);
    const taken = await api.as(person).put('/users/profile', { username: other.username.toUpperCase() }).expect(422);
    expect(taken.body.errors).toEqual([{ field: 'username', message: 'This username is taken.' }]);
  });

  it('closing one’s account needs the password', async () => {
    const person = await buildPatient(test.gateway);
    const refused = await api.as(person).del('/users/profile', { password: 'Wrong-Pass-1' }).expect(422);
    expect(refused.body.errors[0].field).toBe('password');
    await api.as(person).del('/users/profile', { password: PASSWORD }).expect(200);
    await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(401);
    const user = await test.gateway.models.User.findById(person._id).lean<UserDoc>();
    expect(JSON.stringify(user)).not.toMatch(/1980-05-17|AB\+|92 300|Ada/);
  });
});

describe('closing an account', () => {
  it('images with a patient go to an administrator, and the others are removed', async () => {
    const [owner, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
    const named = await buildImage(test.gateway, { owner, patient: patient._id });
    const unnamed = await buildImage(test.gateway, { owner });
    await buildShare(test.gateway, { image: named, recipient: patient, hours: null, verified: true });
    // Also with the administrator who will own it, and who then needs no share.
    const first = await test.gateway.models.User.findOne({ email: firstAdmin.email }).lean<UserDoc>();
    const body = { imagemetadataId: named.id, createdfor: String(first?._id) };
    await api.as(owner).post('/sharing/request', body).expect(201);
    // The answer waits five seconds by the clock for the rest, which maintenance would do later.
    await test.clock.still(async () => api.as(admin).del(`/users/${owner.id}`).expect(200));
    expect(await test.gateway.models.Image.exists({ _id: unnamed._id })).toBeNull();
    const kept = await test.gateway.models.Image.findById(named._id).lean<ImageDoc>();
    const heir = await test.gateway.models.User.findById(kept?.owner).lean<UserDoc>();
    expect(heir?._id).toEqual(first?._id);
    const to = heir?._id ?? newId();
    const transfer = { type: 'image.transfer' as const, actor: admin._id, record: named._id, owners: [owner._id, to] };
    expect(await test.gateway.models.Event.countDocuments(transfer)).toBe(1);
    expect(await test.gateway.models.Share.exists({ recipient: to, live: true })).toBeNull();
    // The lists go with the owner: the image is in the heir's, and no longer in that of the account that is gone.
    expect(kept?.audience.map(String).sort()).toEqual([patient.id, String(heir?._id)].sort());
    const shown = await api.as(patient).get(`/upload/image/${named.id}`).expect(200);
    expect(shown.body.data).toMatchObject({ isVerified: true, owner: { id: String(heir?._id) } });
  });

  it('removes no mark beside a legal hold that is answered before', async () => {
    const patient = await buildPatient(test.gateway);
    const owner = await buildProvider(test.gateway);
    const { id } = await buildImage(test.gateway, { owner, patient: patient._id });
    const marks = { version: 0, shared: false, marks: [] };
    await api.as(owner).put(`/upload/image/${id}/annotations`, marks).expect(200);
    const { Annotation } = test.gateway.models;
    const remove = Annotation.deleteMany.bind(Annotation);
    const hold = () => api.as(admin).put(`/users/${patient.id}/legal-hold`, { held: true, reason: 'A court asks' });
    let held: Promise<unknown> = Promise.resolve();
    let isHeld = false;
    let wasHeld: boolean | undefined;
    const touches = vi.spyOn(test.gateway.models.User, 'updateOne');
    const touched = () =>
      touches.mock.calls.filter(([filter]) => String((filter as { _id?: unknown })._id) === patient.id).length;
    const removing = async (...args: Parameters<typeof remove>) => {
      held = hold()
        .expect(200)
        .then(() => {
          isHeld = true;
        });
      // It is answered, or its transaction begins again because of the conflict.
      await eventually(() => expect(isHeld || touched() > 1).toBe(true));
      wasHeld = isHeld;
      return remove(...args);
    };
    const beforeRemoval = vi.spyOn(Annotation, 'deleteMany').mockImplementationOnce(removing as never);
    await api.as(owner).del('/users/profile', { password: PASSWORD }).expect(200);
    beforeRemoval.mockRestore();
    await held;
    touches.mockRestore();
    expect(wasHeld).toBe(false);
  });

  it('shares with the closed account end', async () => {
    const built = await buildShare(test.gateway, { verified: true });
    // The answer waits five seconds by the clock for the rest, which maintenance would do later.
    await test.clock.still(async () => api.as(admin).del(`/users/${built.recipient.id}`).expect(200));
    const access = await api.as(built.image.owner).get(`/sharing?imageId=${built.image.id}`).expect(200);
    expect(access.body.data).toEqual([]);
  });

  it('address and username are free again', async () => {
    const person = await buildPatient(test.gateway);
    await api.as(admin).del(`/users/${person.id}`).expect(200);
    const again = {
      email: person.email,
      username: person.username,
      password: PASSWORD,
      role: 'patient',
      firstname: 'A',
      lastname: 'B',
    };
    const { body } = await api.post('/auth/register', again).expect(201);
    expect(await test.gateway.models.User.exists({ _id: oid(body.data.user.id) })).not.toBeNull();
  });
});

describe('admins', () => {
  it('switch accounts off and on', async () => {
    const person = await buildPatient(test.gateway);
    const toggle = () => api.as(admin).put(`/users/toggleUserStatus/${person.id}`).expect(200);
    expect((await toggle()).body.data.active).toBe(false);
    await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(403);
    expect((await toggle()).body.data.active).toBe(true);
    await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
  });

  it('a repeated switch that names the state changes nothing more', async () => {
    const person = await buildPatient(test.gateway);
    const turn = async (active: boolean) => {
      const { body } = await api.as(admin).put(`/users/toggleUserStatus/${person.id}`, { active }).expect(200);
      expect(body.data).toMatchObject({ id: person.id, active });
      expect(await test.gateway.models.User.findById(person._id).lean()).toMatchObject({ active });
    };
    const events = () => test.gateway.models.Event.find({ record: person._id }).sort({ _id: 1 }).distinct('_id');
    await turn(true);
    expect(await events()).toHaveLength(0);
    await Promise.all([turn(false), turn(false), turn(false)]);
    expect(await events()).toHaveLength(1);
    await turn(true);
    await turn(true);
    expect(await events()).toHaveLength(2);
  });

  it('administrators cannot remove themselves, nor in any way the last administrator', async () => {
    const oneself = await api.as(admin).del(`/users/${admin.id}`).expect(409);
    expect(oneself.body.error).toBe('NOT_ONESELF');
    const own = await buildGateway();
    const client = new Client(own.url);
    const first = await own.gateway.models.User.findOne({ email: firstAdmin.email }).lean<UserDoc>();
    const [a, b] = [await buildAdmin(own.gateway), await buildAdmin(own.gateway)];
    await client.as(a).put(`/users/toggleUserStatus/${first?._id}`).expect(200);
    // Both remove the other at the same moment: one of them must stay.
    const answers = await Promise.all([client.as(a).del(`/users/${b.id}`), client.as(b).del(`/users/${a.id}`)]);
    expect(answers.filter((answer) => answer.status === 200).length).toBeLessThanOrEqual(1);
    const left = await own.gateway.models.User.find({ role: 'admin', status: 'active', active: true }).lean<
      UserDoc[]
    >();
    expect(left.length).toBeGreaterThanOrEqual(1);
    const last = left.length === 1 ? [a, b].find((person) => person._id.equals(left[0]?._id ?? '')) : undefined;
    if (last) {
      const { body } = await client.as(last).del('/users/profile', { password: PASSWORD }).expect(409);
      expect(body.error).toBe('LAST_ADMIN');
    }
    await own.stop();
  });
});

describe('providers who wait', () => {
  const approve = (email: string) => api.as(admin).post('/users/approve-provider', { email });
  const reject = (email: string, reason?: string) => api.as(admin).post('/users/reject-provider', { email, reason });

  it('repeated approvals of a provider have one effect', async () => {
    const person = await buildProvider(test.gateway, { status: 'pending' });
    const answers = await Promise.all([1, 2, 3].map(() => approve(person.email.toUpperCase()).expect(200)));
    for (const { body } of answers) {
      expect(body).toMatchObject({ message: 'Provider Activated successfully!', data: { status: 'active' } });
    }
    await approve(person.email).expect(200);
    expect(
      await test.gateway.models.Event.countDocuments({ type: 'user.approve', record: person._id, status: 'success' }),
    ).toBe(1);
    await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
    expect((await reject(person.email, 'Too late').expect(409)).body.error).toBe('NOT_PENDING');
  });

  it('are rejected with a reason', async () => {
    const person = await buildProvider(test.gateway, { status: 'pending' });
    for (const reason of [undefined, '', '  ']) await reject(person.email, reason).expect(422);
    const { body } = await reject(person.email, 'No licence').expect(200);
    expect(body.data.status).toBe('rejected');
    const login = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(403);
    expect(login.body.error).toBe('ACCOUNT_REJECTED');
  });

  it('are rejected once, however often the decision is sent', async () => {
    const person = await buildProvider(test.gateway, { status: 'pending' });
    await Promise.all([1, 2, 3].map(() => reject(person.email, 'No licence').expect(200)));
    expect(
      await test.gateway.models.Event.countDocuments({ type: 'user.reject', record: person._id, status: 'success' }),
    ).toBe(1);
  });

  it('are not said to be rejected when another administrator approved them meanwhile', async () => {
    const person = await buildProvider(test.gateway, { status: 'pending' });
    const { events, models } = test.gateway;
    const change = events.change.bind(events);
    const beforeChange = vi.spyOn(events, 'change').mockImplementationOnce(async (...args) => {
      await approve(person.email).expect(200);
      return change(...args);
    });
    const { body } = await reject(person.email, 'No licence');
    beforeChange.mockRestore();
    expect(body).toMatchObject({ error: 'NOT_PENDING' });
    expect((await models.User.findById(person._id).lean())?.status).toBe('active');
  });

  it('cannot be decided about before they have verified their address', async () => {
    const person = await buildPatient(test.gateway, { status: 'unverified' });
    await api.as(admin).put(`/users/role/${person.id}`, { role: 'healthProvider' }).expect(200);
    for (const decision of [approve(person.email), reject(person.email, 'No licence')]) {
      expect((await decision.expect(409)).body.error).toBe('NOT_PENDING');
    }
    expect((await test.gateway.models.User.findById(person._id).lean())?.status).toBe('unverified');
  });

  it('are not brought back by a rejection when their account was closed meanwhile', async () => {
    const person = await buildProvider(test.gateway, { status: 'pending' });
    const { events, models } = test.gateway;
    const change = events.change.bind(events);
    const beforeChange = vi.spyOn(events, 'change').mockImplementationOnce(async (...args) => {
      await api.as(admin).del(`/users/${person.id}`).expect(200);
      return change(...args);
    });
    const { body } = await reject(person.email, 'No licence');
    beforeChange.mockRestore();
    expect(body).toMatchObject({ error: 'NOT_PENDING' });
    expect(await models.User.findById(person._id).lean()).not.toHaveProperty('rejectedReason');
  });

  it('keep a state that somebody can decide about when a role changes while the approval is taken back', async () => {
    const other = await buildAdmin(test.gateway);
    const provider = await buildProvider(test.gateway, { status: 'pending' });
    await api.as(admin).post('/users/approve-provider', { email: provider.email }).expect(200);
    const { events, models } = test.gateway;
    const change = events.change.bind(events);
    const beforeChange = vi.spyOn(events, 'change').mockImplementationOnce(async (...args) => {
      await api.as(admin).post('/users/undo-approval', { email: provider.email }).expect(200);
      return change(...args);
    });
    await api.as(other).put(`/users/role/${provider.id}`, { role: 'patient' }).expect(409);
    beforeChange.mockRestore();
    expect(await models.User.findById(provider._id).lean()).toMatchObject({
      role: 'healthProvider',
      status: 'pending',
    });
  });

  it('must be providers', async () => {
    await approve('nobody@hospital.test').expect(404);
    await approve((await buildPatient(test.gateway)).email).expect(409);
    await approve(admin.email).expect(409);
    for (const call of ['/users/approve-provider', '/users/reject-provider']) {
      for (const missing of [{}, { email: '' }, { email: ' ' }]) {
        const { body } = await api
          .as(admin)
          .post(call, { ...missing, ...(call.includes('reject') ? { reason: 'No.' } : {}) })
          .expect(422);
        expect(body.errors).toEqual([{ field: 'email', message: 'Email field is required' }]);
      }
    }
  });
});

it('the dashboard’s totals count everything for administrators, and their own records for providers', async () => {
  const own = await buildGateway();
  const client = new Client(own.url);
  const [provider, boss] = [await buildProvider(own.gateway), await buildAdmin(own.gateway)];
  const image = await buildImage(own.gateway, { owner: provider });
  await buildImage(own.gateway, { owner: provider });
  await buildShare(own.gateway, { image });
  await buildImage(own.gateway);
  // It waits for its request to be taken, and is in no list.
  await buildImage(own.gateway, { owner: provider, held: { request: newId() } });
  const stats = async (viewer: Person) => (await client.as(viewer).get('/stats').expect(200)).body.data;
  const people = await own.gateway.models.User.countDocuments();
  expect(await stats(provider)).toEqual({ totalImages: 2, sharedImages: 1, totalUsers: people - 1 });
  expect(await stats(boss)).toEqual({
    totalImages: 3,
    sharedImages: 1,
    totalUsers: people,
    usersByRole: { patient: 0, healthProvider: 3, admin: people - 3 },
  });
  await own.stop();
});

it('the filter of usable accounts finds those that are active, and no other', async () => {
  const { User } = test.gateway.models;
  const states = accountStatuses.flatMap((status) => [true, false].map((active) => ({ status, active })));
  const ids = await Promise.all(
    [...states, ...states].map(async (state, i) => {
      const { _id } = await buildPatient(test.gateway, state);
      if (i >= states.length) await User.updateOne({ _id }, { $set: { deletedAt: new Date() } });
      return _id;
    }),
  );
  const accounts = await User.find({ _id: { $in: ids } }).lean<UserDoc[]>();
  expect(new Set(accounts.map(accountState))).toEqual(new Set(accountStates));
  const found = await User.find({ _id: { $in: ids }, ...usableAccount }).lean<UserDoc[]>();
  expect(found.map(accountState)).toEqual(['active']);
  expect(accounts.filter(isUsable).map(({ _id }) => _id)).toEqual(found.map(({ _id }) => _id));
});

it('no answer contains a field that must stay on the server', async () => {
  const patient = await buildPatient(test.gateway);
  const provider = await buildProvider(test.gateway);
  for (const viewer of [patient, provider, admin]) {
    for (const path of ['/users?limit=100', '/users/profile', `/users/${provider.id}`]) {
      const { text } = await api.as(viewer).get(path).expect(200);
      expect(text).not.toMatch(/password|argon2|usernameKey|sortKey|"words"|salt|keyId/i);
    }
  }
  await api.as(admin).get(`/users/${newId()}`).expect(404);
});
