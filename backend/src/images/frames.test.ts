import { randomBytes } from 'node:crypto';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { CHUNK, unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { type Drawing, type FramePart, plainContext } from '@lightbox/core/imaging/drawing.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import type { SealedValue } from '@lightbox/core/models/sealedValue.js';
import { AWAITED_PRIORITY } from '@lightbox/core/queues/queues.js';
import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltImage,
  buildImage,
  buildProvider,
  type Person,
  sampleFile,
  storeDrawing,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
});

const facts: Drawing['facts'] = { kind: 'dicom', frames: 3, modality: 'CT', windows: [], previewFrame: 2 };
const native = 'application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1';

async function* one(bytes: Buffer) {
  yield bytes;
}

/** Stores an image of these bytes, with a drawing of these frames. */
async function imageOf(bytes: Buffer, frames: FramePart[][], changes: Partial<Drawing> = {}): Promise<BuiltImage> {
  const { gateway } = test;
  const [blob, key] = [newId(), randomBytes(32)];
  await gateway.blobs.write(blob, key, one(bytes));
  const image = await buildImage(gateway, { owner, blob, size: bytes.length, contentType: 'application/dicom' });
  const { id: keyId, key: wrapping } = gateway.keys.images.current;
  const dataKey = { keyId, sealed: seal(wrapping, image.id, key) };
  await gateway.models.Image.collection.updateOne({ _id: image._id }, { $set: { dataKey } });
  const drawing: Drawing = { facts, source: 'file', mediaType: native, frames, ...changes };
  await storeDrawing(gateway, { _id: image._id, key }, drawing, [
    { tag: '00100010', keyword: 'PatientName', vr: 'PN', value: 'Ünal^Ada', private: false },
    { tag: '00080060', keyword: 'Modality', vr: 'CS', value: 'CT', private: false },
  ]);
  return image;
}

const frame = (image: BuiltImage, n: number | string) =>
  api.as(owner).get(`/upload/image/${image.id}/frames/${n}`).buffer();
const bytesOf = ({ body }: Response) => body as Buffer;
const logOf = async (image: BuiltImage) =>
  (await test.gateway.models.Event.find({ record: image._id }).sort({ _id: 1 }).lean<EventDoc[]>()).map(
    ({ type, status }) => `${type} ${status}`,
  );
/** Reads are counted with one member's acknowledgement; a majority has them a moment later. */
const lookAt = (image: BuiltImage) =>
  test.gateway.models.Look.findOne({ record: image._id, _id: { $not: /:look:/ } })
    .readConcern(NEWEST)
    .lean<LookDoc>();

describe('the frames of an image', () => {
  it('A frame has the bytes of its parts, with the headers of protected content.', async () => {
    const file = randomBytes(3 * CHUNK + 500);
    const literal = Buffer.from('a replaced header');
    const whole: FramePart[] = [[5, 3 * CHUNK]];
    const fragments: FramePart[] = [
      { bytes: literal.toString('base64') },
      [CHUNK - 10, 10],
      [CHUNK + 8, 100],
      [2 * CHUNK, 0],
      [3 * CHUNK - 3, 6],
      [7, 2],
    ];
    const image = await imageOf(file, [whole, fragments, []]);
    const parts = [
      [CHUNK - 10, CHUNK],
      [CHUNK + 8, CHUNK + 108],
      [3 * CHUNK - 3, 3 * CHUNK + 3],
      [7, 9],
    ];
    const first = await frame(image, 1).expect(200);
    expect(bytesOf(first).equals(file.subarray(5, 5 + 3 * CHUNK))).toBe(true);
    expect(first.headers).toMatchObject({
      'content-type': native,
      'content-length': String(3 * CHUNK),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${image.id}-1"`,
    });
    expect(first.headers['content-security-policy']).toMatch(/sandbox/);
    const second = bytesOf(await frame(image, 2).expect(200));
    expect(second.equals(Buffer.concat([literal, ...parts.map(([from, to]) => file.subarray(from, to))]))).toBe(true);
    expect((await frame(image, 3).expect(200)).headers['content-length']).toBe('0');
  });

  it('Plain frames are read from their own blob, under its own key.', async () => {
    const { blobs, keys, models } = test.gateway;
    const image = await imageOf(randomBytes(10), [[[2, 4]]], { source: 'plain' });
    const stored = await models.Image.findById(image._id).lean<ImageDoc>();
    const dataKey = unwrapDataKey(keys.images, image.id, stored?.dataKey as SealedValue);
    expect((await frame(image, 1).expect(500)).body.error).toBe('DAMAGED');
    const plain = { blob: newId(), size: 8, key: seal(dataKey, plainContext(image.id), Buffer.alloc(32, 9)) };
    await blobs.write(plain.blob, Buffer.alloc(32, 9), one(Buffer.from('01234567')));
    await models.Drawing.updateOne({ _id: image._id }, { $set: { plain } });
    expect(String(bytesOf(await frame(image, 1).expect(200)))).toBe('2345');
  });

  it('A part that lies outside of the file is damage, and no byte is sent.', async () => {
    const image = await imageOf(randomBytes(100), [
      [
        [0, 50],
        [90, 11],
      ],
    ]);
    expect((await frame(image, 1).expect(500)).body.error).toBe('DAMAGED');
  });

  it('The facts have no UID of the file, and the same frame of reference is the same opaque text.', async () => {
    const uid = '1.2.826.0.1.3680043.8.498.77';
    const images = [uid, uid, `${uid}.1`].map((frameOfReferenceUid) =>
      imageOf(Buffer.alloc(4), [], { frameOfReferenceUid }),
    );
    const answers = await Promise.all(
      images.map(async (image) =>
        api
          .as(owner)
          .get(`/upload/image/${(await image).id}/frames`)
          .expect(200),
      ),
    );
    const [a, b, c] = answers.map(({ body }) => body.data.frameOfReference);
    expect(answers[0]?.body.data).toEqual({ ...facts, frameOfReference: expect.any(String) });
    expect([a === b, a === c]).toEqual([true, false]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('3680043');
  });

  it('Opening is one entry in the log, and the frames that follow are counted.', async () => {
    const image = await imageOf(randomBytes(10), [[[0, 10]], [[0, 5]]]);
    await api.as(owner).get(`/upload/image/${image.id}/frames`).expect(200);
    await Promise.all([1, 2, 1, 2, 1].map((n) => frame(image, n).expect(200)));
    expect(await logOf(image)).toEqual(['image.view success']);
    expect(await lookAt(image)).toMatchObject({ user: owner._id, owner: owner._id, reads: 5 });
  });

  it('Frames that are read without opening the image are one look in the log.', async () => {
    const image = await imageOf(randomBytes(10), [[[0, 10]]]);
    await Promise.all([1, 1, 1, 1, 1, 1].map((n) => frame(image, n).expect(200)));
    expect(await logOf(image)).toEqual(['image.view success']);
    expect(await lookAt(image)).toMatchObject({ reads: 6 });
  });

  it.each(['0', '2', '1e9', '1000000000', '-1', 'x', '1.5', '%00', '__proto__', '01'])(
    'Frame %s of a file with one frame is 404, and nothing is stored.',
    async (n) => {
      const image = await imageOf(Buffer.alloc(4), [[[0, 4]]]);
      const { body } = await frame(image, n).expect(404);
      expect(body).toMatchObject({ error: n === '2' ? 'NO_FRAME' : 'NOT_FOUND', requestId: expect.any(String) });
      expect(await lookAt(image)).toBeNull();
    },
  );

  it('A file that cannot be drawn says so, and has no frame.', async () => {
    const none: FrameFacts = { kind: 'none', frames: 0, modality: 'OT', windows: [], previewFrame: 1 };
    const image = await imageOf(Buffer.alloc(4), [], { facts: none });
    expect((await api.as(owner).get(`/upload/image/${image.id}/frames`).expect(200)).body.data).toEqual(none);
    expect((await frame(image, 1).expect(404)).body.error).toBe('NO_FRAME');
  });
});

describe('a frame that the server draws', () => {
  it.each([
    'rendered=yes',
    'rendered=true&center=40',
    'rendered=true&width=40',
    'rendered=true&center=NaN&width=40',
    'rendered=true&center=40&width=Infinity',
    'rendered=true&center=40&width=0',
    'rendered=true&center=1e9&width=1',
    'rendered=true&center=40&width=-5',
    'center=40&width=80',
    'rendered=true&quality=1',
  ])('?%s is 422, and nothing is stored.', async (query) => {
    const image = await imageOf(Buffer.alloc(4), [[[0, 4]]]);
    const { body } = await frame(image, `1?${query}`).expect(422);
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED', errors: [{ message: expect.any(String) }] });
    expect(await test.gateway.models.Rendering.countDocuments({ image: image._id })).toBe(0);
  });

  it('A frame beyond the last one is 404, and no worker is asked.', async () => {
    const image = await imageOf(Buffer.alloc(4), [[[0, 4]]]);
    expect((await frame(image, '4?rendered=true').expect(404)).body.error).toBe('NO_FRAME');
    expect(await test.gateway.models.Rendering.countDocuments({ image: image._id })).toBe(0);
  });
});

describe('the header table', () => {
  it('Tags are found by value without accents, by keyword and by number; each call is in the log.', async () => {
    const image = await imageOf(Buffer.alloc(4), []);
    const found = async (search?: string) => {
      const query = search === undefined ? '' : `?search=${encodeURIComponent(search)}`;
      const { body } = await api.as(owner).get(`/upload/image/${image.id}/tags${query}`).expect(200);
      return body.data.map(({ tag }: { tag: string }) => tag);
    };
    expect(await found()).toEqual(['00100010', '00080060']);
    expect(await found('unal')).toEqual(['00100010']);
    expect(await found('patient name')).toEqual(['00100010']);
    expect(await found('(0008,0060)')).toEqual(['00080060']);
    expect(await found('(a+)+$')).toEqual([]);
    expect(await logOf(image)).toEqual(Array.from({ length: 5 }, () => 'image.tags success'));
    for (const bad of [`search=${'x'.repeat(101)}`, 'search=%00', 'other=1', 'search=a&search=b']) {
      const { body } = await api.as(owner).get(`/upload/image/${image.id}/tags?${bad}`).expect(422);
      expect(body.error, bad).toBe('VALIDATION_FAILED');
    }
  });
});

describe('an image that is not drawn yet', () => {
  const jobsFor = async (id: string) =>
    (await test.gateway.queues.all.previews.getJobs()).filter(({ data }) => data.imageId === id).length;

  async function undrawn(): Promise<BuiltImage> {
    const image = await imageOf(Buffer.from('0123'), [[[0, 4]]]);
    return image;
  }

  it.each(['frames', 'frames/1', 'tags', 'preview'])(
    'The drawing that %s needs comes before the files that wait in the queue.',
    async (what) => {
      const { models, queues } = test.gateway;
      const image = await undrawn();
      await models.Drawing.deleteOne({ _id: image._id });
      await models.Preview.deleteOne({ _id: image._id });
      await models.Image.updateOne({ _id: image._id }, { $set: { preview: 'pending' } });
      const waiting = { name: 'renderPreview', opts: { priority: AWAITED_PRIORITY + 1 } };
      const queue = queues.all.previews;
      const ids = [newId(), image._id].map(String);
      await queue.addBulk(ids.map((imageId) => ({ ...waiting, data: { imageId } })));
      const call = api
        .as(owner)
        .get(`/upload/image/${image.id}/${what}`)
        .then(({ body }) => body.error);
      await expect.poll(() => jobsFor(image.id)).toBe(2);
      const order = (await queue.getPrioritized()).map(({ data }) => data.imageId).filter((id) => ids.includes(id));
      expect(order).toEqual([image.id, ...ids]);
      test.clock.forward({ seconds: 11 });
      expect(await call).toBe('PREVIEW_PENDING');
    },
  );

  it('The call asks for the drawing once and waits for it.', async () => {
    const image = await undrawn();
    const { Drawing } = test.gateway.models;
    const made = await Drawing.findByIdAndDelete(image._id).lean();
    const waiting = [1, 1, 1].map((n) => frame(image, n).then((answer) => answer));
    await expect.poll(() => jobsFor(image.id)).toBe(1);
    await Drawing.collection.insertOne(made as never);
    for (const answer of await Promise.all(waiting))
      expect([answer.status, String(answer.body)]).toEqual([200, '0123']);
    expect(await jobsFor(image.id)).toBe(1);
  });

  it('Nobody gets a frame whose access ended during the wait.', async () => {
    const image = await undrawn();
    const made = await test.gateway.models.Drawing.findByIdAndDelete(image._id).lean();
    const waiting = frame(image, 1).then((answer) => answer);
    await expect.poll(() => jobsFor(image.id)).toBe(1);
    await test.gateway.models.Image.deleteOne({ _id: image._id });
    await test.gateway.models.Drawing.collection.insertOne(made as never);
    expect((await waiting).body.error).toBe('NOT_FOUND');
  });

  it('After ten seconds the answer is PREVIEW_PENDING with Retry-After.', async () => {
    const image = await undrawn();
    await test.gateway.models.Drawing.deleteOne({ _id: image._id });
    const waiting = [`frames`, 'frames/1', 'tags'].map((what) =>
      api
        .as(owner)
        .get(`/upload/image/${image.id}/${what}`)
        .then((answer) => answer),
    );
    await expect.poll(() => jobsFor(image.id)).toBe(1);
    test.clock.forward({ seconds: 11 });
    for (const { status, body, headers } of await Promise.all(waiting)) {
      expect([status, body.error, headers['retry-after']]).toEqual([404, 'PREVIEW_PENDING', '2']);
    }
    expect(await lookAt(image)).toBeNull();
  });
});

describe('a range of the original', () => {
  const size = sampleFile.length;
  let image: BuiltImage;
  beforeAll(async () => {
    image = await buildImage(test.gateway, { owner });
  });
  const content = (range: string, headers: Record<string, string> = {}) =>
    api
      .as(owner)
      .get(`/upload/image/${image.id}/content`)
      .set({ Range: range, ...headers })
      .buffer();

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=3-9', 3, 10],
    ['BYTES= 5-', 5, size],
    ['bytes=-4', size - 4, size],
    [`bytes=1-${size * 9}`, 1, size],
    [`bytes=-${size * 9}`, 0, size],
  ])('%s is 206 with exactly its bytes.', async (range, from, to) => {
    const answer = await content(range).expect(206);
    expect(bytesOf(answer).equals(sampleFile.subarray(from, to))).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${from}-${to - 1}/${size}`,
      'content-length': String(to - from),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
    });
  });

  it.each([`bytes=${size}-`, 'bytes=99999999999999999999-', 'bytes=-0'])(
    '%s is 416 with the length.',
    async (range) => {
      const { body, headers } = await content(range).expect(416);
      expect([body.error, headers['content-range']]).toEqual(['RANGE_NOT_SATISFIABLE', `bytes */${size}`]);
    },
  );

  it.each(['bytes=0-1,3-4', 'bytes=5-4', 'bytes=x', 'bytes=-', 'lines=0-1', 'bytes', 'bytes=0x1-2'])(
    '%s is ignored, and the answer is the whole.',
    async (range) => {
      const answer = await content(range).expect(200);
      expect(bytesOf(answer).equals(sampleFile)).toBe(true);
    },
  );

  it('If-Range and HEAD ignore the range.', async () => {
    await content('bytes=0-0', { 'If-Range': '"x"' }).expect(200);
    const head = await api
      .as(owner)
      .call('head', `/upload/image/${image.id}/content`)
      .set('Range', 'bytes=0-0')
      .expect(200);
    expect(head.headers['content-length']).toBe(String(size));
  });

  it('The ranges of one session are one entry in the log, and counted.', async () => {
    const other = await buildImage(test.gateway, { owner });
    const read = () => api.as(owner).get(`/upload/image/${other.id}/content`).set('Range', 'bytes=1-2').expect(206);
    await Promise.all([read(), read(), read()]);
    expect(await logOf(other)).toEqual(['image.content success']);
    expect(await lookAt(other)).toMatchObject({ type: 'image.content', reads: 3 });
  });
});
