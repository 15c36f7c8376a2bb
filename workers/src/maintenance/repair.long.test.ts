import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { limits } from '@lightbox/contract/limits.js';
import { refreshAudience } from '@lightbox/core/access/audience.js';
import { newDataKey } from '@lightbox/core/blobs/cipher.js';
import { sealAddress } from '@lightbox/core/carers/sealed.js';
import type { Core } from '@lightbox/core/core.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { sealText } from '@lightbox/core/emergencies/sealed.js';
import { system } from '@lightbox/core/events/events.js';
import { removeImage } from '@lightbox/core/images/removeImage.js';
import { undrawable } from '@lightbox/core/imaging/drawing.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { addressHash, sealAddress as sealInvited } from '@lightbox/core/sharing/invites.js';
import { removeStudy } from '@lightbox/core/studies/removeStudy.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { analyseImage } from '../analysis/analyseImage.js';
import { localProvider } from '../analysis/providers/local.js';
import { AnalysisFailed, type AnalysisProvider } from '../analysis/providers/provider.js';
import type { JobContext } from '../jobContext.js';
import { DRAWING_VERSION, giveUpPreview, makePreview } from '../previews/makePreview.js';
import { openPictures, type Pictures } from '../previews/preview.js';
import { RenderCrashed } from '../previews/renderer.js';
import { buildImage } from '../testing/buildImage.js';
import { type RunningWorker, startWorker } from '../worker.js';
import { endLooks } from './endLooks.js';
import {
  expireCarers,
  expireEmergencies,
  expireGuestLinks,
  expireInvites,
  expireRequests,
  expireShares,
} from './expire.js';
import { removeEmptyStudies, removeUnfinishedCopies } from './leftStudies.js';
import { removeAllListed, removeOrphanBlobs } from './orphans.js';
import { REDRAWN_AT_ONCE, redrawOld } from './redrawOld.js';
import { removeUploads } from './removeUploads.js';
import { reviveAnalyses, revivePreviews } from './repair.js';

const MINUTE_MS = 60_000;

/** A worker that does analyses and previews. The tests start the search for lost jobs themselves. */
let worker: RunningWorker;
const picture = readFileSync(new URL('../../../backend/assets/demo/hand-xray.jpg', import.meta.url));

const pictures = await openPictures(null);

beforeAll(async () => {
  const config = await testConfig();
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['analysis', 'previews'] } });
  await worker.ready;
});
afterAll(() => Promise.all([worker?.stop(), pictures.close()]));

/** Builds an image whose analysis was requested so many minutes ago and whose job does not exist. */
async function buildLost(minutes: number, changes: Partial<AnalysisDoc> = {}): Promise<ObjectId> {
  const { core } = worker;
  const _id = newId();
  await buildImage(core, picture, { _id, analysis: 'queued' });
  const startedAt = new Date(core.clock.now().getTime() - minutes * MINUTE_MS);
  await core.models.Analysis.create([
    { _id, status: 'queued', progress: 0, run: 1, requestedBy: newId(), startedAt, ...changes },
  ]);
  return _id;
}

/** The worker's core, with a clock that is ahead. */
const coreAt = (aheadMs: () => number): Core =>
  Object.assign(Object.create(worker.core) as Core, {
    clock: { now: () => new Date(worker.core.clock.now().getTime() + aheadMs()) },
  });

const never = () => Promise.reject(new Error('This job is not moved.'));

/** Runs one attempt of an analysis, without a queue. */
const analyse = (
  id: ObjectId,
  { core = worker.core, provider = localProvider(), isLastAttempt = true }: Attempt = {},
): Promise<void> =>
  analyseImage(core, { provider, pictures }, String(id), {
    isLastAttempt,
    signal: new AbortController().signal,
    hasPlace: false,
    behind: never,
    later: never,
  });

interface Attempt {
  core?: Core;
  provider?: AnalysisProvider;
  isLastAttempt?: boolean;
}

const analysisOf = (id: ObjectId) => worker.core.models.Analysis.findById(id).lean<AnalysisDoc>();
const completions = (id: ObjectId) =>
  worker.core.models.Event.countDocuments({ type: 'analysis.complete', record: id });

describe('an analysis whose job was lost', () => {
  it.each(['queued', 'active'] as const)(
    'while it was %s starts again after ten minutes, and completes once',
    async (status) => {
      const id = await buildLost(11, { status });
      await Promise.all([reviveAnalyses(worker.core), reviveAnalyses(worker.core)]);
      await eventually(async () => expect(await analysisOf(id)).toMatchObject({ status: 'completed', run: 2 }));
      await reviveAnalyses(worker.core);
      expect(await analysisOf(id)).toMatchObject({ status: 'completed', run: 2 });
      expect(await completions(id)).toBe(1);
    },
  );

  it('does not start again before that, nor after it has ended', async () => {
    const young = await buildLost(9);
    const ended = [await buildLost(60, { status: 'completed' }), await buildLost(60, { status: 'failed' })];
    await reviveAnalyses(worker.core);
    expect(await analysisOf(young)).toMatchObject({ status: 'queued', run: 1 });
    for (const id of ended) expect(await analysisOf(id)).toMatchObject({ run: 1 });
  });

  it('starts again ten minutes after the last sign of its worker, and not before', async () => {
    const signMinutesAgo = async (minutes: number) => {
      const beatAt = new Date(worker.core.clock.now().getTime() - minutes * MINUTE_MS);
      return buildLost(60, { status: 'active', beatAt });
    };
    const [goesOn, silent] = [await signMinutesAgo(9), await signMinutesAgo(11)];
    await reviveAnalyses(worker.core);
    await eventually(async () => expect(await analysisOf(silent)).toMatchObject({ status: 'completed' }));
    expect(await analysisOf(goesOn)).toMatchObject({ status: 'active', run: 1 });
  });

  it('has one new job only, when its job was not lost but waits long in the queue', async () => {
    const { analysis } = worker.core.queues.all;
    await analysis.pause();
    try {
      const id = await buildLost(11);
      const jobs = async () => (await analysis.getJobs()).filter(({ data }) => data.imageId === String(id)).length;
      const later = (minutes: number) => reviveAnalyses(coreAt(() => minutes * MINUTE_MS));
      for (const minutes of [0, 11, 22]) await later(minutes);
      expect(await jobs()).toBe(1);
      await analysis.resume();
      await eventually(async () => expect(await analysisOf(id)).toMatchObject({ status: 'completed' }));
    } finally {
      await analysis.resume();
    }
  });
});

describe('an analysis by a server that is slow at each call', () => {
  it('fails after the attempts of its job, and is not taken for lost meanwhile', async () => {
    let passed = 0;
    const core = coreAt(() => passed);
    const id = await buildLost(0);
    const sent = vi.fn();
    const provider: AnalysisProvider = {
      ...localProvider(),
      analyse: async (_input, { takeCall }) => {
        for (let call = 0; call < 4; call++) {
          await takeCall();
          sent();
          passed += 4 * MINUTE_MS;
          await reviveAnalyses(core);
        }
        throw new AnalysisFailed('TIMEOUT', true);
      },
    };
    for (const isLastAttempt of [false, false, true]) {
      await expect(analyse(id, { core, provider, isLastAttempt })).rejects.toThrow();
    }
    expect(await analysisOf(id)).toMatchObject({ status: 'failed', reasonCode: 'TIMEOUT', run: 1 });
    expect(sent).toHaveBeenCalledTimes(12);
  });
});

describe('an analysis and its image', () => {
  const statusOf = async (id: ObjectId) => [
    (await analysisOf(id))?.status,
    (await worker.core.models.Image.findById(id).lean<ImageDoc>())?.analysis,
  ];

  it('agree after a worker stood still at the start of a run that another worker finished', async () => {
    const { core } = worker;
    const id = await buildLost(0, { status: 'active' });
    const { Image } = core.models;
    const write = Image.findOneAndUpdate.bind(Image);
    const standing = vi.spyOn(Image, 'findOneAndUpdate').mockImplementationOnce(((
      ...args: Parameters<typeof write>
    ) => ({
      lean: async () => {
        await analyse(id);
        return write(...args).lean();
      },
    })) as never);
    await analyse(id);
    standing.mockRestore();
    expect(await statusOf(id)).toEqual(['completed', 'completed']);
    expect(await completions(id)).toBe(1);
  });

  /** Turns the setting on that asks patients, until the end of the test, and builds a patient with this answer. */
  async function askedPatient(answer: 'granted' | 'refused'): Promise<ObjectId> {
    const { core } = worker;
    const now = core.clock.now();
    const setting = { name: 'analysis.consent' as const, value: 'ask', createAt: now, updatedAt: now };
    await core.models.Setting.create([{ _id: newId(), ...setting }]);
    core.settings.forget();
    onTestFinished(async () => {
      await core.models.Setting.deleteOne({ name: setting.name });
      core.settings.forget();
    });
    const patient = newId();
    const account = { _id: patient, email: `${patient}@hospital.test`, username: String(patient) };
    await core.models.User.create([
      {
        ...{ ...account, usernameKey: account.username, passwordHash: 'none', role: 'patient', status: 'active' },
        ...{ active: true, words: [], sortKey: '', createAt: now, consents: { analysis: answer } },
      } as never,
    ]);
    return patient;
  }

  it('go to no model once the patient has refused: neither a job that waited nor one that was lost begins', async () => {
    const { core } = worker;
    const provider = { ...localProvider(), analyse: vi.fn(localProvider().analyse) };
    const patient = await askedPatient('refused');
    const [waited, lost] = [await buildLost(0), await buildLost(11)];
    await core.models.Image.updateMany({ _id: { $in: [waited, lost] } }, { $set: { patient } });
    await expect(analyse(waited, { provider })).rejects.toThrow('NotAnalysable');
    expect(provider.analyse).not.toHaveBeenCalled();
    await reviveAnalyses(core);
    for (const id of [waited, lost]) {
      await eventually(async () => expect(await statusOf(id)).toEqual(['failed', 'failed']));
      const { reasonCode, findings } = (await analysisOf(id)) ?? {};
      expect([reasonCode, findings]).toEqual(['CONSENT_NEEDED', undefined]);
    }
  });

  /** A provider that sends the picture up to three times. `before` runs before each time. */
  function sendingProvider(before: (sent: number) => Promise<unknown>) {
    const sent = vi.fn();
    const provider: AnalysisProvider = {
      ...localProvider(),
      analyse: async (_input, { takeCall }) => {
        for (let time = 0; time < 3; time++) {
          await before(time);
          await takeCall();
          sent();
        }
        throw new AnalysisFailed('BUSY', true);
      },
    };
    return { provider, sent };
  }

  it.each([
    ['is drawn', 0],
    ['was sent once', 1],
  ])('are sent no more when the patient refuses while the picture %s', async (_name, times) => {
    const { core } = worker;
    const patient = await askedPatient('granted');
    const id = await buildLost(0);
    await core.models.Image.updateOne({ _id: id }, { $set: { patient } });
    const refused = { $set: { 'consents.analysis': 'refused' as const } };
    const { provider, sent } = sendingProvider(async (time) => {
      if (time === times) await core.models.User.updateOne({ _id: patient }, refused);
    });
    await expect(analyse(id, { provider, isLastAttempt: false })).rejects.toThrow('NotAnalysable');
    expect(sent).toHaveBeenCalledTimes(times);
    expect(await statusOf(id)).toEqual(['failed', 'failed']);
    expect(await analysisOf(id)).toMatchObject({ reasonCode: 'CONSENT_NEEDED' });
  });

  it('are sent no more when the image gets a patient who has refused', async () => {
    const patient = await askedPatient('refused');
    const id = await buildLost(0);
    const { provider, sent } = sendingProvider(async (time) => {
      if (time === 1) await worker.core.models.Image.updateOne({ _id: id }, { $set: { patient } });
    });
    await expect(analyse(id, { provider })).rejects.toThrow('NotAnalysable');
    expect(sent).toHaveBeenCalledOnce();
  });

  it('are sent no more after the deletion of the image, and the job ends without a failure', async () => {
    const { core } = worker;
    for (const times of [0, 1]) {
      const id = await buildLost(0);
      const { provider, sent } = sendingProvider(async (time) => {
        if (time === times) await removeImage(core, system, id, '');
      });
      await analyse(id, { provider });
      expect(sent).toHaveBeenCalledTimes(times);
      expect(await statusOf(id)).toEqual([undefined, undefined]);
    }
  });

  it('are sent no more by a run whose place another one took', async () => {
    const id = await buildLost(0);
    const { provider, sent } = sendingProvider(async (time) => {
      if (time === 1) await worker.core.models.Analysis.updateOne({ _id: id }, { $inc: { run: 1 } });
    });
    await analyse(id, { provider });
    expect(sent).toHaveBeenCalledOnce();
    expect(await analysisOf(id)).toMatchObject({ status: 'active', run: 2 });
  });

  it('are deleted together, and an analysis without an image is removed and not started again', async () => {
    const { core } = worker;
    const [lost, waiting] = [await buildLost(11), await buildLost(0)];
    await core.models.Image.deleteMany({ _id: { $in: [lost, waiting] } });
    await reviveAnalyses(core);
    await analyse(waiting);
    expect(await core.models.Analysis.countDocuments({ _id: { $in: [lost, waiting] } })).toBe(0);
    const jobs = await core.queues.all.analysis.getJobs();
    expect(jobs.filter(({ data }) => data.imageId === String(lost))).toEqual([]);
  });
});

describe('blobs without an image', () => {
  const HOUR_MS = 3_600_000;
  const daysAgo = (days: number) => newId(new Date(worker.core.clock.now().getTime() - days * 24 * HOUR_MS));
  const chunks = () => worker.core.db.collection('blobs.chunks');
  const chunksOf = (blob: ObjectId) => chunks().countDocuments({ files_id: blob });
  const later = (): Core => coreAt(() => HOUR_MS / 2);
  const write = (blob: ObjectId) =>
    chunks().insertMany([0, 1].map((n) => ({ files_id: blob, n, data: randomBytes(20) })));

  /** A voice message, whose recording has this blob. */
  const buildVoice = (blob: ObjectId) => {
    const [_id, message, sender, recipient] = [newId(), newId(), newId(), newId()];
    const { wrapped } = newDataKey(worker.core.keys.images, String(_id));
    const voice = {
      _id,
      message,
      sender,
      recipient,
      contentType: 'audio/webm',
      size: 8,
      blob,
      dataKey: wrapped,
    } as const;
    return worker.core.models.Voice.create([voice]);
  };

  it('are removed after the image, whatever its age, even if the job of the deletion was lost', async () => {
    const { core } = worker;
    const [id, blob] = [newId(), daysAgo(40)];
    await buildImage(core, picture, { _id: id, blob });
    await write(blob);
    await removeOrphanBlobs(core);
    expect(await chunksOf(blob)).toBe(2);
    await removeImage(core, system, id, '');
    await core.queues.all.maintenance.obliterate({ force: true });
    expect(await core.models.Tombstone.exists({ _id: blob })).not.toBeNull();
    await removeOrphanBlobs(later());
    expect(await chunksOf(blob)).toBe(0);
    expect(await core.models.Tombstone.countDocuments()).toBe(0);
  });

  it('are found at any age and with any chunk missing, but not during their first hour', async () => {
    const [old, cut, young, spoken] = [daysAgo(40), daysAgo(30), daysAgo(0), daysAgo(20)];
    await removeOrphanBlobs(worker.core);
    await buildVoice(spoken);
    // An older version may have left blobs of any age, also in the range that was already searched.
    for (const blob of [old, cut, young, spoken]) await write(blob);
    await chunks().deleteOne({ files_id: cut, n: 0 });
    await removeOrphanBlobs(worker.core);
    await removeOrphanBlobs(coreAt(() => 2 * MINUTE_MS));
    expect(await Promise.all([old, cut, young, spoken].map(chunksOf))).toEqual([0, 0, 2, 2]);
  });
});

describe('a study', () => {
  const DAY_MS = 24 * 3_600_000;

  async function buildStudy(images: number, daysOld: number): Promise<StudyDoc> {
    const { core } = worker;
    const [_id, owner, createAt] = [newId(), newId(), new Date(core.clock.now().getTime() - daysOld * DAY_MS)];
    const made = [];
    for (let i = 0; i < images; i++) made.push(await buildImage(core, picture, { owner, study: _id, isLead: i === 0 }));
    const study: StudyDoc = {
      _id,
      owner,
      kind: 'pictures',
      title: 'Left hand',
      modalities: [],
      createAt,
      images,
      bytes: images * picture.length,
      ...(made[0] ? { lead: made[0]._id } : {}),
    };
    await core.models.Study.create([study]);
    return study;
  }

  it('that is shared for a time leaves the lists at the end of the share, with one event for all its images', async () => {
    const { core } = worker;
    const { _id, lead = _id } = await buildStudy(2, 0);
    const recipient = newId();
    const now = core.clock.now();
    const share: ShareDoc = {
      _id: newId(),
      image: lead,
      study: _id,
      sharedBy: newId(),
      recipient,
      createAt: now,
      expiresAt: new Date(now.getTime() + 60_000),
      codeExpiresAt: now,
      ...newCodeSeed(core.keys.codes),
      tries: 0,
      live: true,
    };
    await core.models.Share.create([share]);
    await core.db.transaction((session) => refreshAudience(core.models, share, now, session));
    const seen = (field: 'audience' | 'shownTo') => core.models.Image.countDocuments({ [field]: recipient });
    expect([await seen('audience'), await seen('shownTo')]).toEqual([2, 1]);
    await core.models.Share.updateOne({ _id: share._id }, { $set: { expiresAt: now } });
    // Two workers at once.
    await Promise.all([expireShares(core), expireShares(core)]);
    expect([await seen('audience'), await seen('shownTo')]).toEqual([0, 0]);
    const ended = await core.models.Event.find({ type: 'share.expire', record: _id }).lean<EventDoc[]>();
    expect(ended).toMatchObject([{ refs: { share: share._id, lead } }]);
  });

  it('an emergency access whose hour is over is ended once, and one that lasts is not', async () => {
    const { core } = worker;
    const now = core.clock.now();
    const build = (until: Date): EmergencyDoc => {
      const _id = newId();
      const reason = sealText(core.keys, _id, 'reason', 'Unconscious after a fall');
      const people = { provider: newId(), patient: newId() };
      return { _id, ...people, reason, from: now, until, live: true, state: 'open', waits: true };
    };
    const [over, lasting] = [build(now), build(new Date(now.getTime() + 60_000))];
    await core.models.Emergency.create([over, lasting]);
    await Promise.all([expireEmergencies(core), expireEmergencies(core)]);
    const ended = await core.models.Event.find({ type: 'emergency.ended' }).lean<EventDoc[]>();
    expect(ended).toMatchObject([{ record: over._id, reason: 'expired', recipients: [over.provider, over.patient] }]);
    expect(await core.models.Emergency.findById(lasting._id).lean()).toMatchObject({ live: true });
  });

  it('an invitation whose end has come is ended once, and one that still waits is not', async () => {
    const { core } = worker;
    const now = core.clock.now();
    const build = (expiresAt: Date): InviteDoc => {
      const _id = newId();
      const [email, by] = [`${_id}@hospital.test`, newId()];
      const address = sealInvited(core.keys, _id, email);
      const object = { batch: newId(), image: newId(), by, hours: 24, createAt: now, expiresAt };
      return { _id, address, addressHash: addressHash(core.keys, email), ...object, ...newCodeSeed(core.keys.codes) };
    };
    const [over, waiting] = [build(now), build(new Date(now.getTime() + 60_000))];
    await core.models.Invite.create([over, waiting]);
    await Promise.all([expireInvites(core), expireInvites(core)]);
    const ended = await core.models.Event.find({ type: 'invite.ended' }).lean<EventDoc[]>();
    expect(ended).toMatchObject([{ refs: { invite: over._id }, reason: 'expired', recipients: [over.by] }]);
    expect(await core.models.Invite.distinct('_id')).toEqual([waiting._id]);
  });

  it('the naming of a carer that nobody answered in time is ended once, and one that still waits is not', async () => {
    const { core } = worker;
    const now = core.clock.now();
    const build = (expiresAt: Date): CarerDoc => {
      const _id = newId();
      const address = sealAddress(core.keys, _id, 'sister@example.org');
      return { _id, patient: newId(), address, state: 'waiting', live: true, createAt: now, expiresAt };
    };
    const [over, waiting] = [build(now), build(new Date(now.getTime() + 60_000))];
    await core.models.Carer.create([over, waiting]);
    for (let i = 0; i < 2; i++) await expireCarers(core);
    const ended = await core.models.Event.find({ type: 'carer.ended' }).lean<EventDoc[]>();
    expect(ended.map(({ record }) => record)).toEqual([over._id]);
    const kept = await core.models.Carer.findById(over._id).lean<CarerDoc>();
    expect(kept).toMatchObject({ live: false, state: 'ended', ending: 'expired' });
    expect(kept).not.toHaveProperty('address');
    expect(await core.models.Carer.findById(waiting._id).lean()).toMatchObject({ live: true, state: 'waiting' });
  });

  it('gets one entry about the end of its guest link that has expired, and the link is no longer live', async () => {
    const { core } = worker;
    const { _id, lead = _id } = await buildStudy(1, 0);
    const now = core.clock.now();
    const link: GuestLinkDoc = {
      ...{ _id: newId(), image: lead, study: _id, madeBy: newId(), createAt: now, expiresAt: now },
      ...{ maxOpens: 1, opensLeft: 1, tries: 0, download: false, mailed: false, live: true },
      ...newCodeSeed(core.keys.codes),
    };
    await core.models.GuestLink.create([link]);
    for (let i = 0; i < 2; i++) await expireGuestLinks(core);
    const ended = await core.models.Event.find({ type: 'guest.expired', record: _id }).lean<EventDoc[]>();
    expect(ended).toMatchObject([{ records: [link._id], refs: { link: link._id, lead } }]);
    expect(await core.models.GuestLink.findById(link._id).lean()).toMatchObject({
      live: false,
      endedAt: expect.any(Date),
    });
  });

  it('that nobody took is removed with its request after two weeks, and a request without an answer ends', async () => {
    const { core } = worker;
    const now = core.clock.now();
    const ask = async (changes: Partial<ImageRequestDoc>): Promise<ObjectId> => {
      const request: ImageRequestDoc = {
        ...{ _id: newId(), by: newId(), kind: 'folder', state: 'waiting', createAt: now, mailed: false, files: 0 },
        ...{ bytes: 0, expiresAt: new Date(now.getTime() + DAY_MS), ...newCodeSeed(core.keys.codes), ...changes },
      };
      await core.models.ImageRequest.create([request]);
      return request._id;
    };
    const since = (days: number) => new Date(now.getTime() - days * DAY_MS);
    const old = await ask({ state: 'received', receivedAt: since(limits.heldDays) });
    const young = await ask({ state: 'received', receivedAt: since(limits.heldDays - 1) });
    const [late, waiting] = [await ask({ expiresAt: since(0) }), await ask({})];
    for (const request of [old, young]) {
      const study = await buildStudy(2, 0);
      await core.models.Study.updateOne({ _id: study._id }, { held: request });
      await core.models.Image.updateMany({ study: study._id }, { held: { request } });
    }
    const single = await buildImage(core, picture, {});
    await core.models.Image.updateOne({ _id: single._id }, { held: { request: old } });
    for (let i = 0; i < 2; i++) await expireRequests(core);
    const { ImageRequest, Image, Event } = core.models;
    const states = await Promise.all([old, young, late, waiting].map((id) => ImageRequest.findById(id).lean()));
    expect(states.map((one) => one?.state)).toEqual(['ended', 'received', 'ended', 'waiting']);
    expect(states.some((one) => one?.leftovers)).toBe(false);
    expect([
      await Image.countDocuments({ 'held.request': old }),
      await Image.countDocuments({ 'held.request': young }),
    ]).toEqual([0, 2]);
    expect(await Event.countDocuments({ type: 'request.ended', record: { $in: [old, late] } })).toBe(2);
  });

  it('that stayed empty is removed after two days, and any other stays', async () => {
    const { core } = worker;
    const [old, young, full] = [await buildStudy(0, 3), await buildStudy(0, 1), await buildStudy(1, 3)];
    await removeEmptyStudies(core);
    const left = await core.models.Study.find({ _id: { $in: [old._id, young._id, full._id] } }, { _id: 1 }).lean();
    expect(left.map(({ _id }) => String(_id)).sort()).toEqual([young._id, full._id].map(String).sort());
  });

  it('of copies that stayed unfinished is removed with its images after a day, and any other stays', async () => {
    const { core } = worker;
    const { Study, Image } = core.models;
    const [old, young, whole] = [await buildStudy(1, 2), await buildStudy(1, 0.5), await buildStudy(1, 2)];
    await Study.updateMany({ _id: { $in: [old._id, young._id] } }, { $set: { planned: 3 } });
    await removeUnfinishedCopies(core);
    const counts = [old, young, whole].map(({ _id }) =>
      Promise.all([Study.countDocuments({ _id }), Image.countDocuments({ study: _id })]),
    );
    expect(await Promise.all(counts)).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
  });

  it('that was deleted leaves no bytes: one job removes those of all its images', async () => {
    const { core } = worker;
    const { _id } = await buildStudy(2, 0);
    const blobs = (await core.models.Image.find({ study: _id }).lean<ImageDoc[]>()).map(({ blob }) => blob);
    const chunks = () => core.db.collection('blobs.chunks').countDocuments({ files_id: { $in: blobs } });
    expect(await chunks()).toBeGreaterThan(1);
    await removeStudy(core, system, _id, '');
    const [event] = await core.models.Event.find({ type: 'study.deleted', record: _id }).lean<EventDoc[]>();
    await eventually(async () => expect(await core.queues.all.maintenance.getJob(`${event?._id}-blobs`)).toBeDefined());
    await removeAllListed(core);
    expect(await chunks()).toBe(0);
  });
});

it('the bytes of a resumable upload stay until it expires, and then go with it and free its space', async () => {
  const { core } = worker;
  const { Upload, Usage } = core.models;
  const write = async (expiresAt: Date): Promise<UploadDoc> => {
    const [_id, owner, blob] = [newId(), newId(), newId(new Date(Date.now() - 20 * 3_600_000))];
    const { key, wrapped } = newDataKey(core.keys.images, String(_id));
    const upload = { _id, owner, blob, size: 9, dataKey: wrapped, metadata: Buffer.alloc(9), stored: false, expiresAt };
    await core.usage.take(owner, 9, { files: 9, bytes: 99 });
    await Upload.create([upload]);
    await core.blobs.writeChunk(blob, key, { index: 0, last: true, plain: Buffer.alloc(9) });
    return upload;
  };
  const now = core.clock.now().getTime();
  const [open, over] = [await write(new Date(now + 3_600_000)), await write(new Date(now))];
  await removeOrphanBlobs(core);
  await Promise.all([removeUploads(core), removeUploads(core)]);
  const left = async ({ _id, owner, blob }: UploadDoc) => [
    await Upload.countDocuments({ _id }),
    await core.blobs.countChunks(blob),
    (await Usage.findById(owner).lean())?.bytes,
  ];
  expect([await left(open), await left(over)]).toEqual([
    [1, 1, 9],
    [0, 0, 0],
  ]);
});

describe('a preview whose job was lost', () => {
  const uploaded = async (minutes: number): Promise<ObjectId> => {
    const id = newId(new Date(worker.core.clock.now().getTime() - minutes * 60_000));
    await buildImage(worker.core, picture, { _id: id, preview: 'pending' });
    return id;
  };

  it('is drawn after ten minutes and not before', async () => {
    const [lost, young] = [await uploaded(11), await uploaded(9)];
    await Promise.all([revivePreviews(worker.core), revivePreviews(worker.core)]);
    await eventually(async () => {
      expect((await worker.core.models.Image.findById(lost).lean<ImageDoc>())?.preview).toBe('ready');
    });
    expect(await worker.core.queues.all.previews.getJob(`${young}-preview-again`)).toBeUndefined();
  });

  it('is broadcast by the next attempt when the first one could not send the signal', async () => {
    const { core } = worker;
    const { _id: id } = await buildImage(core, picture, { preview: 'ready' });
    const wasBroadcast = async () => {
      const entries = await core.redis.xrevrange('lightbox:signals', '+', '-', 'COUNT', 100);
      return entries.some(([, fields]) => fields.some((f) => f.includes('image:updated') && f.includes(String(id))));
    };
    const drawing = { _id: id, drawing: Buffer.alloc(1), tags: Buffer.alloc(1), version: DRAWING_VERSION };
    await core.models.Drawing.create([drawing]);
    const again = () => makePreview(core, {} as Pictures, String(id), {} as JobContext);
    const send = core.signals.send.bind(core.signals);
    const sending = vi.spyOn(core.signals, 'send').mockImplementation(async (signals) => {
      if (JSON.stringify(signals).includes(String(id))) throw new Error('Connection is closed.');
      return send(signals);
    });
    await expect(again()).rejects.toThrow();
    sending.mockRestore();
    await again();
    expect(await wasBroadcast()).toBe(true);
  });
});

describe('a drawing of an older version', () => {
  const crashing = { prepare: () => Promise.reject(new RenderCrashed('the renderer ended')) } as unknown as Pictures;
  const lastAttempt = { isLastAttempt: true } as JobContext;
  const { version, ...sealed } = { drawing: Buffer.alloc(1), tags: Buffer.alloc(1), version: DRAWING_VERSION };
  const drawn = async (of: number, preview: ImageDoc['preview'] = 'ready'): Promise<ObjectId> => {
    const { _id } = await buildImage(worker.core, picture, { preview });
    await worker.core.models.Drawing.create([{ _id, ...sealed, version: of }]);
    return _id;
  };
  const jobOf = (id: ObjectId) => worker.core.queues.all.previews.getJob(`${id}-drawing-${version}`);
  const versionOf = async (id: ObjectId) => (await worker.core.models.Drawing.findById(id).lean())?.version;
  const sealedOf = async (id: ObjectId) => {
    const found = await worker.core.models.Drawing.findById(id).lean();
    return { drawing: bufferOf(found?.drawing as Buffer), tags: bufferOf(found?.tags as Buffer) };
  };

  it('is made again once, behind new files and without a word to anybody', async () => {
    const { core } = worker;
    const { models, queues } = core;
    const [old, failed] = [await drawn(version - 1), await drawn(version, 'none')];
    await queues.all.previews.pause();
    await Promise.all([redrawOld(core), redrawOld(core)]);
    expect((await jobOf(old))?.priority).toBeGreaterThan(1_001);
    await queues.all.previews.resume();
    await eventually(async () => expect(await versionOf(old)).toBe(version));
    await eventually(async () => expect(await (await jobOf(old))?.isCompleted()).toBe(true));
    expect(await models.Preview.exists({ _id: old })).not.toBeNull();
    const signals = await core.redis.xrevrange('lightbox:signals', '+', '-', 'COUNT', 100);
    expect(JSON.stringify(signals)).not.toContain(String(old));
    expect(await models.Event.countDocuments({ record: old })).toBe(0);
    await (await jobOf(old))?.remove();
    for (let i = 0; i < 2; i++) await redrawOld(core);
    expect([await jobOf(old), await jobOf(failed)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['the renderer crashes', (id: ObjectId) => makePreview(worker.core, crashing, String(id), lastAttempt)],
    ['the job is given up', (id: ObjectId) => giveUpPreview(worker.core, String(id))],
  ] as const)('stays, and is not made again, when %s', async (_what, redraw) => {
    const { models } = worker.core;
    // The file without a preview may have a report and tags.
    const [old, none] = [await drawn(version - 1), await drawn(version - 1, 'none')];
    await models.Image.updateOne({ _id: old }, { $set: { frames: 7 } });
    for (const id of [old, none]) await redraw(id);
    expect([await versionOf(old), await versionOf(none)]).toEqual([version, version]);
    expect([await sealedOf(old), await sealedOf(none)]).toEqual([sealed, sealed]);
    expect(await models.Image.findById(old).lean()).toMatchObject({ preview: 'ready', frames: 7 });
    expect(await models.Image.findById(none).lean()).toMatchObject({ preview: 'none' });
  });

  it('stays, with the preview, when the new version finds no picture in the file, unless there was none before', async () => {
    const { core } = worker;
    const { models } = core;
    const without = { prepare: async () => ({ preview: null, drawing: undrawable, tags: [] }) } as unknown as Pictures;
    const [old, none] = [await drawn(version - 1), await drawn(version - 1, 'none')];
    await models.Image.updateOne({ _id: old }, { $set: { frames: 7 } });
    await models.Preview.create([{ _id: old, sealed: Buffer.alloc(1), width: 5, height: 6 }]);
    for (const id of [old, none]) await makePreview(core, without, String(id), lastAttempt);
    expect([await versionOf(old), await versionOf(none)]).toEqual([version, version]);
    expect(await sealedOf(old)).toEqual(sealed);
    expect(await models.Image.findById(old).lean()).toMatchObject({ preview: 'ready', frames: 7 });
    expect(await models.Preview.findById(old).lean()).toMatchObject({ width: 5, height: 6 });
    expect((await sealedOf(none)).drawing.length).toBeGreaterThan(sealed.drawing.length);
  });

  it('does not take the place of one of a newer version', async () => {
    const newer = await drawn(version + 1);
    await makePreview(worker.core, crashing, String(newer), lastAttempt);
    await giveUpPreview(worker.core, String(newer));
    expect(await versionOf(newer)).toBe(version + 1);
  });

  it('waits while many files wait, and the search goes on behind those whose job is there', async () => {
    const { core } = worker;
    const all: ObjectId[] = [];
    for (let i = 0; i < REDRAWN_AT_ONCE + 1; i++) all.push(await drawn(version - 1));
    const entered = async () => (await Promise.all(all.map(jobOf))).filter(Boolean).length;
    await core.queues.all.previews.pause();
    await redrawOld(core);
    await redrawOld(core);
    expect(await entered()).toBe(REDRAWN_AT_ONCE);
    await (await jobOf(all[0] as ObjectId))?.remove();
    await redrawOld(core);
    expect(await entered()).toBe(REDRAWN_AT_ONCE);
    expect(await jobOf(all.at(-1) as ObjectId)).toBeDefined();
    await core.queues.all.previews.resume();
    // From the beginning again.
    await eventually(async () => {
      await redrawOld(core);
      expect(await Promise.all(all.map(versionOf))).toEqual(all.map(() => version));
    });
  });
});

describe('a look', () => {
  const look = (reads: number, minutes: number): LookDoc => ({
    _id: randomBytes(8).toString('hex'),
    user: newId(),
    record: newId(),
    owner: newId(),
    type: 'image.view',
    reads,
    until: new Date(Date.now() + minutes * 60_000),
  });

  it('that is over is forgotten, with one entry that has its count, if anything was read', async () => {
    const { core } = worker;
    const token = newId();
    const [over, empty, going] = [{ ...look(7, -1), token }, look(0, -1), look(3, 30)];
    await core.models.Look.create([over, empty, going]);
    await Promise.all([endLooks(core), endLooks(core)]);
    const records = [over, empty, going].map(({ record }) => record);
    const events = await core.models.Event.find({ record: { $in: records } }).lean();
    expect(events).toMatchObject([
      { type: 'image.viewEnd', record: over.record, actor: over.user, token, owners: [over.owner], reason: '7' },
    ]);
    const left = await core.models.Look.find({ record: { $in: records } }).lean();
    expect(left.map(({ _id }) => _id)).toEqual([going._id]);
  });
});
