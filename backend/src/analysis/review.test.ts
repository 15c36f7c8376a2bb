import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import { inEnglish, sentence } from '@lightbox/contract/analysis/sentences.js';
import { mayReview, type ReviewState, reviewStates } from '@lightbox/contract/analysis/states.js';
import { type Role, roles } from '@lightbox/contract/permissions.js';
import { reportContext } from '@lightbox/core/analysis/reports.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ReportDoc } from '@lightbox/core/models/report.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

const findings = {
  description: '<b>A grey rectangle.</b>',
  differentialDiagnosis: [{ condition: 'Fracture', confidence: 0.8234 }],
  treatment: ['Rest'],
  followUp: [],
  warnings: ['A computer wrote this.'],
  said: { description: [], warnings: [{ code: 'NO_MODEL' as const, values: {} }] },
  confidence: 0.5,
  assessed: true,
  provider: 'local',
  model: 'measure-1',
  modelVersion: '1',
};

interface Scene {
  image: BuiltImage;
  /** The image's patient, with a verified share. */
  patient: Person;
  /** A provider with a verified share. */
  colleague: Person;
}

async function setScene(): Promise<Scene> {
  const [patient, colleague] = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
  const image = await buildImage(test.gateway, { patient: patient._id });
  await buildShare(test.gateway, { image, recipient: patient, verified: true });
  await buildShare(test.gateway, { image, recipient: colleague, verified: true });
  return { image, patient, colleague };
}

/** Writes what a worker writes when a run has completed. */
async function complete({ _id: image, owner }: BuiltImage, draft: Findings = findings): Promise<number> {
  const { Analysis, AnalysisVersion, Image } = test.gateway.models;
  const at = test.clock.now();
  const analysis = await Analysis.findOneAndUpdate(
    { _id: image },
    {
      $set: { status: 'completed', findings: draft, review: { state: 'draft' }, finishedAt: at, progress: 100 },
      $setOnInsert: { requestedBy: owner._id, startedAt: at, run: 1 },
      $inc: { version: 1 },
    },
    { upsert: true, returnDocument: 'after' },
  ).lean<AnalysisDoc>();
  const { version = 0, run = 1 } = analysis ?? {};
  const by = owner._id;
  await AnalysisVersion.create([
    {
      _id: newId(),
      image,
      version,
      kind: 'run',
      by,
      at,
      findings: draft,
      run: { number: run, by, at, inputSha256: 'a'.repeat(64) },
    },
  ]);
  await Image.updateOne({ _id: image }, { $set: { analysis: 'completed' } });
  return version;
}

const get = (as: Person, { id }: BuiltImage) => api.as(as).get(`/analyze/${id}`);
const versions = (as: Person, { id }: BuiltImage) => api.as(as).get(`/analyze/${id}/versions`);
const sign = (as: Person, { id }: BuiltImage, version: number, rest: object = {}) =>
  api.as(as).post(`/analyze/${id}/sign`, { version, ...rest });
const withdraw = (as: Person, { id }: BuiltImage, reason = 'The wrong hand') =>
  api.as(as).post(`/analyze/${id}/withdraw`, { reason });
const done = (record: ObjectId, type: 'analysis.signed' | 'analysis.withdrawn') =>
  test.gateway.models.Event.countDocuments({ record, type, status: 'success' });

describe.each(reviewStates)('a review in the state %s', (state: ReviewState) => {
  /** An image whose review has come into the state by the calls themselves, and the newest version. */
  async function arrive(scene: Scene): Promise<number> {
    if (state === 'none') return 1;
    const version = await complete(scene.image);
    if (state === 'draft') return version;
    await sign(scene.image.owner, scene.image, version).expect(200);
    if (state === 'withdrawn') await withdraw(scene.image.owner, scene.image).expect(200);
    return version + 1;
  }

  it.each(roles)('a %s makes the moves of the table, and no other', async (role: Role) => {
    const scene = await setScene();
    const { image } = scene;
    const version = await arrive(scene);
    const callers: Record<Role, Person[]> = {
      patient: [scene.patient],
      healthProvider: [scene.colleague, image.owner],
      admin: [await buildAdmin(test.gateway)],
    };
    for (const caller of callers[role]) {
      const signs = role === 'healthProvider';
      const isSigner = caller === image.owner && (state === 'signed' || state === 'withdrawn');
      const withdraws = role === 'admin' || isSigner;
      const refusal = (allowed: boolean) => (allowed ? 409 : 403);
      if (!mayReview('withdraw', state) || !withdraws) {
        await withdraw(caller, image).expect(refusal(withdraws));
      }
      if (!mayReview('sign', state) || !signs) {
        const { body } = await sign(caller, image, version).expect(refusal(signs));
        if (signs) expect(body.error).toBe('REVIEW_STATE');
      }
      const { status } = await get(caller, image);
      const empty = role === 'patient' ? 404 : 202;
      expect(status, 'reading').toBe(state === 'none' || (role === 'patient' && state !== 'signed') ? empty : 200);
      await versions(caller, image).expect(role === 'patient' ? 403 : 200);
      // The first read of staff starts a run, which leaves the state `none` behind.
      if (state === 'none') await test.gateway.models.Analysis.deleteOne({ _id: image._id });
    }
    const last = callers[role].at(-1) as Person;
    if (role === 'healthProvider' && mayReview('sign', state)) await sign(last, image, version).expect(200);
    if (role === 'admin' && mayReview('withdraw', state)) await withdraw(last, image).expect(200);
  });
});

it('A signature gives the patient the text with the signer, the comment and the changes, as a version of its own.', async () => {
  const { image, patient, colleague } = await setScene();
  const version = await complete(image);
  const edits = { description: 'No fracture.', treatment: findings.treatment };
  const signed = await sign(colleague, image, version, { comment: 'Nothing is broken.', edits }).expect(200);
  expect(signed.body.data).toMatchObject({
    status: 'completed',
    version: 2,
    review: { state: 'signed' },
    stale: false,
  });
  const { data } = (await get(patient, image).expect(200)).body;
  expect(data).toMatchObject({
    description: 'No fracture.',
    differentialDiagnosis: findings.differentialDiagnosis,
    signedBy: { id: colleague.id },
    comment: 'Nothing is broken.',
    edited: ['description'],
    notADiagnosis: true,
    version: 2,
    said: findings.said,
  });
  expect(data.signedAt).toMatch(/Z$/);
  const listed = (await versions(colleague, image).expect(200)).body.data;
  expect(listed.map((one: { kind: string; version: number }) => [one.version, one.kind])).toEqual([
    [2, 'signature'],
    [1, 'run'],
  ]);
  expect(listed[0]).toMatchObject({
    of: 1,
    by: { id: colleague.id },
    current: true,
    provenance: { provider: 'local', model: 'measure-1', modelVersion: '1', inputSha256: 'a'.repeat(64) },
  });
  expect(listed[1].findings.description).toBe(findings.description);
});

it('A text that its signer wrote anew is no text of a computer, and carries no warning that it is.', async () => {
  const { image, patient } = await setScene();
  const edits = { description: 'Healthy.', differentialDiagnosis: [] };
  await sign(image.owner, image, await complete(image), { edits }).expect(200);
  expect((await get(patient, image).expect(200)).body.data).toMatchObject({
    notADiagnosis: false,
    edited: ['description', 'differentialDiagnosis'],
    warnings: [],
    said: { description: [], warnings: [] },
  });
});

it('A warning that the signer left as it was keeps its code, and the signer’s own words have none.', async () => {
  const coded = (['NO_VIEW', 'NO_SIDE', 'NO_SLICE'] as const).map((code) => sentence(code));
  const draft = {
    ...findings,
    warnings: [...coded.map(inEnglish), 'Of the model.'],
    said: { description: [], warnings: coded },
  };
  const { image, patient } = await setScene();
  const version = await complete(image, draft);
  const [first = '', , third = ''] = draft.warnings;
  const warnings = [third, 'The marker shows the left side.', first, 'Of the model.'];
  await sign(image.owner, image, version, { edits: { warnings } }).expect(200);
  expect((await get(patient, image).expect(200)).body.data).toMatchObject({
    edited: ['warnings'],
    warnings,
    said: { warnings: [coded[2], null, coded[0], null] },
  });
});

it('A version that is not the newest cannot be signed, and of two signatures at once one wins.', async () => {
  const { image, colleague } = await setScene();
  const version = await complete(image);
  expect((await sign(colleague, image, version - 1).expect(409)).body.error).toBe('STALE');
  const answers = await Promise.all([sign(colleague, image, version), sign(image.owner, image, version)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await done(image._id, 'analysis.signed')).toBe(1);
  // A run that is under way makes the result of the one before old.
  const again = await setScene();
  const draft = await complete(again.image);
  await api.as(again.colleague).post(`/analyze/${again.image.id}`, {}).expect(202);
  expect((await sign(again.colleague, again.image, draft).expect(409)).body.error).toBe('STALE');
});

it('The signed text stays readable during a new run and its draft, and is stale; the next signature replaces it.', async () => {
  const { image, patient, colleague } = await setScene();
  await sign(image.owner, image, await complete(image), { comment: 'First' }).expect(200);
  await api.as(colleague).post(`/analyze/${image.id}`, {}).expect(202);
  const reads = async () => (await get(patient, image).expect(200)).body.data;
  expect(await reads()).toMatchObject({ comment: 'First', stale: false });
  const draft = await complete(image);
  expect(await reads()).toMatchObject({ comment: 'First', stale: true });
  expect((await get(colleague, image).expect(200)).body.data.review).toEqual({ state: 'draft' });
  await sign(colleague, image, draft, { comment: 'Second' }).expect(200);
  expect(await reads()).toMatchObject({ comment: 'Second', signedBy: { id: colleague.id }, stale: false });
  // The first signer cannot withdraw the text of the second.
  await withdraw(image.owner, image).expect(403);
  await withdraw(colleague, image).expect(200);
  await get(patient, image).expect(404);
});

it('A newer image of the patient makes an analysis stale for people who may open that image, and not its copy alone.', async () => {
  const { image, colleague, patient } = await setScene();
  await sign(image.owner, image, await complete(image)).expect(200);
  test.clock.forward({ minutes: 1 });
  const newer = await buildImage(test.gateway, { owner: image.owner, patient: patient._id });
  const isStale = async (viewer: Person) => (await get(viewer, image).expect(200)).body.data.stale;
  expect(await isStale(image.owner)).toBe(true);
  const theirs = { image: newer, recipient: colleague };
  await buildShare(test.gateway, { ...theirs, verified: true, deidentified: true });
  expect(await isStale(colleague)).toBe(false);
  await test.gateway.models.Share.deleteMany({ image: newer._id });
  await buildShare(test.gateway, { ...theirs, verified: true });
  expect(await isStale(colleague)).toBe(true);
});

describe('a report for which the caller waits', () => {
  /** Asks for the report, and makes it as a worker does, after something else has happened. */
  async function asked({ id, _id }: BuiltImage, by: Person, meanwhile: () => Promise<unknown>) {
    const { models, keys } = test.gateway;
    const find = () => models.Report.findOne({ image: _id }).lean<ReportDoc>();
    const answer = api
      .as(by)
      .get(`/analyze/${id}/report`)
      .then((response) => response);
    await expect.poll(find).not.toBeNull();
    await meanwhile();
    const [report, image] = [await find(), await models.Image.findById(_id).lean<ImageDoc>()];
    if (!report || !image) throw new Error('There is no report.');
    const key = unwrapDataKey(keys.images, id, image.dataKey);
    const sealed = seal(key, reportContext(report), Buffer.from('%PDF-'));
    await models.Report.updateOne({ _id: report._id }, { sealed });
    const { status, body } = await answer;
    return [status, body.error];
  }
  async function signedScene(): Promise<Scene> {
    const scene = await setScene();
    await sign(scene.image.owner, scene.image, await complete(scene.image)).expect(200);
    return scene;
  }

  it('goes to a person who may still read it', async () => {
    const { image, patient } = await signedScene();
    expect(await asked(image, patient, async () => undefined)).toEqual([200, undefined]);
  });

  it('does not go to a person whose share ended meanwhile', async () => {
    const { image, colleague } = await signedScene();
    const end = async () => {
      const share = await test.gateway.models.Share.findOne({ recipient: colleague._id }).lean();
      await api.as(image.owner).del(`/sharing/${share?._id}`).expect(200);
    };
    expect(await asked(image, colleague, end)).toEqual([404, 'NOT_FOUND']);
  });

  it('does not go to a session that ended meanwhile', async () => {
    const { image, patient } = await signedScene();
    const end = () => api.as(patient).post('/auth/logout', {}).expect(200);
    expect((await asked(image, patient, end))[0]).toBe(401);
  });

  it('does not go out after its text was withdrawn; staff ask again and get the marked one', async () => {
    const scene = await signedScene();
    const take = () => withdraw(scene.image.owner, scene.image).expect(200);
    expect(await asked(scene.image, scene.patient, take)).toEqual([404, 'NOT_FOUND']);
    const { image, colleague } = await signedScene();
    const takeBack = () => withdraw(image.owner, image).expect(200);
    expect(await asked(image, colleague, takeBack)).toEqual([404, 'REPORT_PENDING']);
  });
});

it('Signing and withdrawing reach the patient live and as notices; a draft’s withdrawal does not.', async () => {
  const { image, patient } = await setScene();
  const socket = await connectSocket(test.url, { token: patient.token });
  await sign(image.owner, image, await complete(image)).expect(200);
  await expect.poll(() => socket.seen('analysis:signed')).toEqual([{ imageId: image.id }]);
  await withdraw(image.owner, image).expect(200);
  await expect.poll(() => socket.seen('analysis:withdrawn')).toEqual([{ imageId: image.id }]);
  await complete(image);
  await withdraw(await buildAdmin(test.gateway), image).expect(200);
  const told = await test.gateway.models.Event.find({ record: image._id, recipients: patient._id }).lean();
  expect(told.map(({ type }) => type).sort()).toEqual(['analysis.signed', 'analysis.withdrawn']);
  socket.socket.close();
});

it('A patient who has a copy without identity alone is not told that the original has a signed text.', async () => {
  const patient = await buildPatient(test.gateway);
  const image = await buildImage(test.gateway, { patient: patient._id });
  await buildShare(test.gateway, { image, recipient: patient, verified: true, deidentified: true });
  await sign(image.owner, image, await complete(image)).expect(200);
  await get(patient, image).expect(403);
  const signed = { record: image._id, type: 'analysis.signed' as const };
  expect(await test.gateway.models.Event.countDocuments(signed)).toBe(1);
  expect(await test.gateway.models.Event.countDocuments({ ...signed, recipients: patient._id })).toBe(0);
});

it('A patient reads nothing of the image of another patient, without the code, or after the end of the share.', async () => {
  const { image, patient } = await setScene();
  await sign(image.owner, image, await complete(image)).expect(200);
  const other = await buildPatient(test.gateway);
  await get(other, image).expect(404);
  await buildShare(test.gateway, { image, recipient: other, verified: true });
  await get(other, image).expect(403);
  const { Share, Image } = test.gateway.models;
  await Share.updateOne({ recipient: patient._id }, { $unset: { verifiedAt: 1 } });
  expect((await get(patient, image).expect(403)).body.error).toBe('NOT_VERIFIED');
  await Share.updateOne({ recipient: patient._id }, { $set: { live: false, endedAt: new Date() } });
  await get(patient, image).expect(404);
  expect((await Image.findById(image._id).lean<ImageDoc>())?.hasSigned).toBe(true);
});

it('An image shows its patient that there is a signed text, and nothing of drafts.', async () => {
  const { image, patient } = await setScene();
  const seen = async () => (await api.as(patient).get(`/upload/image/${image.id}`).expect(200)).body.data.analysis;
  const version = await complete(image);
  expect(await seen()).toEqual({ status: 'none' });
  await sign(image.owner, image, version).expect(200);
  expect(await seen()).toEqual({ status: 'completed', signed: true });
});

it('The analysis before is that of an earlier image of the patient which the viewer may read, else an earlier run.', async () => {
  const { image, patient, colleague } = await setScene();
  const before = await buildImage(test.gateway, {
    owner: image.owner,
    patient: patient._id,
    caption: 'Last year',
    createAt: new Date(Date.now() - 1e10),
  });
  await complete(before);
  await complete(image);
  const previous = async (as: Person) => (await api.as(as).get(`/analyze/${image.id}/previous`).expect(200)).body.data;
  expect(await previous(image.owner)).toMatchObject({ imageId: before.id, caption: 'Last year', findings });
  expect(await previous(colleague)).toBeNull();
  await complete(image);
  expect(await previous(colleague)).toMatchObject({ imageId: image.id });
});

it('A withdrawn analysis is not offered as the analysis before; an earlier one is.', async () => {
  const { image, patient } = await setScene();
  const { owner } = image;
  const build = (caption: string, days: number) =>
    buildImage(test.gateway, {
      owner,
      patient: patient._id,
      caption,
      createAt: new Date(test.clock.now().getTime() - days * 86_400_000),
    });
  const previous = async () => (await api.as(owner).get(`/analyze/${image.id}/previous`).expect(200)).body.data;
  const [older, newer] = [await build('Two years ago', 700), await build('Last year', 300)];
  await complete(older);
  await sign(owner, newer, await complete(newer)).expect(200);
  expect(await previous()).toMatchObject({ imageId: newer.id });
  await withdraw(owner, newer).expect(200);
  expect(await previous()).toMatchObject({ imageId: older.id });
  // A draft that nobody signed is withdrawn by an administrator.
  await withdraw(await buildAdmin(test.gateway), older).expect(200);
  expect(await previous()).toBeNull();
  const ofRun = (description: string) => ({ ...findings, description });
  await complete(image, ofRun('First'));
  await sign(owner, image, await complete(image, ofRun('Second'))).expect(200);
  expect(await previous()).toMatchObject({ imageId: image.id, findings: { description: 'First' } });
  await withdraw(owner, image).expect(200);
  await complete(image, ofRun('Third'));
  expect(await previous()).toMatchObject({ imageId: image.id, findings: { description: 'First' } });
  await complete(image, ofRun('Fourth'));
  expect(await previous()).toMatchObject({ imageId: image.id, findings: { description: 'Third' } });
});

describe('the consent of the patient', () => {
  const ask = (value: 'ask' | 'off') =>
    test.gateway.models.Setting.updateOne(
      { name: 'analysis.consent' },
      { $set: { value, description: '', createAt: new Date(), updatedAt: new Date() } },
      { upsert: true },
    ).then(() => test.gateway.settings.forget());
  const answer = (as: Person, analysis: string) => api.as(as).put('/users/profile/consents', { analysis });

  it('is asked for once, needed for a run, and its refusal hides what nobody has signed', async () => {
    await ask('ask');
    const { image, patient, colleague } = await setScene();
    for (const _ of [1, 2]) expect((await get(colleague, image).expect(409)).body.error).toBe('CONSENT_NEEDED');
    const { Event, Analysis, Consent } = test.gateway.models;
    expect(await Event.countDocuments({ type: 'consent.asked', recipients: patient._id })).toBe(1);
    expect(await Analysis.exists({ _id: image._id })).toBeNull();
    expect((await api.as(patient).get('/users/profile/consents').expect(200)).body.data).toEqual({ analysis: 'unset' });
    await answer(patient, 'granted').expect(200);
    await get(colleague, image).expect(202);
    const version = await complete(image);
    await answer(patient, 'refused').expect(200);
    expect((await get(colleague, image).expect(409)).body.error).toBe('CONSENT_NEEDED');
    expect((await sign(colleague, image, version).expect(409)).body.error).toBe('CONSENT_NEEDED');
    expect((await versions(colleague, image).expect(200)).body.data[0]).not.toHaveProperty('findings');
    await answer(patient, 'granted').expect(200);
    await sign(colleague, image, version).expect(200);
    await answer(patient, 'refused').expect(200);
    await get(colleague, image).expect(200);
    await get(patient, image).expect(200);
    await api.as(colleague).post(`/analyze/${image.id}`, {}).expect(409);
    const { body } = await withdraw(colleague, image).expect(200);
    expect(body.data).toMatchObject({
      review: { state: 'withdrawn', comment: 'The wrong hand' },
      ...{ description: '', differentialDiagnosis: [], treatment: [], followUp: [], warnings: [], confidence: null },
    });
    expect(body.data).not.toHaveProperty('said');
    const kept = await Consent.find({ user: patient._id }).sort({ at: 1, _id: 1 }).lean();
    expect(kept.map(({ analysis }) => analysis)).toEqual(['granted', 'refused', 'granted', 'refused']);
    // An image that names nobody needs no consent.
    const nameless = await buildImage(test.gateway);
    await get(nameless.owner, nameless).expect(202);
    await ask('off');
  });

  it('is not passed by a signature beside its refusal', async () => {
    await ask('ask');
    const { image, patient, colleague } = await setScene();
    await answer(patient, 'granted').expect(200);
    const version = await complete(image);
    const { db, models } = test.gateway;
    const undone = async () => (await db.db?.admin().serverStatus())?.transactions.totalAborted as number;
    let signing: Promise<{ status: number; body: { error?: string } }> | undefined;
    await db.transaction(async (session) => {
      await models.User.updateOne({ _id: patient._id }, { $set: { 'consents.analysis': 'refused' } }, { session });
      const before = await undone();
      signing = sign(colleague, image, version).then((response) => response);
      // It has read the answer before, and now meets this one.
      await eventually(async () => expect(await undone()).toBeGreaterThan(before));
    });
    const { status, body } = (await signing) ?? {};
    expect([status, body?.error]).toEqual([409, 'CONSENT_NEEDED']);
    expect(await done(image._id, 'analysis.signed')).toBe(0);
    await ask('off');
  });

  it('belongs to patients, and takes no other answer', async () => {
    await api
      .as(await buildProvider(test.gateway))
      .get('/users/profile/consents')
      .expect(403);
    await answer(await buildPatient(test.gateway), 'maybe').expect(422);
  });
});

it('Wrong input of a signature and of a withdrawal is named at its field, and changes nothing.', async () => {
  const { image } = await setScene();
  const version = await complete(image);
  const wrong = [
    { comment: 'x'.repeat(2001) },
    { edits: { description: 'x'.repeat(8001) } },
    { edits: { differentialDiagnosis: [{ condition: 'X', confidence: 1.1 }] } },
    { edits: { warnings: Array.from({ length: 51 }, () => 'x') } },
    { edits: { provider: 'me' } },
  ];
  for (const rest of wrong) await sign(image.owner, image, version, rest).expect(422);
  await sign(image.owner, image, version).expect(200);
  for (const reason of ['x', 'x'.repeat(501)]) await withdraw(image.owner, image, reason).expect(422);
  expect(await done(image._id, 'analysis.withdrawn')).toBe(0);
});
