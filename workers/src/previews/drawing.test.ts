import { randomBytes } from 'node:crypto';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '@lightbox/contract/limits.js';
import { ChunkedBlobStore } from '@lightbox/core/blobs/chunkedStore.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { FilePlace } from '@lightbox/core/blobs/filePlace.js';
import { MissingChunk } from '@lightbox/core/blobs/store.js';
import { BlobStores } from '@lightbox/core/blobs/stores.js';
import type { Core } from '@lightbox/core/core.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { DiskReserve } from '@lightbox/core/db/diskReserve.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { system } from '@lightbox/core/events/events.js';
import { removeImage } from '@lightbox/core/images/removeImage.js';
import { Drawing, drawingContext, plainContext, tagsContext, undrawable } from '@lightbox/core/imaging/drawing.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { PartAway } from '@lightbox/core/process/partAway.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { dicomPicture } from '@lightbox/testkit/part10.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobContext } from '../jobContext.js';
import { removeOrphanBlobs } from '../maintenance/orphans.js';
import { buildImage } from '../testing/buildImage.js';
import { nativeFile } from '../testing/dicom.js';
import { type RunningWorker, startWorker } from '../worker.js';
import { BlobParts } from './blobParts.js';
import { DRAWING_VERSION, makePreview } from './makePreview.js';
import { openPictures, type Pictures } from './preview.js';

let worker: RunningWorker;
let core: Core;
const pictures = await openPictures(null);
const context = { isLastAttempt: false } as JobContext;

beforeAll(async () => {
  const config = await testConfig();
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['mail'] } });
  await worker.ready;
  core = worker.core;
});
afterAll(() => Promise.all([worker?.stop(), pictures.close()]));

const TWO = { rows: 4, columns: 4, samples: 3, bits: 8, planar: 1, frames: 2 };
const planes = Buffer.from(Array.from({ length: 96 }, (_, i) => i));
const interleaved = (frame: number) =>
  Array.from({ length: 48 }, (_, i) => frame * 48 + (i % 3) * 16 + Math.floor(i / 3));

const build = (file: Buffer, preview: ImageDoc['preview'] = 'pending') =>
  buildImage(core, file, { contentType: 'application/dicom', preview });
const chunksOf = (blob: ObjectId) => core.db.collection('blobs.chunks').countDocuments({ files_id: blob });
const blobs = () => core.db.collection('blobs.files').countDocuments();

/** Opens what is stored of a drawing. */
async function stored({ _id, dataKey }: ImageDoc) {
  const id = String(_id);
  const key = unwrapDataKey(core.keys.images, id, dataKey);
  const doc = (await core.models.Drawing.findById(_id).lean<DrawingDoc>()) as DrawingDoc;
  const json = (context: string, sealed: Buffer) => JSON.parse(open(key, context, bufferOf(sealed)).toString());
  const chunks: Buffer[] = [];
  if (doc.plain) {
    const { blob, size, key: sealed } = doc.plain;
    const plainKey = open(key, plainContext(id), bufferOf(sealed));
    for await (const chunk of core.blobs.read(blob, plainKey, size)) chunks.push(chunk);
  }
  const drawing = Drawing.parse(json(drawingContext(id), doc.drawing));
  return { doc, drawing, tags: json(tagsContext(id), doc.tags), plain: Buffer.concat(chunks) };
}

it('Frames that a browser cannot take lie plain in a blob of their own, sealed, until the image is deleted.', async () => {
  const image = await build(nativeFile(TWO, planes));
  await makePreview(core, pictures, String(image._id), context);
  const { doc, drawing, tags, plain } = await stored(image);
  expect(drawing).toMatchObject({ source: 'plain', facts: { frames: 2, photometricInterpretation: 'RGB' } });
  const frames = drawing.frames.map(([part]) =>
    Array.isArray(part) ? [...plain.subarray(part[0], part[0] + part[1])] : [],
  );
  expect(frames).toEqual([interleaved(0), interleaved(1)]);
  expect(tags).toContainEqual(expect.objectContaining({ keyword: 'Rows', value: '4' }));
  expect(await core.models.Image.findById(image._id).lean()).toMatchObject({ preview: 'ready', frames: 2 });

  const blob = doc.plain?.blob as ObjectId;
  const later = Object.assign(Object.create(core) as Core, {
    clock: { now: () => new Date(core.clock.now().getTime() + 30 * 3_600_000) },
  });
  await removeOrphanBlobs(later);
  expect(await chunksOf(blob)).toBe(1);
  await removeImage(core, system, image._id, '');
  expect(await core.models.Drawing.exists({ _id: image._id })).toBeNull();
  await removeOrphanBlobs(later);
  expect(await chunksOf(blob)).toBe(0);
});

it('An image of an older version gets its drawing, and a second job changes nothing.', async () => {
  const image = await build(dicomPicture(), 'ready');
  await makePreview(core, pictures, String(image._id), context);
  const first = await stored(image);
  expect(first.drawing).toMatchObject({ source: 'file', facts: { kind: 'dicom', rows: 16, columns: 16 } });
  await makePreview(core, {} as Pictures, String(image._id), context);
  expect((await stored(image)).doc).toEqual(first.doc);

  // The renderer died at its last attempt: the preview of the older version stays.
  const damaged = await build(dicomPicture(), 'ready');
  const dying: Pick<Pictures, 'prepare'> = { prepare: () => Promise.reject(new Error('died')) };
  await makePreview(core, dying as Pictures, String(damaged._id), { ...context, isLastAttempt: true });
  expect(await core.models.Image.findById(damaged._id).lean()).toMatchObject({ preview: 'ready', frames: 0 });
});

describe('at the last attempt', () => {
  const last = { ...context, isLastAttempt: true };
  const draw = (image: ImageDoc, on = core) => makePreview(on, pictures, String(image._id), last);
  const state = async ({ _id }: ImageDoc) => [
    (await core.models.Image.findById(_id).lean())?.preview,
    (await core.models.Drawing.findById(_id).lean())?.version,
  ];
  const chunks = () => core.db.collection('blobs.chunks');

  it('an image whose bytes are missing now is not taken for one that cannot be drawn', async () => {
    const [young, old] = [await build(dicomPicture()), await build(dicomPicture(), 'ready')];
    await core.models.Drawing.create([
      { _id: old._id, drawing: Buffer.alloc(1), tags: Buffer.alloc(1), version: DRAWING_VERSION - 1 },
    ]);
    const away = await chunks()
      .find({ files_id: { $in: [young.blob, old.blob] } })
      .toArray();
    await chunks().deleteMany({ _id: { $in: away.map(({ _id }) => _id) } });
    for (const image of [young, old]) await expect(draw(image)).rejects.toThrow(MissingChunk);
    expect([await state(young), await state(old)]).toEqual([
      ['pending', undefined],
      ['ready', DRAWING_VERSION - 1],
    ]);
    await chunks().insertMany(away);
    for (const image of [young, old]) await draw(image);
    expect([await state(young), await state(old)]).toEqual([
      ['ready', DRAWING_VERSION],
      ['ready', DRAWING_VERSION],
    ]);
  });

  it('an image whose plain frames cannot be stored is not taken for one that cannot be drawn', async () => {
    const folder = mkdtempSync(join(core.config.dataDir, 'blobs-'));
    symlinkSync(join(folder, 'nothing'), join(folder, 'broken'));
    const file = new ChunkedBlobStore(new FilePlace(join(folder, 'broken')));
    const blobs = new BlobStores({ gridfs: core.blobs.named('gridfs'), file }, 'file');
    const image = await build(nativeFile(TWO, planes));
    await expect(draw(image, Object.assign(Object.create(core) as Core, { blobs }))).rejects.toThrow('ENOTDIR');
    expect(await state(image)).toEqual(['pending', undefined]);
  });

  it('an image whose plain frames would touch the disk reserve waits for space, and stores nothing', async () => {
    const diskReserve = new DiskReserve(core.db, { ...core.config, reserveBytes: Number.MAX_SAFE_INTEGER });
    const image = await build(nativeFile(TWO, planes));
    const before = await chunks().countDocuments();
    await expect(draw(image, Object.assign(Object.create(core) as Core, { diskReserve }))).rejects.toThrow(PartAway);
    expect([await state(image), await chunks().countDocuments()]).toEqual([['pending', undefined], before]);
    await draw(image);
    expect(await state(image)).toEqual(['ready', DRAWING_VERSION]);
  });

  it('an image whose bytes were changed is one that cannot be drawn', async () => {
    const image = await build(dicomPicture());
    await chunks().updateOne({ files_id: image.blob }, { $set: { data: randomBytes(image.size + 16) } });
    await draw(image);
    expect(await state(image)).toEqual(['none', DRAWING_VERSION]);
  });
});

it('A drawing whose frames do not lie in its blob is refused, and so are plain frames without a drawing.', async () => {
  const file = dicomPicture();
  const outside: Drawing = {
    ...undrawable,
    facts: { ...undrawable.facts, kind: 'dicom', frames: 1 },
    frames: [[[0, file.length + 1]]],
  };
  for (const [drawing, sends] of [
    [outside, false],
    [
      {
        ...outside,
        frames: [
          [
            [0, file.length],
            [0, 1],
          ],
        ],
      } satisfies Drawing,
      false,
    ],
    [{ ...outside, frames: [[[0, 4]]] } satisfies Drawing, true],
    [{ ...outside, source: 'plain', frames: [[[2, 4]]] } satisfies Drawing, true],
  ] as const) {
    const image = await build(file);
    const before = await blobs();
    const hostile: Pick<Pictures, 'prepare'> = {
      prepare: async (_bytes, _type, onPart) => {
        if (sends) await onPart(Buffer.alloc(5));
        return { preview: null, drawing, tags: [] };
      },
    };
    await makePreview(core, hostile as Pictures, String(image._id), context);
    expect((await stored(image)).drawing).toEqual(undrawable);
    expect(await blobs()).toBe(before);
  }
});

it('A renderer that sends empty parts without end is stopped.', async () => {
  const image = await build(dicomPicture());
  const endless: Pick<Pictures, 'prepare'> = {
    prepare: async (_bytes, _type, onPart) => {
      for (;;) await onPart(Buffer.alloc(0));
    },
  };
  await expect(makePreview(core, endless as Pictures, String(image._id), context)).rejects.toThrow('other parts');
});

it('Plain frames of a renderer that dies leave nothing, and of a file that was deleted meanwhile neither.', async () => {
  const dying: Pick<Pictures, 'prepare'> = {
    prepare: async (_bytes, _type, onPart) => {
      await onPart(Buffer.alloc(3 << 20));
      throw new Error('died');
    },
  };
  const image = await build(dicomPicture());
  const before = await blobs();
  await expect(makePreview(core, dying as Pictures, String(image._id), context)).rejects.toThrow('died');
  expect(await blobs()).toBe(before);
  expect(await core.models.Drawing.exists({ _id: image._id })).toBeNull();

  const gone = await build(nativeFile(TWO, planes));
  const deleting: Pick<Pictures, 'prepare'> = {
    prepare: async (...args) => {
      const prepared = await pictures.prepare(...args);
      await removeImage(core, system, gone._id, '');
      return prepared;
    },
  };
  const others = await blobs();
  await makePreview(core, deleting as Pictures, String(gone._id), context);
  expect(await core.models.Drawing.exists({ _id: gone._id })).toBeNull();
  expect(await blobs()).toBe(others);
});

it('Plain frames that a machine with a slow clock is storing are not taken for abandoned ones.', async () => {
  // The product's clock is two hours ahead of that of this machine.
  const slow = { ...core, clock: { now: () => new Date(Date.now() + 2 * 3_600_000) } } as Core;
  const frames = randomBytes(3 * 1024 * 1024);
  const parts = new BlobParts(slow, limits.plainBytes);
  const before = await core.db.collection('blobs.chunks').countDocuments();
  await parts.add(frames);
  await eventually(async () =>
    expect(await core.db.collection('blobs.chunks').countDocuments()).toBeGreaterThan(before),
  );
  await removeOrphanBlobs(slow);
  const stored = await parts.end();
  if (!stored) throw new Error('Nothing was stored.');
  const read: Buffer[] = [];
  for await (const part of core.blobs.read(stored.written.id, stored.key, stored.size)) read.push(part);
  expect(Buffer.concat(read).equals(frames)).toBe(true);
});
