import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildAdmin, buildProvider, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let admin: Person;
let cookie: string;

const board = (path = '', method: 'get' | 'put' | 'post' = 'get') =>
  request(test.url)[method](`/admin/queues${path}`).set('Cookie', cookie);

beforeEach(async () => {
  admin = await buildAdmin(test.gateway);
  const answer = await api.as(admin).post('/admin/queues/session', {}).expect(200);
  const [set = ''] = answer.get('Set-Cookie') ?? [];
  expect(set).toMatch(/^lightbox_queues=[^;]+; Max-Age=900; Path=\/admin\/queues; .*HttpOnly; SameSite=Strict$/);
  cookie = set.split(';')[0] ?? '';
});

describe('the queue board', () => {
  it('shows queues and jobs, without a script that the policy would refuse', async () => {
    await test.gateway.queues.all.mail.add('sendMail', { eventId: 'a'.repeat(24), template: 'shareCode' });
    const page = await board().expect(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    // Without it a browser blocks the page's <base>, and finds no script.
    expect(page.headers['content-security-policy']).toContain("base-uri 'self'");
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.text).not.toMatch(/<script(?![^>]*(src=|application\/json))/);
    const { body } = await board('/api/queues?activeQueue=mail&status=waiting').expect(200);
    const mail = body.queues.find(({ name }: { name: string }) => name === 'mail');
    expect(mail).toMatchObject({ readOnlyMode: true, counts: { waiting: 1 } });
    expect(await test.gateway.models.Event.countDocuments({ type: 'job.watched', actor: admin._id })).toBe(1);
  });

  it('changes nothing', async () => {
    for (const path of ['/api/queues/mail/pause', '/api/queues/mail/clean/failed', '/api/queues/mail/empty']) {
      await board(path, 'put').expect(405);
      await board(path, 'post').expect(405);
    }
    expect(await test.gateway.queues.all.mail.isPaused()).toBe(false);
  });

  it('is for administrators alone, with their cookie', async () => {
    const provider = await buildProvider(test.gateway);
    await api.as(provider).post('/admin/queues/session', {}).expect(403);
    for (const other of ['', 'lightbox_queues=x', `lightbox_queues=${admin.token}`]) {
      const answer = await request(test.url).get('/admin/queues').set('Cookie', other).expect(401);
      expect(answer.text).not.toContain('bull');
    }
    const visit = await request(test.url).get('/admin/queues').set('Accept', 'text/html,*/*;q=0.8').expect(303);
    expect(visit.headers.location).toBe('/admin-dashboard');
    // The cookie opens nothing else.
    await api
      .as(cookie.split('=')[1] ?? '')
      .get('/admin/overview')
      .expect(401);
  });

  it.each([
    ['after 15 minutes', async () => test.clock.forward({ minutes: 16 }), 401],
    [
      'when the session has ended',
      async () => test.gateway.models.Session.updateOne({ _id: admin.sessionId }, { endedAt: new Date() }),
      401,
    ],
    [
      'when the account is no administrator any more',
      async () => test.gateway.models.User.updateOne({ _id: admin._id }, { role: 'healthProvider' }),
      403,
    ],
  ] as const)('closes %s', async (_, end, status) => {
    await board().expect(200);
    await end();
    await board().expect(status);
    await board('/api/queues').expect(status);
  });
});
