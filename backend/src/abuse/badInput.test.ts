import { texts } from '@lightbox/contract/texts.js';
import { newId } from '@lightbox/core/db/ids.js';
import request, { type Response, type Test } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildAdmin, buildPatient, buildProvider, PASSWORD, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

/** The rows of the bad-input catalogue that no feature's own tests hold; docs/security.md says where each is. */
const { test, api } = useGateway();
let patient: Person;
let provider: Person;
let admin: Person;

beforeAll(async () => {
  [patient, provider, admin] = [
    await buildPatient(test.gateway),
    await buildProvider(test.gateway),
    await buildAdmin(test.gateway),
  ];
});

const nowhere = String(newId());
const registration = (changes: object) => ({
  email: `${newId()}@hospital.test`,
  username: `u${newId()}`,
  password: PASSWORD,
  role: 'patient',
  firstname: 'Ada',
  lastname: 'Bad',
  ...changes,
});
const register = (changes: object) => api.post('/auth/register', registration(changes));
const form = (changes: Record<string, string>) => api.as(provider).upload(files.png, { caption: 'x', ...changes });

interface Row {
  what: string;
  send: () => Test;
  status: number | number[];
  field?: string;
  message?: string;
}

const rows: Row[] = [
  {
    what: '8 login: an address of 10 KB',
    send: () => api.post('/auth/login', { email: `${'x'.repeat(10_000)}@a.test`, password: 'x' }),
    status: 422,
    field: 'email',
  },
  {
    what: '8 login: a homograph of an address',
    send: () => api.post('/auth/login', { email: patient.email.replace('e', 'е'), password: PASSWORD }),
    status: [401, 422],
  },
  {
    what: '8 login: the address in upper case is the same account',
    send: () => api.post('/auth/login', { email: patient.email.toUpperCase(), password: PASSWORD }),
    status: 200,
  },
  {
    what: '9 login: a password of 1 MB',
    send: () => api.post('/auth/login', { email: patient.email, password: 'x'.repeat(1 << 20) }),
    status: 413,
  },
  { what: '10 register: no role', send: () => register({ role: undefined }), status: 422, field: 'role' },
  { what: '10 register: role admin', send: () => register({ role: 'admin' }), status: 422, field: 'role' },
  { what: '11 register: a 30th of February', send: () => register({ dob: '2023-02-30' }), status: 422, field: 'dob' },
  {
    what: '13 register: markup for a username',
    send: () => register({ username: '<img onerror>' }),
    status: 422,
    field: 'username',
  },
  { what: '14 register: a gender in capitals', send: () => register({ gender: 'MALE' }), status: 201 },
  { what: '14 register: a gender nobody knows', send: () => register({ gender: 'x' }), status: 422, field: 'gender' },
  {
    what: '15 reset: five digits',
    send: () => api.post('/auth/reset-password', { email: patient.email, otp: '12345', newPassword: PASSWORD }),
    status: 422,
    field: 'otp',
    message: texts.validCode,
  },
  {
    what: '15 reset: Arabic-Indic digits',
    send: () => api.post('/auth/reset-password', { email: patient.email, otp: '٠١٢٣٤٥', newPassword: PASSWORD }),
    status: 422,
    field: 'otp',
    message: texts.validCode,
  },
  {
    what: '15 reset: a leading space',
    send: () => api.post('/auth/reset-password', { email: patient.email, otp: ' 12345', newPassword: PASSWORD }),
    status: 422,
    field: 'otp',
  },
  {
    what: '15 reset: a number',
    send: () => api.post('/auth/reset-password', { email: patient.email, otp: 123456, newPassword: PASSWORD }),
    status: 422,
    field: 'otp',
  },
  {
    what: '17 reset: a link’s token that is cut',
    send: () => api.post('/auth/reset-password', { token: nowhere, password: PASSWORD }),
    status: 422,
    field: 'token',
  },
  {
    what: '17 reset: two tokens',
    send: () => api.post('/auth/reset-password', { token: ['a', 'b'], password: PASSWORD }),
    status: 422,
  },
  { what: '18 a token of 16 KB', send: () => api.as('x'.repeat(16_384)).get('/users/profile'), status: [401, 431] },
  {
    what: '20 a path with two slashes',
    send: () => request(test.url).get('//api/users').set('Accept', 'application/json'),
    status: [401, 404],
  },
  { what: '20 a NUL in an id', send: () => api.as(admin).get('/users/%00'), status: [400, 404] },
  { what: '23 toggle: oneself', send: () => api.as(admin).put(`/users/toggleUserStatus/${admin.id}`), status: 409 },
  {
    what: '23 toggle: a patient by a provider',
    send: () => api.as(provider).put(`/users/toggleUserStatus/${patient.id}`),
    status: 403,
  },
  { what: '23 toggle: nobody', send: () => api.as(admin).put(`/users/toggleUserStatus/${nowhere}`), status: 404 },
  {
    what: '24 profile: role, active and password',
    send: () => api.as(patient).put('/users/profile', { role: 'admin', active: true, password: 'x' }),
    status: 422,
    field: 'role',
  },
  {
    what: '24 profile: a biography of 90 KB',
    send: () => api.as(patient).put('/users/profile', { bio: 'x'.repeat(90_000) }),
    status: 422,
    field: 'bio',
  },
  {
    what: '25 setting: a value of 1 MB',
    send: () => api.as(admin).post('/appsetting/add', { name: 'x', value: 'x'.repeat(1 << 20) }),
    status: 413,
  },
  {
    what: '25 setting: for somebody else',
    send: () => api.as(patient).del('/appsetting/delete', { id: nowhere, user: { id: admin.id } }),
    status: 403,
  },
  {
    what: '26 approve: nobody',
    send: () => api.as(admin).post('/users/approve-provider', { email: 'nobody@hospital.test' }),
    status: 404,
  },
  {
    what: '26 approve: a patient',
    send: () => api.as(admin).post('/users/approve-provider', { email: patient.email }),
    status: 409,
  },
  {
    what: '26 approve: an admin',
    send: () => api.as(admin).post('/users/approve-provider', { email: admin.email }),
    status: 409,
  },
  {
    what: '27 share: of an image that is not there',
    send: () => api.as(provider).post('/sharing/request', { imagemetadataId: nowhere, createdfor: patient.id }),
    status: 404,
  },
  {
    what: '27 share: hours as text',
    send: () =>
      api
        .as(provider)
        .post('/sharing/request', { imagemetadataId: nowhere, createdfor: patient.id, expiresInHours: '24' }),
    status: 422,
    field: 'expiresInHours',
  },
  {
    what: '28 verify: objects',
    send: () => api.as(patient).post('/sharing/verify', { sharingRequestId: { $ne: 1 }, verificationCode: { $ne: 1 } }),
    status: 422,
    field: 'sharingRequestId',
  },
  {
    what: '30 multipart: 2,000 brackets in a name',
    send: () => form({ [`a${'[a]'.repeat(2000)}`]: 'x' }),
    status: [400, 413, 422],
  },
  { what: '30 multipart: a caption of 9 KB', send: () => form({ caption: 'x'.repeat(9_000) }), status: 413 },
  {
    what: '34 multipart: a provider for a patient',
    send: () => form({ patientId: provider.id }),
    status: 422,
    field: 'patientId',
  },
  {
    what: '52 message: to oneself',
    send: () => api.as(patient).post('/message/send', { recipientId: patient.id, content: 'x' }),
    status: 404,
  },
  {
    what: '52 message: to a list',
    send: () => api.as(patient).post('/message/send', { recipientId: [provider.id], content: 'x' }),
    status: 422,
    field: 'recipientId',
  },
  {
    what: '52 message: direction marks and markup are text',
    send: () => api.as(patient).post('/message/send', { recipientId: provider.id, content: '\u202e<b onclick="x()">' }),
    status: 201,
  },
  {
    what: '53 audit: a pattern for a person',
    send: () => api.as(admin).get('/audit/logs?search=(a%2B)%2B%24'),
    status: 200,
  },
  {
    what: '53 audit: a page of 10⁹',
    send: () => api.as(admin).get('/audit/logs?limit=1000000000'),
    status: 422,
    field: 'limit',
  },
  {
    what: '53 audit: from after to',
    send: () => api.as(admin).get('/audit/logs?from=2026-02-01&to=2026-01-01'),
    status: 422,
    field: 'from',
  },
  {
    what: '53 audit: a zone that is none',
    send: () => api.as(admin).get('/audit/logs?from=2026-02-01T00:00:00%2B99:00'),
    status: 422,
    field: 'from',
  },
  { what: '54 analyse: nothing', send: () => api.as(provider).get(`/analyze/${nowhere}`), status: 404 },
];

function expectAnswer(answer: Response, { status, field, message }: Row): void {
  expect([status].flat(), answer.text).toContain(answer.status);
  if (answer.status < 400) return;
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.body).toMatchObject({
    message: expect.any(String),
    error: expect.any(String),
    requestId: expect.any(String),
  });
  expect(answer.text).not.toMatch(/\\n +at |node_modules|Mongo|\.ts\b|E11000/);
  const found = (answer.body.errors ?? []).find((error: { field: string }) => error.field === field);
  if (field) expect(found, answer.text).toBeDefined();
  if (message) expect(found.message).toBe(message);
}

describe('bad input', () => {
  it.each(rows)('row $what', async (row) => expectAnswer(await row.send(), row));

  it('row 13: a username like an administrator’s is allowed, and gives no rights', async () => {
    const { body } = await register({ username: `admin${newId()}` }).expect(201);
    expect(body.data.user.role).toEqual({ name: 'patient' });
  });

  it.each([
    ['64 characters', `Aa1${'x'.repeat(60)}`],
    ['128 characters', `Aa1${'x'.repeat(124)}`],
    ['spaces', 'Aa1 with spaces between '],
    ['emoji', 'Aa1🔒🔒🔒🔒'],
    ['80 bytes', `Aa1${'x'.repeat(72)}`],
  ])('R2: every character of a password with %s counts', async (_, stem) => {
    const given = registration({ password: `${stem}p` });
    await api.post('/auth/register', given).expect(201);
    const login = (password: string) => api.post('/auth/login', { email: given.email, password });
    await login(`${stem}q`).expect(401);
    await login(stem).expect(401);
    await login(`${stem}p`).expect(200);
  });

  it('R2: a password of 200 characters is refused with the name of its field', async () => {
    const answer = await register({ password: `Aa1${'x'.repeat(197)}` });
    expectAnswer(answer, { what: '', send: () => api.get('/'), status: 422, field: 'password' });
  });

  it('R3: equal passwords are hashed with different salts, and no secret is stored in clear', async () => {
    const given = [registration({}), registration({})];
    for (const one of given) await api.post('/auth/register', one).expect(201);
    const kept = await test.gateway.models.User.find({ email: { $in: given.map(({ email }) => email) } }).lean();
    expect(new Set(kept.map(({ passwordHash }) => passwordHash)).size).toBe(2);
    for (const { passwordHash } of kept) expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    for (const model of Object.values(test.gateway.models)) {
      expect(JSON.stringify(await model.collection.find().toArray())).not.toContain(PASSWORD);
    }
  });

  it.each([
    'https://evil.localhost',
    'http://localhost.evil.example',
    'null',
    'https://evil.example',
    'http://127.0.0.1.evil.example:80',
  ])('R53: the origin %s gets no CORS permission', async (origin) => {
    const { headers } = await api.as(patient).get('/users/profile').set('Origin', origin);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('R56: a fault inside a call is one sentence to the client, and the process continues', async () => {
    const broken = await buildPatient(test.gateway);
    await test.gateway.models.User.collection.updateOne({ _id: broken._id }, { $set: { createAt: 'never' as never } });
    const answer = await api.as(broken).get('/users/profile');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      message: 'Something went wrong. Please try again.',
      error: 'INTERNAL',
      requestId: expect.any(String),
    });
    await request(test.url).get('/healthz').expect(200);
  });
});
