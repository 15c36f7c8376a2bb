import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { errors } from '@lightbox/contract/errors.js';
import { DiskReserve } from '@lightbox/core/db/diskReserve.js';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { asAppError } from '../http/errors.js';
import { buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

/** The figures of the disk are MongoDB's; what is left on it is wanted for the reserve, or is not. */
const { test, api } = useGateway();
let provider: Person;
const MORE_THAN_THERE_IS = 2 ** 52;

beforeAll(async () => {
  provider = await buildProvider(test.gateway);
});
beforeEach(() => {
  test.config.reserveBytes = null;
});

const upload = () => api.as(provider).upload(files.png);

/** Everything that an upload writes. */
async function written(): Promise<number[]> {
  const { db, models } = test.gateway;
  return Promise.all([
    db.collection('blobs.chunks').countDocuments(),
    db.collection('blobs.files').countDocuments(),
    models.Image.countDocuments(),
    models.Event.countDocuments({ type: 'image.upload', status: 'success' }),
    models.Usage.countDocuments({ files: { $gt: 1 } }),
  ]);
}

it('without disk space uploads answer 507 and leave nothing, all other calls work, and uploads work again when there is space', async () => {
  const kept = (await upload().expect(201)).body.data.id;
  const before = await written();
  test.config.reserveBytes = MORE_THAN_THERE_IS;
  const key = randomUUID();
  const refused = await upload().set('Idempotency-Key', key).expect(507);
  expect(refused.body).toEqual({
    message: errors.STORAGE_FULL[1],
    error: 'STORAGE_FULL',
    requestId: expect.any(String),
  });
  expect(await written()).toEqual(before);

  const content = await api.as(provider).get(`/upload/image/${kept}/content`).buffer().expect(200);
  expect(content.body).toEqual(files.png);
  await api.as(provider).get('/upload/my-images').expect(200);
  const patient = await buildPatient(test.gateway);
  await api.as(provider).post('/message/send', { recipientId: patient.id, content: 'Still here' }).expect(201);

  test.config.reserveBytes = null;
  await upload().set('Idempotency-Key', key).expect(201);
});

it('the reserve compares MongoDB’s free disk space with the uploads under way and those just ended', async () => {
  const { diskReserve, db } = test.gateway;
  const stats = await db.db?.command({ dbStats: 1 });
  const free = Number(stats?.fsTotalSize) - Number(stats?.fsUsedSize);
  // A quarter of what is free is what one may take, thrice over; the machine's other work is smaller than that.
  test.config.reserveBytes = Math.floor(free / 4);
  const quarter = Math.floor(free / 4 / 3);
  const [one, two] = [await diskReserve.take(quarter), await diskReserve.take(quarter)];
  expect([one, two]).toEqual([expect.any(Function), expect.any(Function)]);
  expect(await diskReserve.take(2 * quarter)).toBeNull();
  one?.();
  expect(await diskReserve.take(2 * quarter)).toBeNull();
  two?.();
});

it('a full disk of the folder of the blobs refuses uploads too', async () => {
  // Linux reports no free block for this folder, and no space for each write to this device.
  const full = new DiskReserve(test.gateway.db, {
    reserveBytes: null,
    blobs: { store: 'file', dir: '/proc', s3: null },
  });
  expect(await full.fits(1)).toBe(false);
  const error = await writeFile('/dev/full', 'x').catch((thrown) => thrown);
  expect(asAppError(error).code).toBe('STORAGE_FULL');
});
