import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { failuresByStatus } from '@lightbox/contract/failures.js';
import { roleCalls } from '@lightbox/contract/roles/calls.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { Router } from 'express';
import request, { type Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../context.js';
import { envelopeOf } from '../testing/envelope.js';
import { buildAdmin, buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { buildGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';
import { bindAll } from './handle.js';

const { test, api } = useGateway();
let admin: Person;

beforeAll(async () => {
  admin = await buildAdmin(test.gateway);
});

/** Never run: it is the compiler that refuses a feature whose calls and handlers do not match. */
export function notRoutes(router: Router, gateway: Gateway) {
  const listRoles = async () => ({ data: [] });
  // @ts-expect-error: listPermissions has no handler
  bindAll(router, gateway, roleCalls, { listRoles });
  // @ts-expect-error: there is no such call
  bindAll(router, gateway, roleCalls, { listRoles, listPermissions: listRoles, listNobody: listRoles });
  // @ts-expect-error: the answer is another one
  bindAll(router, gateway, roleCalls, { listRoles, listPermissions: async () => ({ data: 1 }) });
}

const login = (body: Buffer | string, type = 'application/json') => api.raw('/auth/login', type, body);

/** Every failure has this shape and says nothing of the inside. */
function expectEnvelope(answer: Response, status: number, error?: string): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/((fhir|scim)\+)?json/);
  const body = envelopeOf(answer.body);
  expect(body).toMatchObject({
    message: expect.stringMatching(/\S/),
    error: expect.stringMatching(/^[A-Z_]+$/),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  if (error) expect(body.error).toBe(error);
  expect(answer.text).not.toMatch(/\\n +at |node_modules|Mongo|\.ts|\/src\/|E11000/);
}

describe('a body that cannot be read', () => {
  it.each([
    ['cut off', '{"a":', 400, 'MALFORMED_JSON'],
    ['60,000 brackets', '['.repeat(60_000), 400, 'MALFORMED_JSON'],
    ['5,000 lists in each other', '['.repeat(5000) + ']'.repeat(5000), 400, 'OBJECT_EXPECTED'],
    ['null', 'null', 400, undefined],
    ['a list', '[]', 400, 'OBJECT_EXPECTED'],
    ['a text', '"x"', 400, undefined],
    ['a number', '1', 400, undefined],
    ['larger than 100 KB', JSON.stringify({ email: 'x'.repeat(101 * 1024) }), 413, 'PAYLOAD_TOO_LARGE'],
  ] as const)('%s', async (_, body, status, error) => {
    expectEnvelope(await login(body), status, error);
  });

  it.each(['text/plain', 'application/xml', 'application/json; charset=utf-7', 'multipart/form-data; boundary=x'])(
    'of the type %s',
    async (type) => expectEnvelope(await login('{}', type), 415, 'UNSUPPORTED_MEDIA_TYPE'),
  );

  it('a body with an unknown encoding, or that inflates to too much, is refused', async () => {
    expectEnvelope(await login('{}').set('Content-Encoding', 'foo'), 415);
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20));
    const send = request(test.url).post('/api/auth/login').set('Content-Type', 'application/json');
    const sent = send.set('Content-Encoding', 'gzip');
    sent.write(bomb as unknown as string);
    expectEnvelope(await sent, 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('fields', () => {
  it.each([
    [{ email: { $gt: '' }, password: { $ne: null } }, ['email', 'password']],
    [{ email: ['a@b.test'], password: 'x' }, ['email']],
    [{ email: 'x'.repeat(10_000), password: 'x' }, ['email']],
    [{ email: 'a@b.test', password: '' }, ['password']],
    [{ email: 'a@b.test', password: 'x'.repeat(2000) }, ['password']],
    [{ email: 'a@b.test', password: 'x', role: 'admin' }, ['role']],
    [{}, ['email', 'password']],
  ])('%j are refused by name', async (body, fields) => {
    const answer = await api.post('/auth/login', body);
    expectEnvelope(answer, 422, 'VALIDATION_FAILED');
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual(fields);
  });

  it('cannot reach a prototype', async () => {
    const good = '"email":"a@b.test","password":"x"';
    for (const text of [`{"__proto__":{"x":1},${good}}`, `{"constructor":{"prototype":{"x":1}},${good}}`]) {
      const answer = await login(text);
      expect([401, 422]).toContain(answer.status);
      expect(({} as Record<string, unknown>).x).toBeUndefined();
    }
  });

  it('a cookie that the library would make an object of counts as none', async () => {
    const cookie = 'lightbox_refresh=j:{"a":1}; lightbox_sign_on=j:{"a":1}; XSRF-TOKEN=x';
    const headers = { Cookie: cookie, 'X-XSRF-TOKEN': 'x' };
    expectEnvelope(await api.post('/auth/refresh', {}).set(headers), 401);
  });

  it('repeated fields and incomplete characters do no harm', async () => {
    expectEnvelope(await login('{"email":"a@b.test","email":"c@d.test","password":"x"}'), 401);
    expectEnvelope(await login('{"email":"\\ud800@b.test","password":"x"}'), 422);
    expectEnvelope(await login('{"email":"a@b.test\\u0000","password":"x"}'), 422);
  });

  it.each([
    'page=0',
    'page=-1',
    'page=1e309',
    'page=1;drop',
    'page[$gt]=1',
    'page=1&page=2',
    'limit=101',
    'limit=1000000000',
    'cursor=x',
    'unknown=1',
    'role=nurse',
    'status=x',
    `search=${'x'.repeat(101)}`,
  ])('the list query ?%s is refused', async (query) => {
    expectEnvelope(await api.as(admin).get(`/users?${query}`), 422, 'VALIDATION_FAILED');
  });

  it.each(['(a+)+$@', '(zq+)+$', '.*', '$where', '\\', '[', 'a b c d e f g'])(
    'a search for %s takes it as plain text',
    async (search) => {
      const { body } = await api
        .as(admin)
        .get(`/users?search=${encodeURIComponent(search)}`)
        .expect(200);
      expect(body.data).toEqual([]);
    },
  );
});

describe('the order of the checks', () => {
  const path = () => `/users/toggleUserStatus/${newId()}`;

  it('the order is authentication, role, body, fields, existence of the record', async () => {
    const patient = await buildPatient(test.gateway);
    const edit = (as: Person | null, id: string, body: string, type = 'application/json') => {
      const put = request(test.url).put(`/api/appsetting/edit/${id}`).set('Content-Type', type).send(body);
      return as ? put.set('Authorization', `Bearer ${as.token}`) : put;
    };
    const nothing = String(newId());
    expectEnvelope(await edit(null, nothing, '{'), 401);
    expectEnvelope(await edit(patient, nothing, '{'), 403);
    expectEnvelope(await edit(admin, nothing, 'x'.repeat(200_000)), 413);
    expectEnvelope(await edit(admin, nothing, 'x', 'text/plain'), 415);
    expectEnvelope(await edit(admin, nothing, '{'), 400);
    expectEnvelope(await edit(admin, nothing, '{"nobody":1}'), 422);
    expectEnvelope(await edit(admin, 'not-an-id', '{"nobody":1}'), 422);
    expectEnvelope(await edit(admin, 'not-an-id', '{}'), 404);
    expectEnvelope(await edit(admin, nothing, '{}'), 404);
  });

  it('the refusal of a signed-in person is in the log', async () => {
    const patient = await buildPatient(test.gateway);
    const target = path();
    await api.as(patient).put(target).expect(403);
    await api
      .as(patient)
      .get(`/users/${patient.id.replace(/^./, '0')}`)
      .expect(404);
    const events = await test.gateway.models.Event.find({ actor: patient._id, status: 'denied' })
      .sort({ _id: 1 })
      .lean();
    expect(events).toMatchObject([
      { type: 'user.activate', reason: 'FORBIDDEN', table: 'users' },
      { type: 'user.read', reason: 'NOT_FOUND', table: 'users' },
    ]);
    expect(String(events[0]?.record)).toBe(target.split('/').at(-1));
  });
});

describe('addresses', () => {
  it.each(['/api/nothing', '/api/users/a/b/c', '/api/auth', '/apix'])('the address %s is not found', async (path) => {
    expectEnvelope(await request(test.url).get(path).set('Accept', 'application/json'), 404, 'NOT_FOUND');
  });

  it.each(['/api/%E0%A4%A', '/api/users/%E0%A4%A', '/api/users/..%2f..%2fetc'])(
    'the malformed address %s does no harm',
    async (path) => {
      const answer = await request(test.url).get(path).set('Authorization', `Bearer ${admin.token}`);
      expect([400, 404]).toContain(answer.status);
      expectEnvelope(answer, answer.status);
    },
  );

  it.each([
    ['get', '/api/users/approve-provider', 'POST'],
    ['get', '/api/users/reject-provider/', 'POST'],
    ['delete', '/api/sharing/request', 'POST'],
    ['delete', '/api/Users/Export', 'GET'],
  ] as const)('%s %s is 405, not somebody with that id', async (method, path, allowed) => {
    const answer = await request(test.url)[method](path).set('Authorization', `Bearer ${admin.token}`);
    expectEnvelope(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.get('Allow')).toBe(allowed);
  });

  it.each([...new Set(Object.values(calls as Record<string, CallShape>).map((shape) => shape.path))])(
    '%s with another method is 405 and names those it has',
    async (path) => {
      const methods = Object.values(calls as Record<string, CallShape>).filter((shape) => shape.path === path);
      const other = (['patch', 'put', 'post'] as const).find((one) => methods.every(({ method }) => method !== one));
      if (!other) throw new Error(`${path} has all of these methods.`);
      const answer = await request(test.url)[other](`/api${path.replace(/:\w+/, String(newId()))}`);
      expectEnvelope(answer, 405, 'METHOD_NOT_ALLOWED');
      for (const { method } of methods) expect(answer.get('Allow')).toContain(method.toUpperCase());
    },
  );

  it('a literal path that also matches a path with a parameter is 405 too', async () => {
    const answer = await api.as(admin).get('/users/approve-provider');
    expectEnvelope(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.get('Allow')).toBe('POST');
    await request(test.url).head('/api/users/profile').set('Authorization', `Bearer ${admin.token}`).expect(200);
  });

  it('TRACE does not echo the request', async () => {
    const answer = await rawRequest('TRACE /api/users HTTP/1.1\r\nHost: localhost\r\nX-Secret: s3cret\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405/);
    expect(answer).not.toContain('s3cret');
  });
});

/** Bytes that no HTTP client would send. */
function rawRequest(text: string): Promise<string> {
  const { port, hostname } = new URL(test.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
      if (answer.includes('requestId')) socket.destroy();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('a request that Node itself refuses', () => {
  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    [
      'two lengths',
      'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s has the envelope too', async (_, text, status) => {
    const answer = await rawRequest(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({
      message: expect.any(String),
      error: expect.any(String),
      requestId: expect.any(String),
    });
  });
});

describe('headers', () => {
  it('every answer has the strict security headers', async () => {
    const answers = [
      await request(test.url).get('/healthz').expect(200),
      await api.get('/nothing').expect(404),
      await api.as(admin).get('/users/profile').expect(200),
      await login('{').expect(400),
    ];
    for (const { headers } of answers) {
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval'(;|$)/);
      for (const part of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  it('answers of the API may not be stored by browsers', async () => {
    for (const path of ['/users/profile', '/users', '/nothing']) {
      expect((await api.as(admin).get(path)).headers['cache-control']).toBe('no-store');
    }
  });

  it('lists are compressed, and no other answer is', async () => {
    for (let i = 0; i < 8; i++) await buildProvider(test.gateway);
    const as = api.as(admin);
    const encoding = async (answer: request.Test) =>
      (await answer.set('Accept-Encoding', 'gzip').expect(200)).headers['content-encoding'];
    expect(await encoding(as.get('/users?limit=100'))).toBe('gzip');
    // A short list gains nothing.
    expect(await encoding(as.get('/notifications'))).toBeUndefined();
    const long = await as.get('/roles/permissions').set('Accept-Encoding', 'gzip').expect(200);
    expect(long.text.length).toBeGreaterThan(1024);
    expect(long.headers['content-encoding']).toBeUndefined();
  });

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example'])(
    'the origin %s gets no CORS headers',
    async (origin) => {
      const simple = await api.as(admin).get('/users/profile').set('Origin', origin);
      const preflight = await request(test.url)
        .options('/api/users/profile')
        .set({ Origin: origin, 'Access-Control-Request-Method': 'PUT' });
      for (const { headers } of [simple, preflight]) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    },
  );

  it('HSTS is set for a year when the product is served over https', async () => {
    const secure = await buildGateway({ publicUrl: 'https://lightbox.test' });
    const { headers } = await request(secure.url).get('/healthz');
    expect(headers['strict-transport-security']).toMatch(/max-age=31536000/);
    await secure.stop();
  });

  it('address headers count only from a configured proxy', async () => {
    const provider = await buildProvider(test.gateway);
    await api.as(provider).get('/users/profile').set('X-Forwarded-For', '203.0.113.66').expect(200);
    const event = await test.gateway.models.Event.findOne({ actor: provider._id, type: 'profile.read' }).lean();
    expect(event?.ip).toMatch(/127\.0\.0\.1$/);
  });
});

describe('a request for a foreign host', () => {
  // The request of a browser for a page whose name resolves to this machine.
  const foreign = ['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example:80', '[::1]'];
  const handshake = '/socket.io/?EIO=4&transport=polling';
  const paths = ['/api/demo', '/api/openapi.json', '/api/users/profile', '/', '/nothing', handshake];

  it.each(foreign)('%s is answered 421, whatever it asks for', async (host) => {
    for (const path of paths) expectEnvelope(await request(test.url).get(path).set('Host', host), 421, 'MISDIRECTED');
    const token = { Authorization: `Bearer ${admin.token}` };
    const signedIn = request(test.url)
      .put('/api/users/profile')
      .set({ ...token, Host: host });
    expectEnvelope(await signedIn.send({ firstname: 'Mallory' }), 421, 'MISDIRECTED');
  });

  it('a WebSocket for a foreign host is refused', async () => {
    const { port, hostname } = new URL(test.url);
    const socket = connect(Number(port), hostname);
    const key =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
    socket.end(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: evil.example\r\n${key}\r\n\r\n`);
    let answer = '';
    for await (const part of socket) answer += part;
    expect(answer).toMatch(/^HTTP\/1\.1 421 [\s\S]*"error":"MISDIRECTED"/);
  });

  it('only the health paths answer for a foreign host', async () => {
    for (const path of ['/healthz', '/readyz'])
      await request(test.url).get(path).set('Host', 'evil.example').expect(200);
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:65535'])
      await request(test.url).get(handshake).set('Host', host).expect(200);
  });
});

it('a built file that is not there is not found', async () => {
  expectEnvelope(await request(test.url).get('/assets/none.js'), 404, 'NOT_FOUND');
});

it('health and readiness name their dependencies', async () => {
  expect((await request(test.url).get('/healthz').expect(200)).body).toEqual({ status: 'ok' });
  const { body } = await request(test.url).get('/readyz').expect(200);
  expect(body).toEqual({ status: 'ok', dependencies: { mongodb: 'ok', redis: 'ok' } });
});

it('the API documents itself, with schemas for every call', async () => {
  const { body } = await api.get('/openapi.json').expect(200);
  expect(body.openapi).toMatch(/^3\.1/);
  for (const shape of Object.values(calls as Record<string, CallShape>)) {
    const { responses } = body.paths[shape.path.replace(/:(\w+)/g, '{$1}')][shape.method];
    const expected = [shape.status ?? 200, shape.alsoStatus ?? 503, ...failuresByStatus(shape).keys()];
    expect(Object.keys(responses).map(Number).sort()).toEqual([...new Set(expected)].sort());
    if (shape.who !== 'anyone') expect(responses[401].description).toContain('UNAUTHENTICATED');
    expect(responses[503].headers).toHaveProperty('Retry-After');
  }
  expect(body.paths['/dicom-web/studies'].get.responses[204]).toEqual({ description: 'Success' });
  expect(body.components.schemas.Failure.properties).toHaveProperty('ways');
  const refusedByStow = body.paths['/dicom-web/studies'].post.responses[409].content;
  expect(Object.keys(refusedByStow)).toEqual(['application/json', 'application/dicom+json']);
  expect(JSON.stringify(body)).not.toContain('prefixItems');
  const errorsOfScim = body.paths['/scim/v2/Users'].post.responses;
  expect(Object.keys(errorsOfScim[409].content)).toEqual(['application/scim+json']);
  expect(errorsOfScim[400].description).toContain('VALIDATION_FAILED');
  expect((await request(test.url).get('/api/docs/').expect(200)).text).toContain('swagger');
});
