import { createHmac } from 'node:crypto';
import { newId } from '@lightbox/core/db/ids.js';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { createApp } from '../app.js';
import { connectSocket } from '../testing/client.js';
import { envelopeOf } from '../testing/envelope.js';
import { buildAdmin, buildPatient, mailedCode, PASSWORD, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

interface Layer {
  route?: { path: string; stack: { method?: string }[] };
  handle?: { stack?: Layer[] };
}

/** Lists the routes that Express serves below `/api`, method by method. */
function routes(app: Express): { method: string; path: string }[] {
  const layers = (app.router as unknown as { stack: Layer[] }).stack.flatMap((layer) => layer.handle?.stack ?? []);
  return layers.flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method }) => (method && route ? [{ method, path: route.path }] : [])),
  );
}

/** The calls that need a verification token, and those that need no token at all. */
const open = [
  'post /auth/confirm',
  'post /auth/resend-code',
  'post /auth/register',
  'post /auth/login',
  'post /auth/refresh',
  'post /auth/forgot-password',
  'post /auth/reset-password',
  'post /auth/invitation',
  'post /auth/invitation/accept',
  'post /guest/state',
  'post /guest/open',
  'post /send/open',
  'post /auth/not-me',
  'get /auth/sign-on',
  'post /auth/sign-on/:provider',
  'post /auth/sign-on/:provider/finish',
  'post /auth/sign-on/:provider/back-channel-logout',
  'get /fhir/metadata',
  'post /auth/passkey/options',
  'post /auth/passkey',
  'get /demo',
  'get /settings/limits',
  'get /openapi.json',
  'options /upload/tus',
];

describe('a verification token', () => {
  it('a verification token is refused by every route of the router, and by the socket', async () => {
    const admin = await buildAdmin(test.gateway);
    const login = await api.post('/auth/login', { email: admin.email, password: PASSWORD }).expect(200);
    const { token } = login.body.data;
    const served = routes(createApp(test.gateway, () => false));
    expect(served.length).toBeGreaterThan(50);
    const closed = served.filter(({ method, path }) => !open.includes(`${method} ${path}`));
    expect(served.length - closed.length).toBe(open.length);
    for (const { method, path } of closed) {
      const body = ['get', 'head'].includes(method) ? undefined : {};
      const answer = await api.as(token).call(method, path.replace(/:\w+/g, String(newId())), body);
      // An answer to HEAD has no body.
      const message = method === 'head' ? undefined : 'Authentication failed';
      expect([answer.status, envelopeOf(answer.body).message], `${method} ${path}`).toEqual([401, message]);
    }
    await expect(connectSocket(test.url, { token })).rejects.toThrow('Unauthenticated');
    const { code } = await mailedCode(test.gateway, admin._id);
    await api.as(token).post('/auth/confirm', { code }).expect(200);
    await api.as(token).get('/users/profile').expect(401);
  });
});

describe('a forged token', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

  /** A token with a good HMAC of ours: what is wrong is only what it says. */
  const sealed = (header: object, payload: object, key = test.gateway.keys.tokens.current.key) => {
    const content = `${encode(header)}.${encode(payload)}`;
    return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
  };

  const forgeries: [string, (header: object, payload: Record<string, unknown>) => string][] = [
    ['without exp', (header, { exp: _, ...rest }) => sealed(header, rest)],
    ['exp as a text', (header, payload) => sealed(header, { ...payload, exp: String(payload.exp) })],
    ['exp as null', (header, payload) => sealed(header, { ...payload, exp: null })],
    ['nbf ahead', (header, payload) => sealed(header, { ...payload, nbf: Number(payload.iat) + 600 })],
    ['the header says HS512', (header, payload) => sealed({ ...header, alg: 'HS512' }, payload)],
    ['the header says none', (header, payload) => sealed({ ...header, alg: 'none' }, payload)],
    ['kid is a path', (header, payload) => sealed({ ...header, kid: '../../dev/null' }, payload, Buffer.alloc(0))],
    ['kid is a list', (header, payload) => sealed({ ...header, kid: ['k'] }, payload)],
    ['kid is __proto__', (header, payload) => sealed({ ...header, kid: '__proto__' }, payload)],
    [
      'a key of its own in jwk',
      (header, payload) => {
        const k = Buffer.alloc(32, 7);
        return sealed({ ...header, jwk: { kty: 'oct', k: k.toString('base64url') } }, payload, k);
      },
    ],
    ['signed with nothing', (header, payload) => sealed(header, payload, Buffer.alloc(0))],
    ['signed with another purpose’s key', (h, p) => sealed(h, p, test.gateway.keys.codes.current.key)],
    ['for another audience', (header, payload) => sealed(header, { ...payload, aud: ['elsewhere'] })],
    ['of a verification', (header, payload) => sealed(header, { ...payload, typ: 'verification' })],
    ['for somebody else’s session', (header, payload) => sealed(header, { ...payload, rid: String(newId()) })],
    ['with a role of its own', (h, p) => `${encode(h)}.${encode({ ...p, role: 'admin' })}.AAAA`],
  ];

  it.each(forgeries)('%s is refused with the one message', async (_, forge) => {
    const person: Person = await buildPatient(test.gateway);
    const [header, payload] = person.token.split('.');
    const token = forge(read(header), read(payload));
    const answer = await api.as(token).get('/users/profile').expect(401);
    expect(answer.body.message).toBe('Authentication failed');
    await expect(connectSocket(test.url, { token })).rejects.toThrow('Unauthenticated');
  });

  it('a valid token made in the same way is accepted: the table can fail', async () => {
    const person = await buildPatient(test.gateway);
    const [header, payload] = person.token.split('.');
    await api
      .as(sealed(read(header), read(payload)))
      .get('/users/profile')
      .expect(200);
  });
});
