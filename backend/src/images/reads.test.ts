import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Kept, RECENT_MS } from '../auth/recent.js';
import { Client } from '../testing/client.js';
import { buildImage, buildPatient, buildProvider, buildShare } from '../testing/factories.js';
import { joinGateway, type TestGateway } from '../testing/gateway.js';
import { profiled } from '../testing/profiled.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let two: TestGateway;

beforeAll(async () => {
  two = await joinGateway(test.config, test.clock);
});
afterAll(() => two.stop());

/** Settings are read once a second for all; the gateway compares the log in the background. */
const notOfOneRead = /^(appsettings|audit(receipts|heads|runs))$/;

/** Returns the commands to the database and to Redis that a read takes. */
async function commandsOf(read: () => Promise<unknown>): Promise<string[]> {
  const redis = vi.spyOn(test.gateway.redis, 'sendCommand');
  const all = await profiled(test.gateway.db, read);
  const names = redis.mock.calls.map(([{ name }]) => `redis ${name}`);
  redis.mockRestore();
  const told = all.flatMap(({ op, ns }) => {
    const collection = ns.split('.').slice(1).join('.');
    return notOfOneRead.test(collection) ? [] : [`${op} ${collection}`];
  });
  return [...told, ...names];
}

/** Does work while time stands still for what is kept of reads, so that it does not grow old. */
async function whileKept<T>(work: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  return work().finally(() => clock.mockRestore());
}

describe('A read takes few commands', () => {
  it.each([
    ['preview', 9, 2],
    ['content', 9, 2],
  ])('%s: at most %i, and %i while its facts are kept', async (what, first, again) => {
    const owner = await buildProvider(test.gateway);
    const image = await buildImage(test.gateway, { owner });
    const read = () => api.as(owner).get(`/upload/image/${image.id}/${what}`).expect(200);
    const cold = await commandsOf(read);
    expect(cold.length, cold.join()).toBeLessThanOrEqual(first);
    // A signal that comes late, on a busy machine, ends what is kept.
    await eventually(async () => {
      const warm = await whileKept(async () => {
        await read();
        return commandsOf(read);
      });
      expect(warm.length, warm.join()).toBeLessThanOrEqual(again);
      expect(warm).toContain('insert events');
    });
  });
});

// A signal that comes late, on a busy machine, ends what is kept.
it('Reads of one image by one person at the same time share what their access rests on.', { retry: 2 }, async () => {
  const owner = await buildProvider(test.gateway);
  const image = await buildImage(test.gateway, { owner });
  const read = () => api.as(owner).get(`/upload/image/${image.id}/content`).expect(200);
  await read();
  test.gateway.recent.facts.forget();
  const commands = await whileKept(() => commandsOf(() => Promise.all(Array.from({ length: 6 }, read))));
  expect(commands.filter((one) => one === 'query imagemetadata').length, commands.join()).toBe(1);
});

it('A read that is under way is not shared after a change that it may have missed.', async () => {
  const kept = new Kept<{ n: number }>(10);
  let end: (value: { n: number }) => void = () => undefined;
  const value = kept.whileRead('key', kept.begin(), new Promise((resolve) => (end = resolve)));
  const together = kept.getSoon('key');
  kept.forget();
  expect(await kept.getSoon('key')).toBeUndefined();
  end({ n: 1 });
  expect(await together).toEqual({ n: 1 });
  await value;
  expect(await kept.getSoon('key')).toBeUndefined();
});

it('A session and an account are read again only when they changed, whoever changed them.', async () => {
  const person = await buildPatient(test.gateway);
  const read = () => api.as(person).get(`/upload/image/${newId()}`);
  const until = performance.now() + 2 * RECENT_MS;
  while (performance.now() < until) await read().expect(404);
  // On a busy machine the gateway hears late that nothing has changed, and reads once more.
  await expect.poll(async () => (await commandsOf(read)).filter((one) => /sessions|users/.test(one))).toEqual([]);
  await test.gateway.models.Session.updateOne({ _id: person.sessionId }, { $set: { endedAt: test.clock.now() } });
  await expect.poll(async () => (await read()).status, { interval: 5 }).toBe(401);
});

const shared = async () => buildShare(test.gateway, { verified: true });
type Shared = Awaited<ReturnType<typeof shared>>;
const previewOf = ({ image, recipient }: Shared, gateway = test) =>
  new Client(gateway).as(recipient).get(`/upload/image/${image.id}/preview`);
const ends = {
  revoked: { end: ({ id, image }: Shared) => api.as(image.owner).del(`/sharing/${id}`), status: 404 },
  'signed out': { end: ({ recipient }: Shared) => api.as(recipient).post('/auth/logout'), status: 401 },
};

it.each([
  ['/upload/my-images', 12],
  ['/upload/my-images?grouped=true', 12],
  // The guest links of a page are one of them.
  ['/upload/shared-images?grouped=true', 13],
  // With a patient on the page, the care relationships take five.
  ['/users', 11],
  ['/message/chat-list', 8],
  ['/notifications', 8],
  ['/audit/logs', 8],
])('a page of %s takes at most %i commands', async (path, most) => {
  const owner = await buildProvider(test.gateway);
  await buildPatient(test.gateway);
  for (let i = 0; i < 3; i++) await buildShare(test.gateway, { image: await buildImage(test.gateway, { owner }) });
  const told = await commandsOf(() => api.as(owner).get(path).expect(200));
  expect(told.length, told.join()).toBeLessThanOrEqual(most);
});

it('an absent image takes the same commands as one of somebody else', async () => {
  const foreign = await buildImage(test.gateway);
  for (const who of [await buildProvider(test.gateway), await buildPatient(test.gateway)]) {
    for (const what of ['', '/content', '/preview', '/timeline']) {
      const told = async (id: string) =>
        (await commandsOf(() => api.as(who).get(`/upload/image/${id}${what}`).expect(404))).toSorted();
      // Session and account are read before.
      await api.as(who).get(`/upload/image/${newId()}`).expect(404);
      const withoutViewer = (all: string[]) => all.filter((one) => !/sessions|users/.test(one));
      // A refused call does not wait for its other reads. On a busy machine they end after its answer.
      await eventually(async () =>
        expect(withoutViewer(await told(String(newId())))).toEqual(withoutViewer(await told(foreign.id))),
      );
    }
  }
});

describe.each(Object.entries(ends))('A reader whose right has ended (%s)', (_, { end, status }) => {
  it('is forgotten by the other gateways with the signal', async () => {
    const share = await shared();
    const { recent } = two.gateway;
    const forget = vi.spyOn(recent, 'forget');
    await whileKept(async () => {
      await previewOf(share, two).expect(200);
      forget.mockClear();
      await end(share).expect(200);
      await eventually(() => expect(forget).toHaveBeenCalled());
      await previewOf(share, two).expect(status);
    }).finally(() => forget.mockRestore());
  });

  it('reads for a second at most when no signal and no change arrives', async () => {
    const share = await shared();
    const { recent } = two.gateway;
    const deaf = (['hear', 'changed', 'confirm'] as const).map((name) =>
      vi.spyOn(recent, name).mockImplementation(() => undefined),
    );
    try {
      await previewOf(share, two).expect(200);
      await end(share).expect(200);
      const until = performance.now() + 1_000;
      // These reads do not prolong it.
      while (performance.now() < until) await previewOf(share, two);
      await previewOf(share, two).expect(status);
    } finally {
      for (const spy of deaf) spy.mockRestore();
    }
  });
});

describe('A conditional read', () => {
  const looks = (image: ObjectId) => test.gateway.models.Event.countDocuments({ record: image, status: 'success' });

  it.each(['preview', 'frames/1'])(
    'of %s is 304 for a reader who has it, and 404 once the right has ended',
    async (what) => {
      const share = await shared();
      const path = `/upload/image/${share.image.id}/${what}`;
      const as = api.as(share.recipient);
      const { headers } = await as.get(path).expect(200);
      expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
      const before = await looks(share.image._id);
      const known = await as.get(path).set('If-None-Match', `"other", W/${headers.etag}`).expect(304);
      expect(known.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'no-store' });
      if (what === 'preview') expect(await looks(share.image._id)).toBe(before + 1);
      await as.get(path).set('If-None-Match', '"other"').expect(200);
      await ends.revoked.end(share).expect(200);
      await as.get(path).set('If-None-Match', `${headers.etag}`).expect(404);
    },
  );
});
