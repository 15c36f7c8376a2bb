import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { CHUNK } from '@lightbox/core/blobs/cipher.js';
import { newId } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { beforeAll, expect, it } from 'vitest';
import { Client } from './testing/client.js';
import {
  type BuiltImage,
  type BuiltShare,
  buildAdmin,
  buildImage,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
  storeDrawing,
} from './testing/factories.js';
import { useGateway } from './testing/useGateway.js';

/** Far more than the system's buffers on the way hold. */
const PIECES = 32;
const SIZE = PIECES * CHUNK;

const { test } = useGateway();
let admin: Person;
/** The gateway's ends of its connections, by the port at the other end. */
const connections = new Map<number, Socket>();
const large = { blob: newId(), key: Buffer.alloc(32, 7) };

beforeAll(async () => {
  test.server.on('connection', (socket: Socket) => connections.set(socket.remotePort as number, socket));
  admin = await buildAdmin(test.gateway);
  const zeros = async function* () {
    for (let i = 0; i < PIECES; i++) yield Buffer.alloc(CHUNK);
  };
  await test.gateway.blobs.write(large.blob, large.key, zeros());
  // The database makes them itself: where processors are short, 24 MB may wait for minutes on their way to it.
  await test.gateway.db.db
    ?.aggregate([
      { $documents: { $map: { input: { $range: [0, 12_000] }, as: 'seq', in: { seq: '$$seq' } } } },
      {
        $set: {
          event: { $toObjectId: { $concat: ['0'.repeat(18), { $toString: { $add: [100_000, '$seq'] } }] } },
          ...{ type: 'image.read', status: 'success', table: 'imagemetadata', reason: 'x'.repeat(2_000) },
          ...{ concerns: [], ip: '', at: new Date(0), keyId: '', hash: '' },
        },
      },
      { $merge: test.gateway.models.AuditEntry.collection.name },
    ])
    .toArray();
});

/** A verified share of a study of one large image, and its recipient. */
async function shareLarge(): Promise<BuiltShare> {
  const image = await buildStudy(test.gateway);
  const { id: keyId, key } = test.gateway.keys.images.current;
  const dataKey = { keyId, sealed: seal(key, image.id, large.key) };
  const $set = { size: SIZE, blob: large.blob, dataKey };
  await test.gateway.models.Image.collection.updateOne({ _id: image._id }, { $set });
  await storeDrawing(
    test.gateway,
    { _id: image._id, key: large.key },
    {
      facts: { kind: 'dicom', frames: 1, modality: 'CT', windows: [], previewFrame: 1 },
      source: 'file',
      mediaType: 'application/octet-stream',
      frames: [[[0, SIZE]]],
    },
  );
  return buildShare(test.gateway, { image, verified: true, hours: 0.1 });
}

interface Reader {
  req: ClientRequest;
  res: IncomingMessage;
  /** The gateway's end. */
  far: Socket;
}

/** Opens an answer, takes its first bytes, and reads no more for now. */
async function openAndPause(
  path: string,
  person: Pick<Person, 'token'>,
  more: Record<string, string> = {},
): Promise<Reader> {
  const headers = { Authorization: `Bearer ${person.token}`, ...more };
  const req = get(`${test.url}/api${path}`, { headers, agent: false });
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  expect(res.statusCode).toBe(more.Range ? 206 : 200);
  await once(res, 'readable');
  return { req, res, far: connections.get(req.socket?.localPort as number) as Socket };
}

/** Reads on to the end; whether it was the whole answer. */
async function readOn({ res }: Reader): Promise<{ bytes: number; whole: boolean }> {
  let bytes = 0;
  res.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await Promise.race([once(res, 'end'), once(res, 'close')]).catch(() => undefined);
  return { bytes, whole: res.complete };
}

const asAdmin = () => new Client(test.url).as(admin);
const endings: [string, (share: BuiltShare) => Promise<unknown>][] = [
  ['the share is revoked', ({ id }) => asAdmin().del(`/sharing/${id}`).expect(200)],
  ['the share runs out', async () => test.clock.forward({ minutes: 7 })],
  ['the image is deleted', ({ image }) => asAdmin().del(`/upload/image/${image.id}`).expect(200)],
  ['its reader signs out', ({ recipient }) => new Client(test.url).as(recipient).post('/auth/logout').expect(200)],
  [
    'the account is deactivated',
    ({ recipient }) => asAdmin().put(`/users/toggleUserStatus/${recipient.id}`).expect(200),
  ],
];

// Two seconds are the promise. On a busy machine one of three tries is enough.
it.each(endings)(
  'a download that is open when %s ends within two seconds, and is not the whole file',
  { retry: 2 },
  async (_, end) => {
    const share = await shareLarge();
    const reader = await openAndPause(`/upload/image/${share.image.id}/content`, share.recipient);
    await end(share);
    const endedAt = performance.now();
    await expect.poll(() => reader.far.destroyed, { interval: 20 }).toBe(true);
    expect(performance.now() - endedAt).toBeLessThan(whenBusy(2_000));
    const { bytes, whole } = await readOn(reader);
    expect(whole).toBe(false);
    expect(bytes).toBeLessThan(SIZE / 2);
  },
);

it.each([
  ['a frame', (image: BuiltImage) => `/upload/image/${image.id}/frames/1`, {}],
  ['a range', (image: BuiltImage) => `/upload/image/${image.id}/content`, { Range: `bytes=5-${SIZE - 5}` }],
  ['a study', (image: BuiltImage) => `/studies/${image.study}/content`, {}],
])(
  '%s that is being sent breaks off when the share is revoked, and the next call is 404',
  { retry: 2 },
  async (_, at, headers) => {
    const share = await shareLarge();
    const path = at(share.image);
    const reader = await openAndPause(path, share.recipient, headers);
    await asAdmin().del(`/sharing/${share.id}`).expect(200);
    const endedAt = performance.now();
    await expect.poll(() => reader.far.destroyed, { interval: 20 }).toBe(true);
    expect(performance.now() - endedAt).toBeLessThan(whenBusy(2_000));
    expect(await readOn(reader)).toMatchObject({ whole: false });
    await new Client(test.url).as(share.recipient).get(path).expect(404);
  },
);

it('a download of a guest breaks off within two seconds when the link is revoked, and the next call is 401', {
  retry: 2,
}, async () => {
  const { image } = await shareLarge();
  const made = await asAdmin().post('/sharing/guest', { imagemetadataId: image.id, download: true }).expect(201);
  const { id } = made.body.data;
  const path = `/upload/image/${image.id}/content`;
  const guest = { token: test.gateway.tokens.guest(id, String(newId())) };
  const reader = await openAndPause(path, guest);
  await asAdmin().del(`/sharing/guest/${id}`).expect(200);
  const endedAt = performance.now();
  await expect.poll(() => reader.far.destroyed, { interval: 20 }).toBe(true);
  expect(performance.now() - endedAt).toBeLessThan(whenBusy(2_000));
  expect(await readOn(reader)).toMatchObject({ whole: false });
  await new Client(test.url).as(guest).get(path).expect(401);
});

it('an open export ends incomplete within two seconds when its reader’s account is deactivated', {
  retry: 2,
}, async () => {
  const reader = await buildAdmin(test.gateway);
  const open = await openAndPause('/audit/export?format=csv', reader);
  await asAdmin().put(`/users/toggleUserStatus/${reader.id}`).expect(200);
  const endedAt = performance.now();
  await expect.poll(() => open.far.destroyed, { interval: 20 }).toBe(true);
  expect(performance.now() - endedAt).toBeLessThan(whenBusy(2_000));
  expect((await readOn(open)).whole).toBe(false);
});

it('a download of a reader who pauses and keeps the right is complete', async () => {
  const share = await shareLarge();
  const reader = await openAndPause(`/upload/image/${share.image.id}/content`, share.recipient);
  const denied = () => test.gateway.models.Event.countDocuments({ record: share.image._id, status: 'denied' });
  // Longer than an answer of the policy is good for.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await readOn(reader)).toEqual({ bytes: SIZE, whole: true });
  expect(await denied()).toBe(0);
});

it('every feature that answers with bytes uses stream', () => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.test\.ts$|^(http|testing)\//.test(file),
  );
  expect(sources.length).toBeGreaterThan(50);
  // `res.end()` sends no bytes.
  const own = /\bres\.(write|send|sendFile)\(|\bres(\.\w+\(.*\))?\.end\([^)]|\bpipeline\(|\.pipe\(res\b/;
  expect(sources.filter((file) => own.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});

it('an expired share that no worker has ended yet is on no list', async () => {
  const provider = await buildProvider(test.gateway);
  const [, live] = await Promise.all(
    [0.1, 24].map(async (hours) =>
      buildShare(test.gateway, { image: await buildImage(test.gateway), recipient: provider, verified: true, hours }),
    ),
  );
  test.clock.forward({ minutes: 7 });
  const { body } = await new Client(test.url).as(provider).get('/upload/shared-images').expect(200);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([live?.image.id]);
  const listed = await test.gateway.models.Event.findOne({ type: 'image.list', actor: provider._id }).lean();
  expect(listed?.records?.map(String)).toEqual([live?.image.id]);
});
