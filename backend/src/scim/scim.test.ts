import { SCIM_USER } from '@lightbox/contract/scim/calls.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { mongo } from 'mongoose';
import { expect, it, vi } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { buildAdmin, buildImage, buildPatient, signIn } from '../testing/factories.js';
import { profiled } from '../testing/profiled.js';
import { scim as ask, makeScimToken } from '../testing/scim.js';
import { useSignOn } from '../testing/useSignOn.js';

const { test, api, admin, signOn, person, userOf } = useSignOn();

const scim = (...args: [token: string, method: string, path: string, body?: object]) => ask(test, ...args);
const makeToken = () => makeScimToken(test, admin);
const off = { Operations: [{ op: 'replace', path: 'active', value: 'False' }] };

it('A leaver loses sessions, tokens and live connections within a second, and may come back.', async () => {
  const { token } = await makeToken();
  const { sub, email } = person();
  const { data } = (await signOn(sub)).body;
  const personal = (
    await api
      .as(data.token)
      .post('/auth/tokens', { name: 'Archive', scopes: ['read'], days: 30 })
      .expect(201)
  ).body.data.token;
  const { socket } = await connectSocket(test.url, { token: data.token });
  const closed = new Promise((resolve) => socket.once('disconnect', resolve));
  const found = await scim(
    token,
    'GET',
    `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${email.toUpperCase()}"`)}`,
  );
  const { Resources } = (await found.json()) as { Resources: { id: string; active: boolean }[] };
  expect(Resources).toMatchObject([{ id: data.user.id, active: true }]);
  expect((await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, off)).status).toBe(200);
  // From the answer on: how long the change itself takes is the machine's.
  const begun = Date.now();
  await closed;
  expect(Date.now() - begun).toBeLessThan(whenBusy(1_000));
  await api.as(data.token).get('/users/profile').expect(401);
  await api.as(personal).get('/users/profile').expect(401);
  expect((await signOn(sub)).body.error).toBe('ACCOUNT_INACTIVE');
  const on = { Operations: [{ op: 'Replace', value: { active: true } }] };
  expect(await (await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, on)).json()).toMatchObject({
    active: true,
  });
  expect((await signOn(sub)).body.data.token).toBeTruthy();
  // An administrator's switch is not the provider's to undo.
  await test.gateway.models.User.updateOne({ email }, { $set: { active: false } });
  expect(await (await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, on)).json()).toMatchObject({
    active: false,
  });
});

const spelledOtherwise: [string, unknown][] = [
  ['a path with the schema in front', { op: 'replace', path: `${SCIM_USER}:active`, value: false }],
  ['a path in capitals', { op: 'REPLACE', path: `${SCIM_USER.toUpperCase()}:ACTIVE`, value: false }],
  ['a value with the schema in front', { op: 'replace', value: { [`${SCIM_USER}:active`]: false } }],
  ['a value under the schema', { op: 'add', value: { [SCIM_USER]: { Active: 'False' } } }],
  ['the schema as the path', { op: 'replace', path: SCIM_USER, value: { active: false } }],
];
it.each(spelledOtherwise)('A leaver is deactivated by %s.', async (_name, operation) => {
  const { token } = await makeToken();
  const { id } = (await signOn(person().sub)).body.data.user;
  const answer = await scim(token, 'PATCH', `/scim/v2/Users/${id}`, { Operations: [operation] });
  expect([answer.status, await answer.json()]).toMatchObject([200, { active: false }]);
});

const notDone: [string, object][] = [
  ['removes active', { op: 'remove', path: `${SCIM_USER}:Active` }],
  ['removes everything', { op: 'remove' }],
  ['has no value', { op: 'replace', path: 'active' }],
  ['has a value that is no attribute', { op: 'replace', value: false }],
  ['has a list for active', { op: 'replace', path: 'active', value: [{ value: false }] }],
  ['is no operation', { op: 'set', path: 'active', value: false }],
];
it.each(notDone)('An operation that %s is refused, so nobody believes that it was done.', async (_name, operation) => {
  const { token } = await makeToken();
  const { id } = (await signOn(person().sub)).body.data.user;
  const rename = { op: 'replace', path: 'name.familyName', value: 'Half' };
  const answer = await scim(token, 'PATCH', `/scim/v2/Users/${id}`, { Operations: [rename, operation] });
  expect([answer.status, await answer.json()]).toMatchObject([400, { scimType: 'invalidValue' }]);
  expect(await test.gateway.models.User.findById(id).lean()).not.toMatchObject({ lastname: 'Half' });
});

it('Attributes are found in every spelling, and those that the product does not keep are ignored.', async () => {
  const { token } = await makeToken();
  const emails = [{ Value: 'first.spelling@clinic.test' }, { VALUE: 'spelling@clinic.test', Primary: true }];
  const made = await scim(token, 'POST', '/scim/v2/Users', {
    ...{ USERNAME: 'other.spelling@clinic.test', externalID: 'S-1', Emails: emails },
    Name: { GivenName: 'Sana', FAMILYNAME: 'Mirza' },
  });
  const user = (await made.json()) as { id: string };
  // The primary address is the one to which mails go, also when the name looks like an address.
  expect([made.status, user]).toMatchObject([
    201,
    { userName: 'other.spelling@clinic.test', emails: [{ value: 'spelling@clinic.test' }], externalId: 'S-1' },
  ]);
  const filter = encodeURIComponent(`${SCIM_USER}:USERNAME eq "other.spelling@clinic.test"`);
  const listed = await scim(token, 'GET', `/scim/v2/Users?filter=${filter}`);
  expect(await listed.json()).toMatchObject({ totalResults: 1, Resources: [{ id: user.id }] });
  const department = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department';
  const Operations = [
    { op: 'remove', path: department },
    { op: 'add', path: 'addresses[type eq "work"].formatted', value: 'Lahore' },
    { op: 'replace', value: { NAME: { familyname: 'Khan' } } },
    { op: 'replace', path: 'Name.GivenName', value: 'Sara' },
  ];
  const changed = await scim(token, 'PATCH', `/scim/v2/Users/${user.id}`, { Operations });
  const name = { givenName: 'Sara', familyName: 'Khan' };
  expect([changed.status, await changed.json()]).toMatchObject([200, { name, active: true }]);
  const whole = { userName: 'other.spelling@clinic.test', ACTIVE: false };
  const replaced = await scim(token, 'PUT', `/scim/v2/Users/${user.id}`, whole);
  expect([replaced.status, await replaced.json()]).toMatchObject([200, { name, active: false }]);
});

it('An account that an administrator deactivates after a switch of the provider stays so, also beside a call of it.', async () => {
  const { token } = await makeToken();
  const { sub } = person();
  const { id } = (await signOn(sub)).body.data.user;
  const on = { Operations: [{ op: 'replace', path: 'active', value: true }] };
  const set = async (body: object) =>
    ((await (await scim(token, 'PATCH', `/scim/v2/Users/${id}`, body)).json()) as { active: boolean }).active;
  const toggle = async (active: boolean) => {
    const { body } = await api.as(admin).put(`/users/toggleUserStatus/${id}`, {}).expect(200);
    expect(body.data.active).toBe(active);
  };
  expect(await set(off)).toBe(false);
  await toggle(true);
  await toggle(false);
  // The provider repeats its state, as at each synchronisation.
  expect(await set(on)).toBe(false);
  expect((await signOn(sub)).body.error).toBe('ACCOUNT_INACTIVE');
  await toggle(true);
  expect(await set(off)).toBe(false);
  // The administrator switches twice between the provider's read and its write.
  const { User } = test.gateway.models;
  const find = User.find.bind(User);
  const between = vi.spyOn(User, 'find').mockImplementationOnce(((...args: Parameters<typeof find>) => ({
    lean: async () => {
      const read = await find(...args).lean();
      await toggle(true);
      await toggle(false);
      return read;
    },
  })) as never);
  expect(await set(on)).toBe(false);
  expect(between).toHaveBeenCalled();
  between.mockRestore();
  expect((await User.findById(id).lean())?.active).toBe(false);
});

it('An account is made, listed, replaced, removed and made again; the provider sees no other account.', async () => {
  const { token } = await makeToken();
  const stranger = await buildPatient(test.gateway);
  const userName = 'new.doctor@clinic.test';
  const body = { userName, externalId: 'E-7', name: { givenName: 'Sana', familyName: 'Mirza' }, active: true };
  const made = await scim(token, 'POST', '/scim/v2/Users', body);
  expect([made.status, made.headers.get('content-type')]).toEqual([201, 'application/scim+json; charset=utf-8']);
  const user = (await made.json()) as { id: string };
  expect(user).toMatchObject({ userName, externalId: 'E-7', active: true, emails: [{ value: userName }] });
  expect(await userOf(userName)).toMatchObject({ role: 'patient', firstname: 'Sana' });
  const again = await scim(token, 'POST', '/scim/v2/Users', body);
  expect([again.status, await again.json()]).toMatchObject([409, { scimType: 'uniqueness', status: '409' }]);
  const byId = `/scim/v2/Users?filter=${encodeURIComponent('externalId eq "E-7"')}`;
  expect(await (await scim(token, 'GET', byId)).json()).toMatchObject({
    totalResults: 1,
    Resources: [{ id: user.id }],
  });
  expect((await scim(token, 'GET', '/scim/v2/Users?filter=title%20pr')).status).toBe(400);
  const everybody = await (await scim(token, 'GET', '/scim/v2/Users?count=1000')).text();
  expect(everybody).toContain(user.id);
  expect(everybody).not.toContain(stranger.id);
  expect(everybody).not.toContain(admin.id);
  for (const [method, more] of [['GET'], ['DELETE'], ['PATCH', off], ['PUT', body]] as [string, object?][]) {
    expect((await scim(token, method, `/scim/v2/Users/${stranger.id}`, more)).status, method).toBe(404);
  }
  const { id: image } = await buildImage(test.gateway, { patient: oid(user.id) });
  const renamed = { ...body, name: { givenName: 'Sana', familyName: 'Khan' }, active: false };
  expect(await (await scim(token, 'PUT', `/scim/v2/Users/${user.id}`, renamed)).json()).toMatchObject({
    active: false,
  });
  expect(await userOf(userName)).toMatchObject({ lastname: 'Khan', active: false });
  const found = await api.as(await buildAdmin(test.gateway)).post('/upload/search', { text: 'khan' });
  expect(found.body.data).toMatchObject([{ id: image }]);
  expect((await scim(token, 'DELETE', `/scim/v2/Users/${user.id}`)).status).toBe(204);
  expect((await scim(token, 'GET', `/scim/v2/Users/${user.id}`)).status).toBe(404);
  expect(await (await scim(token, 'POST', '/scim/v2/Users', body)).json()).toMatchObject({
    id: user.id,
    active: true,
  });
  const events = await test.gateway.models.Event.find({ record: user.id, type: /^scim/ }).lean<EventDoc[]>();
  expect(events.every((event) => event.token && !event.actor)).toBe(true);
  for (const path of ['/scim/v2/ServiceProviderConfig', '/scim/v2/Schemas', '/scim/v2/ResourceTypes']) {
    expect((await scim(token, 'GET', path)).status, path).toBe(200);
  }
});

it('A removed account that could not be made again is made by the repetition of the call.', async () => {
  const { token } = await makeToken();
  const body = { userName: 'back.again@clinic.test', name: { givenName: 'Sana', familyName: 'Mirza' }, active: true };
  const { id } = (await (await scim(token, 'POST', '/scim/v2/Users', body)).json()) as { id: string };
  expect((await scim(token, 'DELETE', `/scim/v2/Users/${id}`)).status).toBe(204);
  const lost = new mongo.MongoNetworkError('connection closed');
  const spy = vi.spyOn(test.gateway.events, 'change').mockRejectedValueOnce(lost);
  expect((await scim(token, 'POST', '/scim/v2/Users', body)).status).toBe(503);
  spy.mockRestore();
  const again = await scim(token, 'POST', '/scim/v2/Users', body);
  expect([again.status, await again.json()]).toMatchObject([201, { id, active: true }]);
  expect((await scim(token, 'GET', `/scim/v2/Users/${id}`)).status).toBe(200);
  expect((await scim(token, 'POST', '/scim/v2/Users', body)).status).toBe(409);
});

it('A removed account is not given to the next person with its name, but to its own person under a new address.', async () => {
  const { token } = await makeToken();
  const make = (body: object) => scim(token, 'POST', '/scim/v2/Users', { userName: 'a.malik', ...body });
  const at = (value: string) => ({ emails: [{ value }] });
  const leaver = { ...at('amina.malik@clinic.test'), externalId: 'M-1', name: { givenName: 'Amina' } };
  const { id } = (await (await make(leaver)).json()) as { id: string };
  expect((await scim(token, 'DELETE', `/scim/v2/Users/${id}`)).status).toBe(204);
  for (const externalId of ['M-2', undefined]) {
    const next = await make({ ...at('adeel.malik@clinic.test'), externalId, name: { givenName: 'Adeel' } });
    expect([next.status, await next.json()]).toMatchObject([409, { scimType: 'uniqueness', status: '409' }]);
  }
  expect(await userOf('amina.malik@clinic.test')).toMatchObject({ firstname: 'Amina', active: false });
  expect(await test.gateway.models.User.countDocuments({ email: 'adeel.malik@clinic.test' })).toBe(0);
  const back = await make({ ...leaver, ...at('amina.shah@clinic.test') });
  expect([back.status, await back.json()]).toMatchObject([201, { id, active: true }]);
});

it('A removed account that is made again is active, unless the call says otherwise.', async () => {
  const { token } = await makeToken();
  const body = { userName: 'active.again@clinic.test' };
  const make = async (more: object) =>
    (await (await scim(token, 'POST', '/scim/v2/Users', { ...body, ...more })).json()) as { id: string };
  const { id } = await make({});
  for (const [more, active] of [
    [{}, true],
    [{ active: false }, false],
    [{ active: true }, true],
  ] as const) {
    expect((await scim(token, 'DELETE', `/scim/v2/Users/${id}`)).status).toBe(204);
    expect(await make(more)).toMatchObject({ id, active });
    expect(await userOf(body.userName)).toMatchObject({ active });
  }
});

it('An attribute that is null is as one that is absent.', async () => {
  const { token } = await makeToken();
  const body = {
    ...{ userName: 'null@clinic.test', externalId: null, active: null, displayName: null, emails: null },
    name: { givenName: 'Sana', familyName: null },
  };
  const made = await scim(token, 'POST', '/scim/v2/Users', body);
  const user = (await made.json()) as { id: string };
  expect([made.status, user]).toMatchObject([201, { active: true, name: { givenName: 'Sana' } }]);
  expect(user).not.toHaveProperty('externalId');
  expect((await scim(token, 'PATCH', `/scim/v2/Users/${user.id}`, off)).status).toBe(200);
  const replaced = await scim(token, 'PUT', `/scim/v2/Users/${user.id}`, { ...body, name: null });
  expect([replaced.status, await replaced.json()]).toMatchObject([200, { active: false, name: { givenName: 'Sana' } }]);
  const names = { op: 'replace', value: { name: { givenName: null, familyName: 'Mirza' } } };
  const changed = await scim(token, 'PATCH', `/scim/v2/Users/${user.id}`, { Operations: [names] });
  expect([changed.status, await changed.json()]).toMatchObject([
    200,
    { name: { givenName: 'Sana', familyName: 'Mirza' } },
  ]);
});

it('A name of a person that cannot be used is refused, so the provider does not believe that it was taken.', async () => {
  const { token } = await makeToken();
  const whole = { userName: 'persons@clinic.test', name: { givenName: 'Sana', familyName: 'Mirza' } };
  // A new account is made in any case, under another name.
  const made = await scim(token, 'POST', '/scim/v2/Users', { ...whole, name: { familyName: 'x'.repeat(81) } });
  const { id } = (await made.json()) as { id: string };
  expect(made.status).toBe(201);
  expect((await scim(token, 'PUT', `/scim/v2/Users/${id}`, whole)).status).toBe(200);
  for (const name of ['x'.repeat(81), 'x'.repeat(300), '', ' ', 7]) {
    for (const [method, body] of [
      ['PUT', { ...whole, name: { familyName: name } }],
      ['PATCH', { Operations: [{ op: 'replace', path: 'name.familyName', value: name }] }],
      ['PATCH', { Operations: [{ op: 'replace', value: { name: { givenName: name } } }] }],
      ['PATCH', { Operations: [{ op: 'replace', path: 'name', value: name }] }],
    ] as const) {
      const answer = await scim(token, method, `/scim/v2/Users/${id}`, body);
      expect([answer.status, await answer.json()], `${method} ${JSON.stringify(body)}`).toMatchObject([
        400,
        { status: '400', scimType: 'invalidValue' },
      ]);
    }
  }
  expect(await (await scim(token, 'GET', `/scim/v2/Users/${id}`)).json()).toMatchObject(whole);
});

it('Only a token of SCIM opens it, kept as a hash, and until it is revoked.', async () => {
  const { id, token } = await makeToken();
  const kept = JSON.stringify(await test.gateway.models.ScimToken.find().lean());
  expect(kept).not.toContain(token);
  const session = (await signIn(test.gateway, admin._id)).token;
  for (const wrong of [session, `${token}x`, 'lbs_', 'x']) {
    expect((await scim(wrong, 'GET', '/scim/v2/Users')).status).toBe(401);
  }
  await api.as(token).get('/users/profile').expect(401);
  const listed = await api.as(session).get('/admin/scim-tokens').expect(200);
  expect(listed.body.data).toContainEqual(expect.objectContaining({ id, name: 'Directory', provider: 'clinic' }));
  expect(listed.text).not.toContain(token);
  await api.as(session).del(`/admin/scim-tokens/${id}`).expect(200);
  const refused = await scim(token, 'GET', '/scim/v2/Users');
  expect([refused.status, await refused.json()]).toMatchObject([401, { status: '401' }]);
});

it('A list comes in pages that the database cuts, with every account once, whatever made it.', async () => {
  const { token } = await makeToken();
  const { models } = test.gateway;
  const read = async (query: string) => {
    const answer = await scim(token, 'GET', `/scim/v2/Users?${query}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { totalResults: number; itemsPerPage: number; Resources: { id: string }[] };
  };
  const make = async (userName: string) =>
    ((await (await scim(token, 'POST', '/scim/v2/Users', { userName })).json()) as { id: string }).id;
  const before = (await read('count=0')).totalResults;
  const [made, removed] = [await make('page1@clinic.test'), await make('page2@clinic.test')];
  expect((await scim(token, 'DELETE', `/scim/v2/Users/${removed}`)).status).toBe(204);
  const linked: string[] = [];
  for (let i = 0; i < 5; i++) linked.push((await signOn(person().sub)).body.data.user.id);
  // One of them is changed by SCIM, and one is removed there.
  const change = { Operations: [{ op: 'replace', path: 'externalId', value: 'P-1' }] };
  expect((await scim(token, 'PATCH', `/scim/v2/Users/${linked[1]}`, change)).status).toBe(200);
  expect((await scim(token, 'DELETE', `/scim/v2/Users/${linked[2]}`)).status).toBe(204);

  const seen: string[] = [];
  for (let startIndex = 1; ; startIndex += 2) {
    const { Resources, totalResults, itemsPerPage } = await read(`startIndex=${startIndex}&count=2`);
    expect([totalResults, itemsPerPage]).toEqual([before + 5, Resources.length]);
    seen.push(...Resources.map(({ id }) => id));
    if (Resources.length < 2) break;
  }
  expect(seen).toHaveLength(before + 5);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining([made, linked[0], linked[1], linked[3], linked[4]]));
  expect(await read('startIndex=1000000')).toMatchObject({ totalResults: before + 5, Resources: [] });
  expect((await read('startIndex=-3&count=1')).Resources).toHaveLength(1);

  // No answer reads more accounts than it shows.
  const returned = (await profiled(models.User.db, () => read('count=2')))
    .filter(
      ({ op, ns }) => ['query', 'command', 'getmore'].includes(op) && /\.(users|identities|scimaccounts)$/.test(ns),
    )
    .map(({ nreturned = 0 }) => nreturned);
  expect(returned.length).toBeGreaterThan(3);
  expect(Math.max(...returned)).toBeLessThanOrEqual(2);
});

it('A name that no account could have is refused in each call, in the form of SCIM, and stores nothing.', async () => {
  const { token } = await makeToken();
  const whole = { userName: 'names@clinic.test', externalId: 'N-1' };
  const { id } = (await (await scim(token, 'POST', '/scim/v2/Users', whole)).json()) as { id: string };
  const names = [{ userName: '  ' }, { userName: 'x'.repeat(301) }, { externalId: 'x'.repeat(301) }, { userName: 7 }];
  for (const name of names) {
    const change = { Operations: [{ op: 'replace', value: name }] };
    for (const [method, path, body] of [
      ['POST', '', { emails: [{ value: 'other@clinic.test' }], ...whole, ...name }],
      ['PUT', `/${id}`, { ...whole, ...name }],
      ['PATCH', `/${id}`, change],
    ] as const) {
      const answer = await scim(token, method, `/scim/v2/Users${path}`, body);
      expect([answer.status, await answer.json()], `${method} ${JSON.stringify(name)}`).toMatchObject([
        400,
        { status: '400', scimType: 'invalidValue' },
      ]);
    }
  }
  expect(await (await scim(token, 'GET', `/scim/v2/Users/${id}`)).json()).toMatchObject(whole);
  expect(await test.gateway.models.User.countDocuments({ email: 'other@clinic.test' })).toBe(0);
});

it('An account that is closed while its provider renames it gets no name again.', async () => {
  const { token } = await makeToken();
  const name = { givenName: 'Sana', familyName: 'Mirza' };
  const body = { userName: 'closing@clinic.test', name, active: true };
  const { id } = (await (await scim(token, 'POST', '/scim/v2/Users', body)).json()) as { id: string };
  const { db, models } = test.gateway;
  const undone = async () => (await db.db?.admin().serverStatus())?.transactions.totalAborted as number;
  let renaming: Promise<Response> | undefined;
  await db.transaction(async (session) => {
    const closed = { $set: { deletedAt: new Date() }, $unset: { firstname: 1, lastname: 1 } };
    await models.User.updateOne({ _id: id }, closed, { session });
    const before = await undone();
    renaming = scim(token, 'PUT', `/scim/v2/Users/${id}`, { ...body, name: { ...name, familyName: 'Khan' } });
    // It has read the open account, and now meets this change.
    await eventually(async () => expect(await undone()).toBeGreaterThan(before));
  });
  expect((await renaming)?.status).toBe(404);
  expect(await models.User.findById(id).lean()).not.toHaveProperty('lastname');
});
