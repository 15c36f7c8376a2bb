import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { dicomPicture, element, phantom } from '@lightbox/testkit/part10.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import { dicomWebOf, fresh } from '../testing/dicomWeb.js';
import {
  type BuiltShare,
  buildAdmin,
  buildPatient,
  buildProvider,
  buildShare,
  PASSWORD,
  type Person,
} from '../testing/factories.js';
import { files } from '../testing/files.js';
import { buildGateway, type TestGateway } from '../testing/gateway.js';

const WRONG = 'Wrong-Pass-1';

describe('limits', () => {
  let test: TestGateway;
  let api: Client;

  beforeAll(async () => {
    test = await buildGateway({ rateLimits: true, trustProxy: 1 });
    api = new Client(test.url);
  });
  afterAll(() => test.stop());

  it('the upload limit counts per hour, and counts uploads that are refused before they are read', async () => {
    const provider = api.as(await buildProvider(test.gateway));
    for (let i = 0; i < throttles.upload.points; i++)
      await provider.raw('/upload/image', 'text/plain', 'x').expect(415);
    const refused = await provider.upload(files.png).expect(429);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
    expect(refused.body.error).toBe('TOO_MANY_REQUESTS');
  });

  it('a study counts as one upload, whatever the number of its files', async () => {
    const person = await buildProvider(test.gateway);
    const provider = api.as(person);
    for (let i = 0; i < throttles.upload.points - 2; i++)
      await test.gateway.throttle.take('upload', { caller: person.id });
    const slice = dicomPicture({}, element(0x0020000d, 'UI', '1.2.3.4'));
    for (let i = 0; i < 4; i++) await provider.upload(slice).expect(201);
    await provider.upload(files.png).expect(201);
    await provider.upload(slice).expect(429);
  });

  it('a device has a limit of its own, which a scanner does not reach and a second device does not share', async () => {
    const person = await buildProvider(test.gateway);
    const { tokenOf, storeFiles } = dicomWebOf({ test, api });
    const [scanner, other] = [await tokenOf(person), await tokenOf(person)];
    const device = { device: scanner.id };
    // The limit of the person is used up.
    for (let i = 0; i < throttles.upload.points; i++) await test.gateway.throttle.take('upload', { caller: person.id });
    for (let i = 0; i < throttles.deviceStudies.points - 2; i++)
      await test.gateway.throttle.take('deviceStudies', device);
    const study = fresh();
    const slices = [1, 2, 3, 4].map((instance) => phantom({ study, instance }));
    expect((await storeFiles(scanner.token, slices)).status).toBe(200);
    expect((await storeFiles(scanner.token, slices)).status).toBe(200);
    const last = await storeFiles(scanner.token, [phantom({ study: fresh() }), phantom({ study: fresh() })]);
    expect([last.status, last.body['0008119A'].Value[0]['00081197'].Value]).toEqual([202, [0xa700]]);
    const refused = await storeFiles(scanner.token, slices);
    expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect((await storeFiles(other.token, [phantom({ study: fresh() })])).status).toBe(200);
    // The busiest scanners make fifteen pictures a second, and one study in four minutes.
    expect(throttles.deviceFiles.points).toBeGreaterThan(15 * throttles.deviceFiles.seconds);
    expect(throttles.deviceStudies.points).toBeGreaterThan(15);
  });

  it('after fifty failed sign-ins an address is blocked for all accounts, and other addresses are not', async () => {
    const { email } = await buildPatient(test.gateway);
    const login = (i: number, address: string, password = WRONG) =>
      api
        .post('/auth/login', { email: i < 0 ? email : `guess${i}@hospital.test`, password })
        .set('X-Forwarded-For', address);
    const guesses = Array.from({ length: throttles.loginAddress.points }, (_, i) => login(i, '203.0.113.50'));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    await login(-1, '203.0.113.50', PASSWORD).expect(429);
    await login(-1, '203.0.113.51', PASSWORD).expect(200);
  });

  it('forged address headers do not avoid the limits', async () => {
    const { email } = await buildPatient(test.gateway);
    const login = (i: number) =>
      api.post('/auth/login', { email, password: WRONG }).set({
        'X-Forwarded-For': `198.51.100.${i}, 203.0.113.60`,
        'X-Real-IP': `198.51.100.${i}`,
        Forwarded: `for=198.51.100.${i}`,
      });
    for (let i = 0; i < throttles.loginPair.points; i++) await login(i).expect(401);
    await login(99).expect(429);
  });

  it('a share allows five guesses in all, from any address; then it is locked, and administrators are notified', async () => {
    const admin = await buildAdmin(test.gateway);
    const boss = await connectSocket(test.url, { token: admin.token });
    const shares = await Promise.all(Array.from({ length: 6 }, () => buildShare(test.gateway)));
    const verify = (share: BuiltShare, verificationCode: string, i = 0) =>
      api
        .as(share.recipient)
        .post('/sharing/verify', { sharingRequestId: share.id, verificationCode })
        .set('X-Forwarded-For', `203.0.113.${i % 50}`);
    const guesses = Array.from({ length: 20 }, (_, i) => String(i * 49_999).padStart(6, '0')).flatMap((code) =>
      shares.filter((share) => share.code !== code).map((share) => ({ share, code })),
    );
    const told = new Map(shares.map(({ id }) => [id, [] as number[]]));
    for (let i = 0; i < guesses.length; i += 30) {
      const batch = guesses.slice(i, i + 30);
      const answers = await Promise.all(batch.map(({ share, code }, n) => verify(share, code, i + n)));
      for (const [n, { status }] of answers.entries()) told.get(batch[n]?.share.id ?? '')?.push(status);
    }
    for (const share of shares) {
      const statuses = told.get(share.id) ?? [];
      expect(statuses.filter((status) => status === 422)).toHaveLength(limits.codeTries);
      expect(new Set(statuses)).toEqual(new Set([422, 423]));
      await verify(share, share.code).expect(423);
    }

    // The alert: once for each share in the log and at once at the administrators', and among what needs them now.
    await appendAudit(test.gateway.models, test.gateway.keys.audit);
    const log = await api.as(admin).get('/audit/logs?actiontype=share.lock').expect(200);
    const alerts = log.body.data as { recordId: string; user: { id: string }; ipaddress: string; status: string }[];
    expect(alerts.map(({ recordId, user }) => `${recordId} ${user.id}`).sort()).toEqual(
      shares.map(({ image, recipient }) => `${image.id} ${recipient.id}`).sort(),
    );
    for (const { ipaddress, status } of alerts) {
      expect([status, ipaddress]).toEqual(['success', expect.stringMatching(/^203\.0\.113\.\d+$/)]);
    }
    const heard = (await boss.until('share:locked', shares.length)) as { sharingRequestId: string }[];
    expect(heard.map((event) => event.sharingRequestId).sort()).toEqual(shares.map(({ id }) => id).sort());
    boss.socket.close();
    const overview = (await api.as(admin).get('/admin/overview').expect(200)).body.data;
    expect(overview.attention.lockedShares.count).toBe(shares.length);
  });
});

describe('while Redis is away', () => {
  let test: TestGateway;
  let person: Person;

  beforeAll(async () => {
    test = await buildGateway({ rateLimits: true, redisUrl: `redis://127.0.0.1:${await freePort()}/0` });
    person = await buildPatient(test.gateway);
  });
  afterAll(() => test.stop());

  it('each gateway limits guesses by its own count', async () => {
    const login = (password: string) => new Client(test.url).post('/auth/login', { email: person.email, password });
    for (let i = 0; i < throttles.loginPair.points; i++) await login(WRONG).expect(401);
    const refused = await login(PASSWORD).expect(429);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('messages are sent and limited, and reads work', async () => {
    const api = new Client(test.url).as(person);
    const provider = await buildProvider(test.gateway);
    const send = () => api.post('/message/send', { recipientId: provider.id, content: 'Hello' });
    const answers = await Promise.all(Array.from({ length: throttles.message.points + 1 }, send));
    expect(
      answers
        .map(({ status }) => status)
        .sort()
        .slice(-2),
    ).toEqual([201, 429]);
    await api.get('/users').expect(200);
  });
});
