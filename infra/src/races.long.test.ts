import { Client } from '@lightbox/backend/testing/client.js';
import {
  buildAdmin,
  buildInvite,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  shareCode,
} from '@lightbox/backend/testing/factories.js';
import { png } from '@lightbox/backend/testing/files.js';
import { buildGateway, joinGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import { slice } from '@lightbox/backend/testing/slices.js';
import { type Violation, violations } from '@lightbox/campaigns/chaos/invariants.js';
import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { type RunningWorker, startWorker } from '@lightbox/workers/worker.js';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * The number of races of each pair. `RACE_ROUNDS=50 npx vitest run infra/src/races.long.test.ts` runs all pairs so often. Without
 * it, each call meets itself and one end of an image, a share, a study or an account; neighbours in the table meet others.
 */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 1);
const every = process.env.RACE_ROUNDS !== undefined;
/** The number of races that run at the same time. */
const WIDTH = 6;

let gateways: TestGateway[];
let worker: RunningWorker;
let admin: Person;

beforeAll(async () => {
  const first = await buildGateway();
  gateways = [first, await joinGateway(first.config)];
  const { config } = first;
  worker = await startWorker({
    ...config,
    worker: { ...config.worker, queues: ['analysis', 'previews', 'notifications', 'maintenance'] },
  });
  await worker.ready;
  admin = await buildAdmin(first.gateway);
});
afterAll(async () => {
  await worker?.stop();
  for (const { stop } of gateways ?? []) await stop();
});

interface Scene {
  owner: Person;
  /** A person with a share that is not verified yet. In about half of the races it is the image's patient. */
  recipient: Person;
  /** A patient without a share yet. */
  patient: Person;
  image: string;
  share: { id: string; code: string };
  /** The token of the patient's invitation to the image. */
  invite: string;
  /** A study of two slices, and the recipient's share of it that is not verified yet. Empty unless the pair needs it. */
  study: { id: string; uid: string; lead: string; share: { id: string; code: string } };
}

interface RacedCall {
  send: (api: Client, scene: Scene) => PromiseLike<{ status: number }>;
  /** The allowed statuses, whatever the other call does. */
  answers: number[];
  /** After an answer below 400, one of these events exists for one of these records. */
  events: AuditAction[];
  records: (scene: Scene) => string[];
}

const ofImage = ({ image }: Scene) => [image];
const ofStudy = ({ study }: Scene) => [study.id];
const close = (who: 'owner' | 'recipient' | 'patient'): RacedCall => ({
  send: (api, scene) => api.as(admin).del(`/users/${scene[who].id}`),
  answers: [200, 404],
  events: ['user.delete'],
  records: (scene) => [scene[who].id],
});

const calls = {
  delete: {
    send: (api, { image }) => api.as(admin).del(`/upload/image/${image}`, { reason: 'No longer needed' }),
    answers: [200, 404],
    events: ['image.delete'],
    records: ofImage,
  },
  analyse: {
    send: (api, { owner, image }) => api.as(owner).get(`/analyze/${image}`),
    answers: [200, 202, 401, 404],
    events: ['analysis.request'],
    records: ofImage,
  },
  // The first version is there once a worker has analysed the image; before that the answer is 409.
  sign: {
    send: (api, { owner, image }) => api.as(owner).post(`/analyze/${image}/sign`, { version: 1 }),
    answers: [200, 401, 404, 409],
    events: ['analysis.signed'],
    records: ofImage,
  },
  withdraw: {
    send: (api, { image }) => api.as(admin).post(`/analyze/${image}/withdraw`, { reason: 'The wrong hand' }),
    answers: [200, 404, 409],
    events: ['analysis.withdrawn'],
    records: ofImage,
  },
  'run again': {
    send: (api, { owner, image }) => api.as(owner).post(`/analyze/${image}`, {}),
    answers: [200, 202, 401, 404],
    events: ['analysis.request'],
    records: ofImage,
  },
  share: {
    send: (api, { owner, image, patient }) =>
      api.as(owner).post('/sharing/request', { imagemetadataId: image, createdfor: patient.id }),
    answers: [201, 401, 404, 409],
    events: ['share.create'],
    records: ofImage,
  },
  'share with several': {
    send: (api, { owner, image, patient }) =>
      api.as(owner).post('/sharing/batch', {
        images: [image],
        people: [patient.id],
        emails: [`${newId()}@elsewhere.test`],
      }),
    answers: [201, 401, 404],
    events: ['share.create', 'invite.created'],
    records: ofImage,
  },
  'change the share': {
    send: (api, { share }) => api.as(admin).put(`/sharing/${share.id}`, { expiresInHours: 2, download: false }),
    answers: [200, 404, 410],
    events: ['share.changed'],
    records: ofImage,
  },
  'accept the invitation': {
    send: (api, { invite }) => api.post('/auth/invitation/accept', { token: invite }),
    answers: [200, 410],
    events: ['invite.accepted'],
    records: ofImage,
  },
  verify: {
    send: (api, { recipient, share }) =>
      api.as(recipient).post('/sharing/verify', { sharingRequestId: share.id, verificationCode: share.code }),
    answers: [200, 401, 404, 410, 422],
    events: ['share.verify'],
    records: ofImage,
  },
  revoke: {
    send: (api, { share }) => api.as(admin).del(`/sharing/${share.id}`),
    answers: [200, 404],
    events: ['share.revoke', 'image.delete'],
    records: ofImage,
  },
  resend: {
    send: (api, { share }) => api.as(admin).post(`/sharing/${share.id}/resend`),
    answers: [200, 404, 410],
    events: ['share.resend'],
    records: ofImage,
  },
  upload: {
    send: (api, { owner, patient }) =>
      api.as(owner).upload(png(3, 2), { caption: 'Another one', patientId: patient.id }),
    answers: [201, 401, 422],
    events: ['image.upload'],
    records: () => [],
  },
  'upload into the study': {
    send: (api, { owner, patient, study }) =>
      api.as(owner).upload(slice({ study: study.uid, instance: 3 }), { caption: 'A slice', patientId: patient.id }),
    answers: [201, 401, 422],
    events: ['image.upload'],
    records: () => [],
  },
  'share the study': {
    send: (api, { owner, study, patient }) =>
      api.as(owner).post('/sharing/request', { studyId: study.id, createdfor: patient.id }),
    answers: [201, 401, 404, 409],
    events: ['share.create'],
    records: ofStudy,
  },
  'verify the study': {
    send: (api, { recipient, study: { share } }) =>
      api.as(recipient).post('/sharing/verify', { sharingRequestId: share.id, verificationCode: share.code }),
    answers: [200, 401, 404, 410, 422],
    events: ['share.verify'],
    records: ofStudy,
  },
  'revoke the study': {
    send: (api, { study }) => api.as(admin).del(`/sharing/${study.share.id}`),
    answers: [200, 404],
    events: ['share.revoke', 'study.deleted'],
    records: ofStudy,
  },
  'delete the study': {
    send: (api, { study }) => api.as(admin).del(`/studies/${study.id}`, { reason: 'No longer needed' }),
    answers: [200, 404],
    events: ['study.deleted'],
    records: ofStudy,
  },
  'delete the first slice': {
    send: (api, { study }) => api.as(admin).del(`/upload/image/${study.lead}`, { reason: 'No longer needed' }),
    answers: [200, 404],
    events: ['image.delete', 'study.deleted'],
    records: ({ study }) => [study.lead, study.id],
  },
  'change the owner’s name': {
    send: (api, { owner }) => api.as(owner).put('/users/profile', { firstname: 'Noor' }),
    answers: [200, 401],
    events: ['profile.update'],
    records: ({ owner }) => [owner.id],
  },
  'close the owner': close('owner'),
  'close the recipient': close('recipient'),
  'close the patient': close('patient'),
  'deactivate the owner': {
    send: (api, { owner }) => api.as(admin).put(`/users/toggleUserStatus/${owner.id}`),
    answers: [200, 404, 409],
    // The second of two such calls activates the account again.
    events: ['user.deactivate', 'user.activate'],
    records: ({ owner }) => [owner.id],
  },
  'sign the owner out': {
    send: (api, { owner }) => api.as(owner).post('/auth/logout'),
    answers: [200, 401],
    events: ['auth.logout'],
    records: ({ owner }) => [String(owner.sessionId)],
  },
} satisfies Record<string, RacedCall>;
type Name = keyof typeof calls;
const names = Object.keys(calls) as Name[];

async function setScene(withStudy: boolean, analysed: boolean): Promise<Scene> {
  const [{ gateway, url }] = gateways as [TestGateway];
  const named = Math.random() < 0.5;
  const [owner, recipient, patient] = await Promise.all([
    buildProvider(gateway),
    named ? buildPatient(gateway) : buildProvider(gateway),
    buildPatient(gateway),
  ]);
  const api = new Client(url).as(owner);
  const { body } = await api
    .upload(png(3, 2), { caption: 'A hand', ...(named ? { patientId: recipient.id } : {}) })
    .expect(201);
  const image = { _id: oid(body.data.id), id: body.data.id, owner };
  const standing = await gateway.models.Share.findOne({ image: image._id }).lean<ShareDoc>();
  const share = standing?._id ?? (await buildShare(gateway, { image, recipient }))._id;
  const { token } = await buildInvite(gateway, { image, email: patient.email });
  if (analysed) await setDraft(api, image._id);
  return {
    owner,
    recipient,
    patient,
    invite: token,
    image: image.id,
    share: { id: String(share), code: await shareCode(gateway, share) },
    study: withStudy ? await setStudy(api, recipient) : noStudy,
  };
}

/** The calls that need a draft, which a worker makes. */
const needDraft: Name[] = ['sign', 'withdraw', 'run again'];

async function setDraft(api: Client, _id: ObjectId): Promise<void> {
  const [{ gateway }] = gateways as [TestGateway];
  await api.get(`/analyze/${_id}`).expect(202);
  const isDone = () => gateway.models.Analysis.exists({ _id, status: 'completed' });
  await expect.poll(isDone, { interval: 100 }).not.toBeNull();
}

let studies = 0;
const noStudy = { id: '', uid: '', lead: '', share: { id: '', code: '' } };

async function setStudy(api: Client, recipient: Person): Promise<Scene['study']> {
  const [{ gateway }] = gateways as [TestGateway];
  const uid = `1.2.826.0.1.${++studies}`;
  const upload = (instance: number) => api.upload(slice({ study: uid, instance }), { caption: 'A slice' }).expect(201);
  const { body } = await upload(1);
  await upload(2);
  const { id: lead, studyId } = body.data;
  const shared = await api.post('/sharing/request', { studyId, createdfor: recipient.id }).expect(201);
  const share = oid(shared.body.data.id);
  return { id: studyId, uid, lead, share: { id: String(share), code: await shareCode(gateway, share) } };
}

/** The faults, each with its pair of calls. */
const faults: string[] = [];
/** The pair of calls by the ids of its records. */
const playedBy = new Map<string, string>();

async function race([one, other]: [Name, Name]): Promise<void> {
  const title = `${one} × ${other}`;
  const scene = await setScene(
    [one, other].some(isOfStudies),
    [one, other].some((name) => needDraft.includes(name)),
  );
  for (const id of [
    scene.image,
    scene.study.id,
    scene.study.lead,
    scene.owner.id,
    scene.recipient.id,
    scene.patient.id,
  ])
    playedBy.set(id, title);
  const apis = gateways.map(({ url }) => new Client(url));
  const turned = Math.random() < 0.5 ? apis : apis.toReversed();
  const answers = await Promise.all(
    [one, other].map(async (name, i) => ({ name, ...pick(await calls[name].send(turned[i] as Client, scene)) })),
  );
  for (const { name, status } of answers) await judge(title, name, status, scene);
}

const pick = ({ status }: { status: number }) => ({ status });

/** Checks that the status is allowed, and that a success has stored its event. */
async function judge(title: string, name: Name, status: number, scene: Scene): Promise<void> {
  const { answers, events, records }: RacedCall = calls[name];
  if (!answers.includes(status)) faults.push(`${title}: ${name} was answered ${status}`);
  const ids: ObjectId[] = records(scene).map(oid);
  if (status >= 400 || ids.length === 0) return;
  const [{ gateway }] = gateways as [TestGateway];
  const done = { type: { $in: events }, status: 'success' as const, record: { $in: ids } };
  const kept = await gateway.models.Event.exists(done);
  if (!kept) faults.push(`${title}: ${name} was answered ${status} and did nothing`);
}

const ofStudies = names.filter((name) => /study|slice/.test(name));
/** The calls of a review race with each other, and with the calls that take the image, the share or a person away. */
const endings: Name[] = ['delete', 'revoke', 'close the owner', 'close the recipient', 'sign the owner out'];
const meetsInReview = (one: Name, other: Name) => {
  const others = [one, other].filter((name) => !needDraft.includes(name));
  return others.length === 2 || others.every((name) => endings.includes(name));
};
const isOfStudies = (name: Name) => ofStudies.includes(name);
/** Calls on a study race with each other and with closings; calls on an image do not touch the study of the scene. */
const meets = (one: Name, other: Name) =>
  isOfStudies(one) === isOfStudies(other) || [one, other].some((name) => name.startsWith('close the '));
const ends: Name[] = ['delete', 'revoke', 'delete the study', 'close the owner'];
const allowed = (one: Name, other: Name) => meets(one, other) && meetsInReview(one, other);
const all = names.flatMap((one, i) =>
  names.slice(i).flatMap((other): [Name, Name][] => (allowed(one, other) ? [[one, other]] : [])),
);
const sample = names.flatMap((one, i): [Name, Name][] => {
  const met = ends.filter((end) => end !== one && allowed(one, end));
  const end = met[i % met.length];
  return [[one, one], ...(end ? [[one, end] as [Name, Name]] : [])];
});
const pairs = every ? all : sample;

const describeViolation = ({ rule, id }: Violation) => `${playedBy.get(id) ?? 'unknown'}: ${rule}`;

it('Any two calls at once on an image, share, analysis or account break no rule, and each answers with its real result.', {
  timeout: 180_000 + ROUNDS * 120_000,
}, async () => {
  const scenes = Array.from({ length: ROUNDS }, () => pairs.map((pair) => () => race(pair))).flat();
  const next = scenes.values();
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      for (const play of next) await play();
    }),
  );
  const left = async () => (await violations(worker.core)).map(describeViolation).sort();
  await expect
    .poll(async () => (await left()).length, { interval: 500 })
    .toBe(0)
    .catch(() => undefined);
  expect([...faults, ...(await left())]).toEqual([]);
});
