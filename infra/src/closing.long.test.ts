import { closeInspectors } from '@lightbox/backend/files/inspectionPool.js';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildAdmin, buildPatient, buildProvider, mailedCode, PASSWORD } from '@lightbox/backend/testing/factories.js';
import { files } from '@lightbox/backend/testing/files.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { slice } from '@lightbox/backend/testing/slices.js';
import { violations } from '@lightbox/campaigns/chaos/invariants.js';
import { tomorrow } from '@lightbox/campaigns/chaos/verdict.js';
import { newId } from '@lightbox/core/db/ids.js';
import { sealTotpSecret } from '@lightbox/core/keys/totpSecret.js';
import { finishClosings } from '@lightbox/workers/maintenance/finishClosings.js';
import { recountUsage } from '@lightbox/workers/maintenance/repair.js';
import { type RunningWorker, startWorker } from '@lightbox/workers/worker.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

let test: TestGateway;
let worker: RunningWorker;

beforeAll(async () => {
  test = await buildGateway();
  worker = await startWorker(test.config);
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
  await closeInspectors();
});

const left = () => violations(test.gateway);

it('Closing an account keeps the records of others and leaves no orphan.', { timeout: 240_000 }, async () => {
  const { models, keys, clock } = test.gateway;
  const api = new Client(test.url);
  const admin = await buildAdmin(test.gateway);
  const [owner, patient, friend] = [
    await buildProvider(test.gateway),
    await buildPatient(test.gateway),
    await buildProvider(test.gateway),
  ];
  const upload = async (file: Buffer, fields: Record<string, string>): Promise<string> =>
    (await api.as(owner).upload(file, fields).expect(201)).body.data.id;
  const examine = async (fields: Record<string, string>) =>
    (
      await api
        .as(owner)
        .upload(slice({ study: '1.2.826.0.1.1' }), { caption: 'A slice', ...fields })
        .expect(201)
    ).body.data;
  const kept = await upload(files.jpeg, { caption: 'Of a patient', patientId: patient.id });
  const gone = await upload(files.dicom, { caption: 'Of nobody' });
  for (const id of [kept, gone]) {
    await api.as(owner).post('/sharing/request', { imagemetadataId: id, createdfor: friend.id }).expect(201);
    await api.as(owner).get(`/analyze/${id}`).expect(202);
    const drawn = async () => (await models.Image.findById(id).lean())?.preview;
    await expect.poll(drawn).toBe('ready');
  }
  const { id: lead, studyId } = await examine({ patientId: patient.id });
  await examine({});
  await api.as(owner).post('/sharing/request', { studyId, createdfor: friend.id }).expect(201);
  // One share of a study is one notice, and names the image that stands for the study.
  const told = { user: { $in: [friend._id, patient._id] }, study: studyId, record: lead };
  await expect.poll(() => models.Notification.countDocuments(told)).toBe(2);
  const theirs = (await api.as(friend).upload(files.png).expect(201)).body.data.id;
  await api.as(friend).post('/sharing/request', { imagemetadataId: theirs, createdfor: owner.id }).expect(201);
  await api.as(owner).post('/message/send', { recipientId: patient.id, content: 'See you on Monday' }).expect(201);
  await api.post('/auth/login', { email: owner.email, password: PASSWORD }).expect(200);
  await mailedCode(test.gateway, owner._id);
  const notices = () => models.Notification.countDocuments({ user: owner._id });
  await expect.poll(notices).toBeGreaterThan(0);
  const secret = sealTotpSecret(keys, owner._id, 'JBSWY3DP');
  await models.Totp.create([
    { _id: owner._id, secret, createAt: clock.now(), lastStep: 0, tries: 0, recoveryCodes: [] },
  ]);
  const browser = { endpoint: 'https://push.example/x', p256dh: 'x', auth: 'x', seenAt: clock.now() };
  const until = new Date(clock.now().getTime() + 3_600_000);
  await models.PushSubscription.create([
    { _id: newId(), user: owner._id, session: owner.sessionId, ...browser, expiresAt: until },
  ]);
  await expect.poll(left).toEqual([]);

  await api.as(owner).del('/users/profile', { password: PASSWORD }).expect(200);

  await expect.poll(left).toEqual([]);
  expect(await models.Image.exists({ _id: gone })).toBeNull();
  expect(await models.Preview.exists({ _id: gone })).toBeNull();
  // An administrator becomes the owner of an image with a patient. The patient and the others keep their shares.
  const image = await models.Image.findById(kept).lean();
  expect((await models.User.findById(image?.owner).lean())?.role).toBe('admin');
  expect(await models.Share.countDocuments({ image: kept, live: true })).toBe(2);
  await api.as(admin).get(`/upload/image/${kept}/content`).expect(200);
  // A study goes to them as a whole, with one entry in the log.
  expect((await api.as(admin).get(`/studies/${studyId}`).expect(200)).body.data).toMatchObject({
    owner: { id: String(image?.owner) },
    imageCount: 2,
    isShared: true,
  });
  await api.as(friend).get(`/studies/${studyId}`).expect(200);
  expect(await models.Event.countDocuments({ type: 'study.updated', record: studyId })).toBe(1);
  const chat = await api.as(patient).get(`/message/chat/${owner.id}`).expect(200);
  expect(chat.body.data.map((message: { content: string }) => message.content)).toEqual(['See you on Monday']);
  const list = await api.as(patient).get('/message/chat-list').expect(200);
  expect(JSON.stringify(list.body.data)).toContain('Deleted');
});

/** Counts the steps of closing an account. From step `cut` on every step throws, as if the process had died. */
function cutAt(cut: number) {
  const { events, usage, models } = test.gateway;
  let steps = 0;
  const alive = () => {
    steps++;
    if (steps >= cut) throw new Error('The process was killed.');
  };
  const change = events.change.bind(events);
  const giveBack = usage.giveBack.bind(usage);
  const deleteMany = models.Notification.deleteMany.bind(models.Notification);
  const updateOne = models.User.updateOne.bind(models.User);
  const spies = [
    vi.spyOn(events, 'change').mockImplementation(async (...args) => {
      alive();
      return change(...args);
    }),
    vi.spyOn(usage, 'giveBack').mockImplementation(async (...args) => {
      alive();
      return giveBack(...args);
    }),
    vi.spyOn(models.Notification, 'deleteMany').mockImplementation((...args) => {
      alive();
      return deleteMany(...args);
    }),
    vi.spyOn(models.User, 'updateOne').mockImplementation((...args) => {
      if (!args[2]?.session) alive();
      return updateOne(...args);
    }),
  ];
  return {
    wasReached: () => steps >= cut,
    mend: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}

it.each(['by its owner', 'by an administrator'])(
  'Closing an account %s is in the audit log and is finished by maintenance when it is interrupted at any step.',
  { timeout: 480_000 },
  async (by) => {
    const { models } = test.gateway;
    const api = new Client(test.url);
    const admin = await buildAdmin(test.gateway);
    const later = tomorrow(test.gateway);
    // After the transaction both do the same steps.
    const next = (cut: number) => (by === 'by its owner' || cut === 1 ? cut + 1 : Number.POSITIVE_INFINITY);
    for (let cut = 1, reached = true; reached; cut = next(cut)) {
      const [owner, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
      for (const fields of [{ caption: 'Of a patient', patientId: patient.id }, { caption: 'Of nobody' }]) {
        await api.as(owner).upload(files.png, fields).expect(201);
      }
      const theirs = (await api.as(admin).upload(files.png).expect(201)).body.data.id;
      await api.as(admin).post('/sharing/request', { imagemetadataId: theirs, createdfor: owner.id }).expect(201);

      const cutting = cutAt(cut);
      // After five seconds the call leaves the rest to maintenance, and a busy machine may need longer.
      const { status } = await test.clock.still(async () =>
        by === 'by its owner'
          ? api.as(owner).del('/users/profile', { password: PASSWORD })
          : api.as(admin).del(`/users/${owner.id}`),
      );
      cutting.mend();
      reached = cutting.wasReached();

      if (cut === 1) {
        expect(status).toBe(500);
        await api.as(owner).get('/users/profile').expect(200);
        continue;
      }
      expect(status, `cut at step ${cut}`).toBe(200);
      const type = by === 'by its owner' ? 'profile.delete' : 'user.delete';
      expect(await models.Event.countDocuments({ type, record: owner._id, status: 'success' })).toBe(1);
      await api.post('/auth/login', { email: owner.email, password: PASSWORD }).expect(401);
      expect((await models.User.findById(owner._id).lean())?.closing !== undefined).toBe(reached);
      // One turn is short, so a busy machine needs several.
      for (let more = true; more; ) more = await finishClosings(later);
      await recountUsage(later);
      await expect.poll(left, { message: `cut at step ${cut}` }).toEqual([]);
      expect(await models.Event.countDocuments({ type: 'image.transfer', owners: owner._id })).toBe(1);
    }
  },
);
