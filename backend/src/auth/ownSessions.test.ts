import { limits } from '@lightbox/contract/limits.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import {
  buildAdmin,
  buildPatient,
  buildProvider,
  mailedCode,
  PASSWORD,
  type Person,
  signIn,
  wrong,
} from '../testing/factories.js';
import { buildGateway, firstAdmin, joinGateway, type TestGateway } from '../testing/gateway.js';

/** Two gateways on the same servers: what ends at one is dead at the other. */
let one: TestGateway;
let two: TestGateway;
let api: Client;
let other: Client;

beforeAll(async () => {
  one = await buildGateway();
  two = await joinGateway(one.config, one.clock);
  [api, other] = [new Client(one.url), new Client(two.url)];
});
afterAll(() => Promise.all([one.stop(), two.stop()]));

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

async function verification({ email }: Person): Promise<string> {
  return (await api.post('/auth/login', { email, password: PASSWORD }).expect(200)).body.data.token;
}

async function browser(person: Person): Promise<{ token: string; cookies: string; xsrf: string }> {
  const token = await verification(person);
  const { code } = await mailedCode(one.gateway, person._id);
  const answer = await api.as(token).post('/auth/confirm', { code }).set('User-Agent', firefox).expect(200);
  const cookies = (answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0] ?? '');
  const xsrf = cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN='))?.split('=')[1] ?? '';
  return { token: answer.body.data.token, cookies: cookies.join('; '), xsrf };
}

const sessionsOf = async (token: string) => (await api.as(token).get('/auth/sessions').expect(200)).body.data;

describe('one’s own sessions', () => {
  it('sessions are listed with address and time, and the current one is marked', async () => {
    const person = await buildPatient(one.gateway);
    const { token } = await browser(person);
    const [newest, older, ...more] = await sessionsOf(token);
    expect(newest).toEqual({
      id: expect.any(String),
      createAt: expect.any(String),
      lastSeenAt: expect.any(String),
      expiresAt: expect.any(String),
      ip: expect.stringContaining('127.0.0.1'),
      browser: 'Firefox',
      system: 'Linux',
      current: true,
    });
    expect(older).toMatchObject({ id: String(person.sessionId), current: false });
    expect(older).not.toHaveProperty('browser');
    expect(more).toEqual([]);
  });

  it('ended sessions are not listed, and cannot be ended again', async () => {
    const person = await buildPatient(one.gateway);
    one.clock.forward({ minutes: limits.sessionIdleMinutes, seconds: 1 });
    const { token } = await signIn(one.gateway, person._id);
    expect(await sessionsOf(token)).toHaveLength(1);
    await api.as(token).del(`/auth/sessions/${person.sessionId}`).expect(404);
  });

  it('sessions can be ended one by one; another person’s session is 404', async () => {
    const [person, stranger] = [await buildPatient(one.gateway), await buildPatient(one.gateway)];
    const mine = await signIn(one.gateway, person._id);
    for (const id of [stranger.sessionId, newId()]) {
      const { body } = await api.as(mine).del(`/auth/sessions/${id}`).expect(404);
      expect(body).toMatchObject({ error: 'NOT_FOUND', message: 'Not found.' });
    }
    await api.as(stranger).get('/users/profile').expect(200);
    await api.as(mine).del(`/auth/sessions/${person.sessionId}`).expect(200);
    await api.as(person).get('/users/profile').expect(401);
    await api.as(mine).del(`/auth/sessions/${person.sessionId}`).expect(404);
    await api.as(mine).del(`/auth/sessions/${mine.sessionId}`).expect(200);
    await api.as(mine).get('/users/profile').expect(401);
    const ended = await one.gateway.models.Event.find({ actor: person._id, type: 'session.end', status: 'success' });
    expect(ended).toHaveLength(2);
  });

  it('all other sessions can be ended at once', async () => {
    const person = await buildPatient(one.gateway);
    const [mine, phone] = [await signIn(one.gateway, person._id), await signIn(one.gateway, person._id)];
    const { body } = await api.as(mine).del('/auth/sessions').expect(200);
    expect(body.data).toEqual({ ended: 2 });
    for (const gone of [person, phone]) await other.as(gone).get('/users/profile').expect(401);
    expect(await sessionsOf(mine.token)).toHaveLength(1);
    expect((await api.as(mine).del('/auth/sessions').expect(200)).body.data).toEqual({ ended: 0 });
  });
});

describe('a session that ends is dead on the other gateway within a second, for calls and sockets:', () => {
  const admin = () => buildAdmin(one.gateway);
  const endings: [string, string, (person: Person) => Promise<unknown>][] = [
    ['logout', 'logout', (person) => api.as(person).post('/auth/logout', {}).expect(200)],
    [
      'ended from another device',
      'signedOut',
      async (person) =>
        api
          .as(await signIn(one.gateway, person._id))
          .del(`/auth/sessions/${person.sessionId}`)
          .expect(200),
    ],
    [
      'signed out everywhere else',
      'signedOut',
      async (person) =>
        api
          .as(await signIn(one.gateway, person._id))
          .del('/auth/sessions')
          .expect(200),
    ],
    [
      'a new password',
      'passwordReset',
      async ({ email, _id }) => {
        await api.post('/auth/forgot-password', { email }).expect(200);
        const { code } = await mailedCode(one.gateway, _id, 'reset');
        await api.post('/auth/reset-password', { email, otp: code, newPassword: 'Meadow-Copper-19' }).expect(200);
      },
    ],
    [
      'another role',
      'roleChanged',
      async ({ id }) =>
        api
          .as(await admin())
          .put(`/users/role/${id}`, { role: 'healthProvider' })
          .expect(200),
    ],
    [
      'deactivation',
      'deactivated',
      async ({ id }) =>
        api
          .as(await admin())
          .put(`/users/toggleUserStatus/${id}`)
          .expect(200),
    ],
    [
      'deletion',
      'deleted',
      async ({ id }) =>
        api
          .as(await admin())
          .del(`/users/${id}`)
          .expect(200),
    ],
    ['closing the account', 'deleted', (person) => api.as(person).del('/users/profile', { password: PASSWORD })],
  ];

  // A second is the promise. On a busy machine one of three tries is enough.
  it.each(endings)('%s', { retry: 2 }, async (_, reason, end) => {
    const person = await buildPatient(one.gateway);
    const { socket, until } = await connectSocket(two.url, { token: person.token });
    await other.as(person).get('/users/profile').expect(200);
    const gone = new Promise<void>((resolve) => socket.once('disconnect', () => resolve()));
    await end(person);
    const ended = Date.now();
    const { body } = await other.as(person).get('/users/profile').expect(401);
    expect(body.message).toBe('Authentication failed');
    expect(await until('session:revoked')).toEqual([{ reason }]);
    await gone;
    expect(Date.now() - ended).toBeLessThan(whenBusy(1_000));
    await expect(connectSocket(two.url, { token: person.token })).rejects.toThrow('Unauthenticated');
  });

  it('a refresh cookie that was used again', { retry: 2 }, async () => {
    const { token, cookies, xsrf } = await browser(await buildPatient(one.gateway));
    const { until } = await connectSocket(two.url, { token });
    const refresh = () => api.post('/auth/refresh', {}).set('Cookie', cookies).set('X-XSRF-TOKEN', xsrf);
    await one.clock.still(async () => {
      await refresh().expect(200);
      one.clock.forward({ seconds: limits.refreshGraceSeconds - 1 });
      await refresh().expect(200);
      one.clock.forward({ seconds: 2 });
      await refresh().expect(401);
    });
    const ended = Date.now();
    await other.as(token).get('/users/profile').expect(401);
    expect(await until('session:revoked')).toEqual([{ reason: 'reuse' }]);
    expect(Date.now() - ended).toBeLessThan(whenBusy(1_000));
  });
});

describe('the history of sign-ins', () => {
  it('the history shows successful and failed sign-ins, to their owner alone', async () => {
    const [person, stranger] = [await buildPatient(one.gateway), await buildPatient(one.gateway)];
    await api.post('/auth/login', { email: person.email, password: 'Wrong-Pass-1' }).expect(401);
    const token = await verification(person);
    const { code } = await mailedCode(one.gateway, person._id);
    await api
      .as(token)
      .post('/auth/confirm', { code: wrong(code) })
      .expect(422);
    await api.as(token).post('/auth/confirm', { code }).expect(200);
    await api.as(person).get('/users').expect(200);
    await appendAudit(one.gateway.models, one.gateway.keys.audit);

    const { body } = await api.as(person).get('/auth/history').expect(200);
    const rows = body.data.map((row: Record<string, string>) => [row.actiontype, row.status, row.reason]);
    expect(rows).toEqual([
      ['auth.confirm', 'success', ''],
      ['auth.confirm', 'failed', 'WRONG_CODE'],
      ['auth.login', 'failed', 'INVALID_CREDENTIALS'],
    ]);
    expect(body.data[0].ipaddress).toContain('127.0.0.1');
    expect(body.pagination).toMatchObject({ totalItems: 3, hasNextPage: false });
    const page = await api.as(person).get('/auth/history?limit=2').expect(200);
    const rest = await api
      .as(person)
      .get(`/auth/history?limit=2&cursor=${page.body.pagination.nextCursor}`)
      .expect(200);
    expect([...page.body.data, ...rest.body.data]).toEqual(body.data);
    expect((await api.as(stranger).get('/auth/history').expect(200)).body.data).toEqual([]);
    const read = await one.gateway.models.Event.countDocuments({ actor: person._id, type: 'session.history' });
    expect(read).toBe(3);
  });
});

describe('another role', () => {
  const change = (who: { token: string }, id: string, role: unknown) =>
    api.as(who).put(`/users/role/${id}`, { role } as object);

  it('administrators can change a role, and the log has the old and the new one', async () => {
    const [admin, person] = [await buildAdmin(one.gateway), await buildPatient(one.gateway)];
    await change(await buildProvider(one.gateway), person.id, 'admin').expect(403);
    for (const role of ['root', '', null, ['admin']]) await change(admin, person.id, role).expect(422);
    await change(admin, String(newId()), 'admin').expect(404);
    const { body } = await change(admin, person.id, 'healthProvider').expect(200);
    expect(body.data.role).toEqual({ name: 'healthProvider' });
    await change(admin, person.id, 'healthProvider').expect(200);
    const changes = await one.gateway.models.Event.find({
      record: person._id,
      type: 'user.role',
      status: 'success',
    }).lean<EventDoc[]>();
    expect(changes.map(({ actor, reason }) => [String(actor), reason])).toEqual([
      [admin.id, 'patient → healthProvider'],
    ]);
    const { token } = await signIn(one.gateway, person._id);
    await api.as(token).get('/upload/my-images').expect(200);
  });

  it('the role of a pending provider cannot be changed', async () => {
    const admin = await buildAdmin(one.gateway);
    for (const status of ['pending', 'rejected'] as const) {
      const provider = await buildProvider(one.gateway, { status });
      await change(admin, provider.id, 'patient').expect(409);
    }
  });

  it('the last administrator cannot lose the role, also when two remove each other at once', async () => {
    const solo = await buildGateway({ admin: firstAdmin });
    try {
      const client = new Client(solo.url);
      const [only] = await solo.gateway.models.User.find({ role: 'admin' }).lean<UserDoc[]>();
      if (!only) throw new Error('There is no administrator.');
      const first = { id: String(only._id), ...(await signIn(solo.gateway, only._id)) };
      const demote = (who: { token: string }, id: string) =>
        client.as(who).put(`/users/role/${id}`, { role: 'patient' });
      const { body } = await demote(first, first.id).expect(409);
      expect(body.error).toBe('LAST_ADMIN');
      const second = await buildAdmin(solo.gateway);
      const answers = await Promise.all([demote(first, second.id), demote(second, first.id)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await solo.gateway.models.User.countDocuments({ role: 'admin', active: true })).toBe(1);
      // Somebody may step down as long as another one stays.
      const third = await buildAdmin(solo.gateway);
      await demote(third, third.id).expect(200);
      await client.as(third).get('/users/profile').expect(401);
    } finally {
      await solo.stop();
    }
  });
});
