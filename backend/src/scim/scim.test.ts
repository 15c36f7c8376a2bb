import type { EventDoc } from '@lightbox/core/models/event.js';
import { expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { buildPatient, signIn } from '../testing/factories.js';
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
  const begun = Date.now();
  expect((await scim(token, 'PATCH', `/scim/v2/Users/${data.user.id}`, off)).status).toBe(200);
  await closed;
  await api.as(data.token).get('/users/profile').expect(401);
  await api.as(personal).get('/users/profile').expect(401);
  expect(Date.now() - begun).toBeLessThan(1000);
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
  const renamed = { ...body, name: { givenName: 'Sana', familyName: 'Khan' }, active: false };
  expect(await (await scim(token, 'PUT', `/scim/v2/Users/${user.id}`, renamed)).json()).toMatchObject({
    active: false,
  });
  expect(await userOf(userName)).toMatchObject({ lastname: 'Khan', active: false });
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

it('Only a token of SCIM opens it, kept as a hash, and until it is revoked.', async () => {
  const { id, token } = await makeToken();
  const kept = JSON.stringify(await test.gateway.models.ScimToken.find().lean());
  expect(kept).not.toContain(token);
  const session = (await signIn(test.gateway, admin._id)).token;
  for (const wrong of [session, `${token}x`, 'lbs_', 'x']) {
    expect((await scim(wrong, 'GET', '/scim/v2/Users')).status).toBe(401);
  }
  await api.as(token).get('/users/profile').expect(401);
  await api.as(session).del(`/admin/scim-tokens/${id}`).expect(200);
  const refused = await scim(token, 'GET', '/scim/v2/Users');
  expect([refused.status, await refused.json()]).toMatchObject([401, { status: '401' }]);
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
