import { request as httpRequest } from 'node:http';
import { limits } from '@lightbox/contract/limits.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { removeUpload } from '@lightbox/core/uploads/removeUpload.js';
import { element, partTen } from '@lightbox/testkit/part10.js';
import * as tus from 'tus-js-client';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { buildAdmin, buildPatient, buildProvider, PASSWORD, type Person } from '../testing/factories.js';
import { files, png } from '../testing/files.js';
import { joinGateway, type TestGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';
import { keyOf } from './sealedUploads.js';

const { test, api } = useGateway();
let other: TestGateway;
let provider: Person;

beforeAll(async () => {
  other = await joinGateway(test.config, test.clock);
});
afterAll(async () => {
  await other.stop();
  await closeInspectors();
});
beforeEach(async () => {
  provider = await buildProvider(test.gateway);
});

const MB = 1024 * 1024;
const picture = png(3, 2, 3 * MB + 12_345);

const pairs = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

interface Sent {
  status: number;
  headers: Headers;
  body: { error?: string; message?: string; errors?: { field: string }[] };
}

async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Buffer,
  person = provider,
  gateway: { url: string } = test,
): Promise<Sent> {
  const answer = await fetch(`${gateway.url}/api/upload/tus${path}`, {
    method,
    headers: { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${person.token}`, ...headers },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} };
}

const createUpload = (size: number, metadata: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  send('POST', '', {
    'Upload-Length': String(size),
    'Upload-Metadata': pairs({ caption: 'A caption', filename: 'x.png', ...metadata }),
    ...headers,
  });
async function begin(size = picture.length, metadata?: Record<string, string>): Promise<string> {
  const { status, headers, body } = await createUpload(size, metadata);
  expect([status, body]).toEqual([201, {}]);
  return headers.get('location')?.split('/').at(-1) ?? '';
}
const continueUpload = (id: string, offset: number, bytes: Buffer, gateway?: { url: string }, person?: Person) =>
  send(
    'PATCH',
    `/${id}`,
    { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
    bytes,
    person,
    gateway,
  );
const getUpload = (id: string, gateway?: { url: string }, person = provider) =>
  send('HEAD', `/${id}`, {}, undefined, person, gateway);
const endUpload = (id: string, person?: Person) => send('DELETE', `/${id}`, {}, undefined, person);
const describeUploads = () => send('OPTIONS', '');
const offsetOf = async (id: string) => Number((await getUpload(id)).headers.get('upload-offset'));

const stored = async () => {
  const { Image, Upload } = test.gateway.models;
  const usage = await test.gateway.models.Usage.findById(provider._id, { _id: 0, files: 1, bytes: 1 }).lean();
  return {
    images: await Image.countDocuments({ owner: provider._id }),
    uploads: await Upload.countDocuments({ owner: provider._id }),
    chunks: await test.gateway.db.db?.collection('blobs.chunks').countDocuments(),
    usage: { files: usage?.files ?? 0, bytes: usage?.bytes ?? 0 },
  };
};

/** Begins a PATCH and leaves its connection open behind the first bytes. */
async function hang(id: string, offset: number, bytes: Buffer, of: number, gateway: { url: string } = test) {
  const request = httpRequest(`${gateway.url}/api/upload/tus/${id}`, {
    method: 'PATCH',
    headers: {
      'Tus-Resumable': '1.0.0',
      Authorization: `Bearer ${provider.token}`,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(of),
    },
  });
  request.on('error', () => undefined);
  await new Promise((resolve) => request.write(bytes, resolve));
  return request;
}

async function contentOf(id: string): Promise<Buffer> {
  const answer = await fetch(`${test.url}/api/upload/image/${id}/content`, {
    headers: { Authorization: `Bearer ${provider.token}` },
  });
  return Buffer.from(await answer.arrayBuffer());
}

/** Sends a file with the stock client until `stopAt`, or to its end. Resolves with the address of the upload. */
function sendWithClient(
  bytes: Buffer,
  { gateway = test as { url: string }, uploadUrl = '', stopAt = Number.POSITIVE_INFINITY, chunkSize = MB },
): Promise<{ url: string; sent: number; image: string | undefined }> {
  return new Promise((resolve, reject) => {
    let first = -1;
    let image: string | undefined;
    let done = 0;
    const upload = new tus.Upload(bytes as unknown as File, {
      endpoint: `${gateway.url}/api/upload/tus`,
      ...(uploadUrl ? { uploadUrl } : {}),
      headers: { Authorization: `Bearer ${provider.token}` },
      metadata: { filename: 'Müller.png', filetype: 'image/png', caption: 'By tus' },
      chunkSize,
      onAfterResponse: (_request, response) => {
        image = response.getHeader('Lightbox-Image') ?? image;
      },
      onProgress: (sent) => {
        if (first < 0) first = sent;
        done = sent;
        if (sent < stopAt) return;
        void upload.abort().then(() => resolve({ url: upload.url ?? '', sent: done - first, image }));
      },
      onSuccess: () => resolve({ url: upload.url ?? '', sent: done - first, image }),
      onError: reject,
    });
    upload.start();
  });
}

it.each([
  [MB, Number.POSITIVE_INFINITY],
  [700_000, 700_000],
])(
  'the stock client is cut off, goes on at another gateway and makes the image, with parts of %s and then %s bytes',
  async (chunkSize, nextSize) => {
    const cut = await sendWithClient(picture, { chunkSize, stopAt: 1_500_000 });
    const id = cut.url.split('/').at(-1) ?? '';
    const at = await offsetOf(id);
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThan(picture.length);
    expect((await api.as(provider).get('/upload/my-images').expect(200)).body.data).toEqual([]);
    await api.as(provider).get(`/upload/image/${id}`).expect(404);
    const uploadUrl = `${other.url}/api/upload/tus/${id}`;
    const { sent, image } = await sendWithClient(picture, { gateway: other, uploadUrl, chunkSize: nextSize });
    expect(sent).toBeLessThanOrEqual(picture.length - at);
    expect((await contentOf(image ?? '')).equals(picture)).toBe(true);
    const shown = await api.as(provider).get(`/upload/image/${image}`).expect(200);
    expect(shown.body.data).toMatchObject({ caption: 'By tus', contentType: 'image/png', size: picture.length });
    expect((await getUpload(id)).headers.get('lightbox-image')).toBe(image);
    expect(await stored()).toMatchObject({ images: 1, usage: { files: 1, bytes: picture.length } });
    const events = await test.gateway.models.Event.find({ type: 'image.upload', record: oid(image ?? '') }).lean();
    expect(events).toHaveLength(1);
  },
);

it('the record of an upload holds no name, no caption and no byte in clear', async () => {
  const id = await begin(picture.length, { filename: 'Secret^Name.png', caption: 'Secret caption' });
  await continueUpload(id, 0, picture.subarray(0, 5_000));
  const upload = await test.gateway.models.Upload.findById(id).lean<UploadDoc>();
  const text = Buffer.concat(
    [upload?.metadata, upload?.tail?.sealed].map((bytes) =>
      Buffer.from((bytes as unknown as { buffer: Buffer }).buffer),
    ),
  ).toString('latin1');
  expect(text).not.toMatch(/Secret|IHDR/);
  expect(await offsetOf(id)).toBe(5_000);
});

it('a request that hangs gives way to the next one, and keeps what has arrived', async () => {
  const id = await begin();
  const hanging = await hang(id, 0, picture.subarray(0, 1_300_000), picture.length);
  await expect.poll(() => test.gateway.models.Upload.countDocuments({ _id: id, lock: { $exists: true } })).toBe(1);
  const { headers } = await getUpload(id, other);
  const at = Number(headers.get('upload-offset'));
  expect(at).toBeLessThanOrEqual(1_300_000);
  const rest = await continueUpload(id, at, picture.subarray(at), other);
  expect([rest.status, rest.headers.get('lightbox-image')]).toEqual([204, id]);
  hanging.destroy();
  expect((await contentOf(id)).equals(picture)).toBe(true);
});

it('a gateway that died with the lock delays the upload only until the lock ends', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 2 * MB));
  const until = new Date(test.clock.now().getTime() + 1_500);
  await test.gateway.models.Upload.updateOne({ _id: id }, { lock: { holder: 'dead', until, wanted: false } });
  const { status } = await continueUpload(id, 2 * MB, picture.subarray(2 * MB), other);
  expect(status).toBe(204);
  expect(test.clock.now().getTime()).toBeGreaterThanOrEqual(until.getTime());
  expect((await contentOf(id)).equals(picture)).toBe(true);
});

it('a lock that ends later than any can, as after MongoDB’s clock was set back, delays the upload no longer', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 2 * MB));
  const until = new Date(test.clock.now().getTime() + 2 * 3_600_000);
  await test.gateway.models.Upload.updateOne({ _id: id }, { lock: { holder: 'dead', until, wanted: false } });
  const { status } = await continueUpload(id, 2 * MB, picture.subarray(2 * MB), other);
  expect(status).toBe(204);
  expect((await contentOf(id)).equals(picture)).toBe(true);
});

it('of two parts for the same place one is kept, and a wrong offset is 409', async () => {
  const id = await begin();
  const both = await Promise.all([continueUpload(id, 0, picture), continueUpload(id, 0, picture, other)]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  expect((await contentOf(id)).equals(picture)).toBe(true);
  const next = await begin();
  for (const offset of [1, MB, picture.length]) {
    const { status, body } = await continueUpload(next, offset, picture.subarray(offset));
    expect([status, body.error]).toEqual([409, 'CONFLICT']);
  }
});

it('a gateway that dies between the last byte and the image leaves an upload that the next HEAD completes', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 3 * MB));
  const upload = (await test.gateway.models.Upload.findById(id).lean<UploadDoc>()) as UploadDoc;
  const last = { index: 3, last: true, plain: picture.subarray(3 * MB) };
  await test.gateway.blobs.writeChunk(upload.blob, keyOf(test.gateway, upload), last);
  const heads = await Promise.all([getUpload(id), getUpload(id, other)]);
  for (const { headers } of heads) expect(headers.get('lightbox-image')).toBe(id);
  expect((await contentOf(id)).equals(picture)).toBe(true);
  expect(await stored()).toMatchObject({ images: 1, usage: { files: 1, bytes: picture.length } });
});

it('uploads of others do not exist, and roles without uploads are refused', async () => {
  const id = await begin();
  const stranger = await buildAdmin(test.gateway);
  for (const answer of [await getUpload(id, test, stranger), await endUpload(id, stranger)])
    expect(answer.status).toBe(404);
  expect((await continueUpload(id, 0, picture, test, stranger)).status).toBe(404);
  expect((await continueUpload(String(newId()), 0, picture)).status).toBe(404);
  expect((await send('POST', '', {}, undefined, await buildPatient(test.gateway))).status).toBe(403);
  expect((await send('POST', '', {}, undefined, { ...provider, token: 'x' })).status).toBe(401);
  expect(await offsetOf(id)).toBe(0);
});

it.each([
  ['a query', (own: string, foreign: string) => `${own}?/${foreign}`],
  ['an encoded query', (own: string, foreign: string) => `${own}?x=%2F${foreign}`],
  ['a longer query', (own: string, foreign: string) => `${own}?a=b/c/${foreign}/`],
])('an address that names an upload of somebody else in %s reaches only the own one', async (_where, addressOf) => {
  const foreign = await begin(picture.length, { caption: 'Of somebody else' });
  await continueUpload(foreign, 0, picture.subarray(0, 5_000));
  const stranger = await buildProvider(test.gateway);
  const own = await send(
    'POST',
    '',
    { 'Upload-Length': '9', 'Upload-Metadata': pairs({ caption: 'Own' }) },
    undefined,
    stranger,
  );
  const id = own.headers.get('location')?.split('/').at(-1) ?? '';
  const address = addressOf(id, foreign);

  const { headers } = await getUpload(address, test, stranger);
  expect([headers.get('upload-length'), headers.get('upload-offset')]).toEqual(['9', '0']);
  expect(headers.get('upload-metadata')).toBe(pairs({ caption: 'Own' }));
  const further = await continueUpload(address, 5_000, Buffer.alloc(picture.length - 5_000), test, stranger);
  expect([further.status, further.body.error]).toEqual([409, 'CONFLICT']);
  expect((await endUpload(address, stranger)).status).toBe(204);
  expect((await getUpload(id, test, stranger)).status).toBe(404);

  expect(await offsetOf(foreign)).toBe(5_000);
  expect((await continueUpload(foreign, 5_000, picture.subarray(5_000))).headers.get('lightbox-image')).toBe(foreign);
  expect((await contentOf(foreign)).equals(picture)).toBe(true);
});

it.each<[string, () => Promise<Sent>, number, string]>([
  ['0 bytes', () => createUpload(0), 422, 'UNREADABLE_FILE'],
  ['one byte more than the limit', () => createUpload(limits.uploadBytes + 1), 413, 'FILE_TOO_LARGE'],
  ['a deferred length', () => send('POST', '', { 'Upload-Defer-Length': '1' }), 422, 'VALIDATION_FAILED'],
  ['a length and a deferred one', () => createUpload(9, {}, { 'Upload-Defer-Length': '1' }), 422, 'VALIDATION_FAILED'],
  ['parts to join', () => createUpload(9, {}, { 'Upload-Concat': 'partial' }), 422, 'VALIDATION_FAILED'],
  ['no caption', () => createUpload(9, { caption: ' ' }), 422, 'VALIDATION_FAILED'],
  ['an unknown field', () => createUpload(9, { owner: 'x' }), 422, 'VALIDATION_FAILED'],
  ['an unknown patient', () => createUpload(9, { patientId: String(newId()) }), 422, 'VALIDATION_FAILED'],
  ['metadata that are none', () => createUpload(9, {}, { 'Upload-Metadata': 'a b c' }), 422, 'VALIDATION_FAILED'],
  ['another version', () => createUpload(9, {}, { 'Tus-Resumable': '0.2.2' }), 412, 'UNSUPPORTED_VERSION'],
])('an upload with %s is refused when it begins, and takes no space', async (_what, begun, status, code) => {
  const before = await stored();
  const answer = await begun();
  expect([answer.status, answer.body.error]).toEqual([status, code]);
  expect(await stored()).toEqual(before);
});

const named = partTen(
  Buffer.concat([element(0x00080060, 'CS', 'CT'), element(0x00100010, 'PN', 'Roe^John'.padEnd(64))]),
);
it.each<[string, Buffer, Record<string, string>, number, string]>([
  ['of an unknown type', Buffer.from('hello, world'), {}, 415, 'UNSUPPORTED_TYPE'],
  ['of another type than it says', picture, { filetype: 'image/jpeg' }, 415, 'UNSUPPORTED_TYPE'],
  ['that is damaged', picture.subarray(0, 2 * MB), {}, 422, 'UNREADABLE_FILE'],
  ['of another patient', named, { patientId: '' }, 409, 'PATIENT_MISMATCH'],
])(
  'a file %s is refused at its end as by a form, and nothing of it stays',
  async (_what, bytes, metadata, status, code) => {
    const before = await stored();
    const patient = await buildPatient(test.gateway);
    const given = 'patientId' in metadata ? { filename: 'IM000001', patientId: patient.id } : metadata;
    const id = await begin(bytes.length, { filename: 'scan', ...given });
    expect((await stored()).usage).toEqual({ files: 1, bytes: bytes.length });
    const answer = await continueUpload(id, 0, bytes);
    expect([answer.status, answer.body.error]).toEqual([status, code]);
    expect(answer.body).toMatchObject({ message: expect.any(String), requestId: expect.any(String) });
    expect(JSON.stringify(answer.body)).not.toMatch(/Roe/);
    expect((await getUpload(id)).status).toBe(404);
    expect(await stored()).toEqual({ ...before, usage: { files: 0, bytes: 0 } });
  },
);

it('with a reason the file of another patient is stored, shared and audited', async () => {
  const patient = await buildPatient(test.gateway);
  const mismatchReason = 'Registered under another name.';
  const id = await begin(named.length, { filename: 'IM000001', patientId: patient.id, mismatchReason });
  expect((await continueUpload(id, 0, named)).headers.get('lightbox-image')).toBe(id);
  const event = await test.gateway.models.Event.findOne({ type: 'image.upload', record: oid(id) }).lean<EventDoc>();
  expect(event?.reason).toBe(mismatchReason);
  expect(await test.gateway.models.Share.countDocuments({ image: oid(id), recipient: patient._id })).toBe(1);
});

it('more bytes than were declared are 413, and the upload goes on', async () => {
  const id = await begin(files.png.length);
  const more = Buffer.concat([files.png, Buffer.alloc(9)]);
  expect((await continueUpload(id, 0, more)).body.error).toBe('PAYLOAD_TOO_LARGE');
  const at = await offsetOf(id);
  expect((await continueUpload(id, at, files.png.subarray(at))).headers.get('lightbox-image')).toBe(id);
});

it('the space of an upload counts from its beginning, and is free again when it is given up', async () => {
  const admin = await buildAdmin(test.gateway);
  await api
    .as(admin)
    .post('/appsetting/add', { name: 'quota.bytes', value: String(picture.length) })
    .expect(201);
  const id = await begin();
  expect((await createUpload(9)).body.error).toBe('QUOTA_REACHED');
  await api.as(provider).upload(files.png).expect(409);
  await continueUpload(id, 0, picture.subarray(0, 2 * MB));
  expect((await endUpload(id)).status).toBe(204);
  expect(await stored()).toMatchObject({ uploads: 0, usage: { files: 0, bytes: 0 } });
  await api.as(provider).upload(files.png).expect(201);
  await test.gateway.models.Setting.deleteMany({});
  test.gateway.settings.forget();
  other.gateway.settings.forget();
});

it('an upload whose account is closed meanwhile is 401, makes no image, and is left to maintenance', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 2 * MB));
  await api.as(provider).del('/users/profile', { password: PASSWORD }).expect(200);
  expect((await continueUpload(id, 2 * MB, picture.subarray(2 * MB))).status).toBe(401);
  const upload = (await test.gateway.models.Upload.findById(id).lean<UploadDoc>()) as UploadDoc;
  expect(upload.expiresAt.getTime()).toBeLessThanOrEqual(test.clock.now().getTime());
  await removeUpload(test.gateway, upload);
  expect(await stored()).toMatchObject({ images: 0, uploads: 0 });
  expect(await test.gateway.blobs.countChunks(upload.blob)).toBe(0);
});

it('an upload ends after a day, and says so from the beginning', async () => {
  const id = await begin();
  const { headers } = await getUpload(id);
  const end = new Date(headers.get('upload-expires') ?? 0).getTime();
  expect(Math.abs(end - test.clock.now().getTime() - 24 * 3_600_000)).toBeLessThan(60_000);
  const upload = { $set: { expiresAt: test.clock.now() } };
  await test.gateway.models.Upload.updateOne({ _id: id }, upload);
  expect((await continueUpload(id, 0, picture)).body.error).toBe('EXPIRED');
});

it('the protocol describes itself, and other methods are 405', async () => {
  const { status, headers } = await describeUploads();
  expect(status).toBe(204);
  expect(headers.get('tus-version')).toBe('1.0.0');
  expect(headers.get('tus-extension')).toBe('creation,termination,expiration');
  expect(headers.get('tus-max-size')).toBe(String(limits.uploadBytes));
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect((await send('GET', '')).status).toBe(405);
  expect((await send('PUT', `/${newId()}`)).status).toBe(405);
});

/** Removes a chunk of an upload that a failover has lost. */
const loseChunk = async (id: string, n: number) => {
  const upload = (await test.gateway.models.Upload.findById(id).lean<UploadDoc>()) as UploadDoc;
  const lost = await test.gateway.db.collection('blobs.chunks').deleteOne({ files_id: upload.blob, n });
  expect(lost.deletedCount).toBe(1);
};

it.each([
  ['pieces of whole chunks', MB],
  ['pieces that end within chunks', 700_000],
])('an upload that lost a chunk goes on from it with %s, and the image has its bytes', async (_what, chunkSize) => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 3 * MB));
  await loseChunk(id, 1);
  expect(await offsetOf(id)).toBe(MB);
  const { image } = await sendWithClient(picture, { uploadUrl: `${test.url}/api/upload/tus/${id}`, chunkSize });
  expect(image).toBe(id);
  expect((await contentOf(id)).equals(picture)).toBe(true);
});

it('other bytes than those that are stored behind a lost chunk are 409, and the upload goes on', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 3 * MB));
  await loseChunk(id, 1);
  const others = Buffer.from(picture);
  others[2 * MB + 5] = 1 ^ (others[2 * MB + 5] as number);
  const { status, body } = await continueUpload(id, MB, others.subarray(MB));
  expect([status, body.error]).toEqual([409, 'CONFLICT']);
  expect(await offsetOf(id)).toBe(3 * MB);
  expect((await continueUpload(id, 3 * MB, picture.subarray(3 * MB))).headers.get('lightbox-image')).toBe(id);
  expect((await contentOf(id)).equals(picture)).toBe(true);
});

it('an upload that loses a chunk while its last one arrives is 503, and goes on from the lost one', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 3 * MB));
  const { blobs } = test.gateway;
  const write = blobs.writeChunk.bind(blobs);
  const writing = vi.spyOn(blobs, 'writeChunk').mockImplementationOnce(async (...chunk) => {
    await write(...chunk);
    await loseChunk(id, 1);
  });
  const { status, headers, body } = await continueUpload(id, 3 * MB, picture.subarray(3 * MB));
  writing.mockRestore();
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
  expect(await offsetOf(id)).toBe(MB);
  expect((await continueUpload(id, MB, picture.subarray(MB))).headers.get('lightbox-image')).toBe(id);
  expect((await contentOf(id)).equals(picture)).toBe(true);
});

it('a gateway that stood still while another one finished the upload says that it is stored, and leaves its record', async () => {
  const id = await begin();
  await continueUpload(id, 0, picture.subarray(0, 3 * MB));
  const { blobs, models } = other.gateway;
  const complete = blobs.complete.bind(blobs);
  const completing = vi.spyOn(blobs, 'complete').mockImplementationOnce(async (...blob) => {
    await models.Upload.updateOne({ _id: id }, { $unset: { lock: 1 } });
    expect((await getUpload(id)).headers.get('lightbox-image')).toBe(id);
    return complete(...blob);
  });
  const { status, headers } = await continueUpload(id, 3 * MB, picture.subarray(3 * MB), other);
  completing.mockRestore();
  expect([status, headers.get('lightbox-image')]).toEqual([204, id]);
  expect((await getUpload(id)).headers.get('lightbox-image')).toBe(id);
  expect(await stored()).toMatchObject({ images: 1, uploads: 1, usage: { files: 1, bytes: picture.length } });
  expect((await contentOf(id)).equals(picture)).toBe(true);
});
