import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHUNK } from '@lightbox/core/blobs/cipher.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import { beforeAll, expect, it } from 'vitest';
import {
  type BuiltImage,
  buildImage,
  buildProvider,
  buildStudy,
  type Person,
  sampleFile,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
});

const eventsOf = async (...records: ObjectId[]) =>
  (
    await test.gateway.models.Event.find({ record: { $in: records } })
      .sort({ _id: 1 })
      .lean<EventDoc[]>()
  ).map(({ type, records }) => [type, records?.map(String).sort()]);

/** Adds an image to a study, with these bytes. */
async function addFile(study: ObjectId, bytes: Buffer): Promise<BuiltImage & { blob: ObjectId }> {
  const { gateway } = test;
  const [blob, key] = [newId(), randomBytes(32)];
  await gateway.blobs.write(
    blob,
    key,
    (async function* () {
      yield bytes;
    })(),
  );
  const image = await buildImage(gateway, { owner, study, blob, size: bytes.length, contentType: 'application/dicom' });
  const { id: keyId, key: wrapping } = gateway.keys.images.current;
  const dataKey = { keyId, sealed: seal(wrapping, image.id, key) };
  await gateway.models.Image.collection.updateOne({ _id: image._id }, { $set: { dataKey } });
  return { ...image, blob };
}

it('The facts of all drawn images of a study are one answer and one look, in which their frames are counted.', async () => {
  const first = await buildStudy(test.gateway, { owner });
  const second = await buildImage(test.gateway, { owner, study: first.study });
  const undrawn = await buildImage(test.gateway, { owner, study: first.study, preview: 'pending' });
  const facts = () => api.as(owner).get(`/studies/${first.study}/frames`).expect(200);
  const { body } = await facts();
  expect(Object.keys(body.data).sort()).toEqual([first.id, second.id].sort());
  const frame = ({ id }: BuiltImage) => api.as(owner).get(`/upload/image/${id}/frames/1`).expect(200);
  await Promise.all([frame(first), frame(first), frame(second)]);
  const all = [first.id, second.id, undrawn.id].sort();
  expect(await eventsOf(first.study, first._id, second._id, undrawn._id)).toEqual([['study.frames', all]]);
  const looks = await test.gateway.models.Look.find({ user: owner._id, _id: { $not: /:look:/ } })
    .readConcern(NEWEST)
    .lean<LookDoc[]>();
  expect(looks.map(({ type, reads }) => [type, reads])).toContainEqual(['study.frames', 3]);
  const alone = await api.as(owner).get(`/upload/image/${second.id}/frames`).expect(200);
  expect(body.data[second.id]).toEqual(alone.body.data);
  // The same look goes on until every image is there.
  await facts();
  await test.gateway.models.Drawing.collection.insertOne({
    ...(await test.gateway.models.Drawing.findById(second._id).lean()),
    _id: undrawn._id,
  } as never);
  expect(Object.keys((await facts()).body.data).sort()).toEqual(all);
  expect(await eventsOf(first.study)).toHaveLength(1);
  await facts();
  expect(await eventsOf(first.study)).toHaveLength(2);
});

it('The lead and the first slices that are missing are drawn first, ten for each call.', async () => {
  const { models, queues } = test.gateway;
  const lead = await buildStudy(test.gateway, { owner });
  const { study } = lead;
  const slices: BuiltImage[] = [];
  for (let i = 0; i < 14; i++) {
    const place = { instance: 100 - i };
    slices.unshift(await buildImage(test.gateway, { owner, study, preview: 'pending', place }));
  }
  await models.Image.updateOne({ _id: lead._id }, { $set: { preview: 'pending', 'place.instance': 200 } });
  const damaged = slices[1] as BuiltImage;
  // The drawing of another image is damage.
  await models.Drawing.collection.insertOne({
    ...(await models.Drawing.findByIdAndDelete(lead._id).lean()),
    _id: damaged._id,
  } as never);
  const { body } = await api.as(owner).get(`/studies/${study}/frames`).expect(200);
  expect(body.data).toEqual({ [damaged.id]: expect.objectContaining({ kind: 'none', frames: 0 }) });
  const ids = new Set([lead, ...slices].map(({ id }) => id));
  const asked = (await queues.all.previews.getPrioritized())
    .map(({ data }) => data.imageId)
    .filter((id) => ids.has(id));
  const missing = slices.filter((image) => image !== damaged);
  expect(asked).toEqual([lead, ...missing.slice(0, 9)].map(({ id }) => id));
});

it('A study of which nothing is drawn is PREVIEW_PENDING after ten seconds, and leaves no look.', async () => {
  const { study, _id } = await buildStudy(test.gateway, { owner });
  await test.gateway.models.Drawing.deleteOne({ _id });
  const jobs = async () =>
    (await test.gateway.queues.all.previews.getJobs()).filter(({ data }) => data.imageId === String(_id)).length;
  const asked = api
    .as(owner)
    .get(`/studies/${study}/frames`)
    .then((answer) => answer);
  await expect.poll(jobs).toBe(1);
  test.clock.forward({ seconds: 11 });
  const { status, body, headers } = await asked;
  expect([status, body.error, headers['retry-after']]).toEqual([404, 'PREVIEW_PENDING', '2']);
  expect(await eventsOf(study)).toEqual([]);
});

/** Lists a zip as Python reads it: names, and hashes of the contents. */
function listZip(bytes: Buffer): [name: string, sha256: string, method: number][] {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-zip-'));
  try {
    const file = join(folder, 'study.zip');
    writeFileSync(file, bytes);
    const script = `import hashlib, json, sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
print(json.dumps([[i.filename, hashlib.sha256(zip.read(i)).hexdigest(), i.compress_type] for i in zip.infolist()]))`;
    const { stdout, stderr, status } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

it('A study is downloaded as a zip of its files, bit for bit, in one entry of the log.', async () => {
  const first = await buildStudy(test.gateway, { owner });
  await test.gateway.models.Study.updateOne({ _id: first.study }, { $set: { kind: 'dicom', title: 'Roe, Jane' } });
  const bytes = randomBytes(2 * CHUNK + 5);
  const second = await addFile(first.study, bytes);
  const answer = await api.as(owner).get(`/studies/${first.study}/content`).buffer().responseType('blob').expect(200);
  const zip = answer.body as Buffer;
  expect(answer.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(zip.length),
    'content-disposition': `attachment; filename="${first.study}.zip"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(listZip(zip)).toEqual([
    [`series-1/0001-${first.id}.png`, sha256(sampleFile), 0],
    [`series-1/0002-${second.id}.dcm`, sha256(bytes), 0],
  ]);
  expect(await eventsOf(first.study, first._id, second._id)).toEqual([['study.content', [first.id, second.id].sort()]]);
});

it('A zip with a damaged file breaks off, and the gateway serves on.', async () => {
  const { study } = await buildStudy(test.gateway, { owner });
  const damaged = await addFile(study, randomBytes(CHUNK + 5));
  const chunks = test.gateway.db.db?.collection('blobs.chunks');
  await chunks?.updateOne({ files_id: damaged.blob, n: 1 }, { $set: { data: randomBytes(21) } });
  await expect(api.as(owner).get(`/studies/${study}/content`).buffer()).rejects.toThrow();
  await api.as(owner).get(`/studies/${study}`).expect(200);
});

it('An empty study is an empty zip, and has no facts.', async () => {
  const { body } = await api.as(owner).post('/studies', { title: 'Nothing yet' }).expect(201);
  const zip = await api.as(owner).get(`/studies/${body.data.id}/content`).buffer().responseType('blob').expect(200);
  expect(listZip(zip.body as Buffer)).toEqual([]);
  expect((await api.as(owner).get(`/studies/${body.data.id}/frames`).expect(200)).body).toEqual({ data: {} });
});
