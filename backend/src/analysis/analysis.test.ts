import { type AnalysisMove, analysisMoves, analysisStates } from '@lightbox/contract/analysis/states.js';
import { limits } from '@lightbox/contract/limits.js';
import { takeCall } from '@lightbox/core/analysis/budget.js';
import { mayMove } from '@lightbox/core/analysis/moves.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import { describe, expect, it } from 'vitest';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildProvider,
  buildShare,
  type Person,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

const findings = {
  description: 'A grey rectangle.',
  differentialDiagnosis: [],
  treatment: [],
  followUp: [],
  warnings: ['No diagnostic model is configured.'],
  confidence: null,
  assessed: false,
  provider: 'local',
  model: 'measure-1',
};
/** Writes what a worker writes when it is done. */
const finish = (id: AnalysisDoc['_id'], end: Partial<AnalysisDoc>) =>
  test.gateway.models.Analysis.updateOne({ _id: id }, { $set: { ...end, finishedAt: new Date() } });
const requests = (id: AnalysisDoc['_id']) =>
  test.gateway.models.Event.countDocuments({ type: 'analysis.request', record: id, status: 'success' });

describe.each(analysisStates)('an analysis in the state %s', (status) => {
  /** An image of that state, and its analysis, which has no document before it is asked for. */
  async function buildIn(): Promise<BuiltImage> {
    const image = await buildImage(test.gateway);
    const run = { progress: 0, run: 1, requestedBy: image.owner._id, startedAt: new Date() };
    if (status !== 'none') await test.gateway.models.Analysis.create([{ _id: image._id, status, ...run }]);
    return image;
  }
  const from = (move: AnalysisMove): readonly string[] => analysisMoves[move].from;

  it('makes the moves that start from there', async () => {
    const { _id } = await buildIn();
    for (const move of Object.keys(analysisMoves) as AnalysisMove[]) {
      const found = await test.gateway.models.Analysis.exists({ _id, ...mayMove(move) });
      expect(found !== null, move).toBe(status !== 'none' && from(move).includes(status));
    }
  });

  it('a person can queue an analysis only when none is under way', async () => {
    const image = await buildIn();
    const { body } = await api.as(image.owner).post(`/analyze/${image.id}`, {}).expect(202);
    const queued = from('request').includes(status);
    expect(body.data.status).toBe(queued ? analysisMoves.request.to : status);
    expect(await requests(image._id)).toBe(queued ? 1 : 0);
  });
});

describe('an analysis', () => {
  it('the first request starts the analysis, once', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    const ask = (who: Person) => api.as(who).get(`/analyze/${share.image.id}`);
    const people = [share.image.owner, share.recipient, await buildAdmin(test.gateway)];
    const answers = await Promise.all([...people, ...people].map((who) => ask(who).expect(202)));
    for (const { body } of answers) expect(body.data).toEqual({ status: 'queued', progress: 0 });
    await api.as(share.image.owner).post(`/analyze/${share.image.id}`, {}).expect(202);
    expect(await requests(share.image._id)).toBe(1);
    const image = await test.gateway.models.Image.findById(share.image._id).lean<ImageDoc>();
    expect(image?.analysis).toBe('queued');
  });

  it('a finished analysis gives its result or the reason of its failure, and runs again on request', async () => {
    const owner = await buildProvider(test.gateway);
    const image = await buildImage(test.gateway, { owner });
    const get = () => api.as(owner).get(`/analyze/${image.id}`);
    await get().expect(202);
    await finish(image._id, { status: 'completed', findings });
    const done = await get().expect(200);
    expect(done.body.data).toMatchObject({ status: 'completed', imageId: image.id, ...findings });
    expect(done.body.data.timestamp).toMatch(/Z$/);
    await api.as(owner).post(`/analyze/${image.id}`).expect(202);
    expect((await get().expect(202)).body.data.status).toBe('queued');
    const why = { reason: 'Lightbox cannot reach the model server.', reasonCode: 'UNREACHABLE' as const };
    await finish(image._id, { status: 'failed', ...why });
    const failed = await get().expect(200);
    expect(failed.body.data).toEqual({ status: 'failed', ...why });
    expect(await requests(image._id)).toBe(2);
  });

  it('a PDF cannot be analysed', async () => {
    const owner = await buildProvider(test.gateway);
    const image = await buildImage(test.gateway, { owner, contentType: 'application/pdf' });
    expect((await api.as(owner).get(`/analyze/${image.id}`).expect(409)).body.error).toBe('NOT_ANALYSABLE');
    expect(await test.gateway.models.Analysis.exists({ _id: image._id })).toBeNull();
  });
});

describe('notifications', () => {
  it('are listed newest first, filtered, paged and marked as read', async () => {
    const person = await buildProvider(test.gateway);
    const docs: NotificationDoc[] = Array.from({ length: 5 }, (_, i) => ({
      _id: newId(),
      user: person._id,
      event: newId(),
      kind: 'share.created',
      record: newId(),
      at: new Date(Date.now() - i * 1000),
      unread: true,
    }));
    await test.gateway.models.Notification.create(docs);
    const me = api.as(person);
    const ids = docs.map((doc) => String(doc._id));
    const list = async (query: string) => {
      const { body } = await me.get(`/notifications?${query}`).expect(200);
      return { ids: body.data.map((row: { id: string }) => row.id), rows: body.data, ...body.pagination };
    };
    const first = await list('limit=2');
    expect(first).toMatchObject({ ids: ids.slice(0, 2), totalItems: 5 });
    expect(Object.keys(first.rows[0]).sort()).toEqual(['at', 'id', 'kind', 'recordId']);
    expect((await list(`limit=2&cursor=${first.nextCursor}`)).ids).toEqual(ids.slice(2, 4));
    for (let i = 0; i < 2; i++) await me.post(`/notifications/${ids[0]}/read`).expect(200);
    expect((await list('unread=true')).ids).toEqual(ids.slice(1));
    expect((await list('unread=false')).rows[0].readAt).toBeDefined();
    await me.post('/notifications/read-all').expect(200);
    expect((await list('unread=true')).ids).toEqual([]);
    await me.get('/notifications?unread=maybe').expect(422);
    await me.post(`/notifications/${newId()}/read`).expect(404);
  });

  it('name the person and the image while the viewer may know them', async () => {
    const { Notification, Share } = test.gateway.models;
    const share = await buildShare(test.gateway);
    const { image, recipient } = share;
    const notice = (user: Person, kind: NotificationDoc['kind'], rest: Partial<NotificationDoc>): NotificationDoc => ({
      _id: newId(),
      user: user._id,
      event: newId(),
      kind,
      record: image._id,
      at: new Date(),
      unread: true,
      ...rest,
    });
    const [admin, stranger, waiting] = [
      await buildAdmin(test.gateway),
      await buildProvider(test.gateway),
      await buildProvider(test.gateway, { status: 'pending' }),
    ];
    const owned = { actor: image.owner._id, share: share._id };
    await Notification.create([
      notice(recipient, 'share.created', owned),
      notice(image.owner, 'share.verified', { actor: recipient._id, share: share._id }),
      notice(stranger, 'share.created', owned),
      notice(admin, 'provider.registered', { record: waiting._id }),
    ]);
    const first = async (person: Person) => (await api.as(person).get('/notifications').expect(200)).body.data[0];
    const { caption } = (await test.gateway.models.Image.findById(image._id).lean<ImageDoc>()) ?? {};
    expect(await first(recipient)).toMatchObject({
      caption,
      actor: { id: image.owner.id },
      expiresAt: expect.any(String),
    });
    expect(await first(image.owner)).toMatchObject({ caption, actor: { id: recipient.id } });
    expect(await first(admin)).toMatchObject({ actor: { id: waiting.id } });
    for (const name of ['caption', 'actor', 'expiresAt']) expect(await first(stranger)).not.toHaveProperty(name);
    await Share.updateOne({ _id: share._id }, { $set: { tries: limits.codeTries } });
    expect(await first(recipient)).not.toHaveProperty('caption');
    await Share.updateOne({ _id: share._id }, { $set: { tries: 0, live: false, endedAt: new Date() } });
    for (const name of ['caption', 'actor']) expect(await first(recipient)).not.toHaveProperty(name);
  });
});

it('Of concurrent calls of a model server as many pass as the limit of the day allows, and again the next day.', async () => {
  const { models, config } = test.gateway;
  let now = new Date('2026-03-01T23:59:00Z');
  const limited = { models, config: { ...config, ai: { ...config.ai, maxCallsPerDay: 3 } }, clock: { now: () => now } };
  const passed = await Promise.all(Array.from({ length: 12 }, () => takeCall(limited)));
  expect(passed.filter(Boolean)).toHaveLength(3);
  expect(await takeCall(limited)).toBe(false);
  now = new Date('2026-03-02T00:00:00Z');
  expect(await takeCall(limited)).toBe(true);
  // Only the record of the day is kept.
  expect(await models.Counter.find({ _id: /^analyses:/ }).distinct('_id')).toEqual(['analyses:2026-03-02']);
});

it('Staff are told the host that would get a picture, without path and key; local providers name none.', async () => {
  const { config } = test.gateway;
  const provider = await buildProvider(test.gateway);
  const target = async () => (await api.as(provider).get('/analyze').expect(200)).body.data;
  expect(await target()).toEqual({ provider: 'local', model: null, sentTo: null });
  const before = config.ai;
  config.ai = {
    ...before,
    provider: 'openai',
    baseUrl: 'https://me:secret@ai.example.org:8443/v1/x',
    model: 'm',
    apiKey: 'k',
  };
  try {
    expect(await target()).toEqual({ provider: 'openai', model: 'm', sentTo: 'ai.example.org:8443' });
  } finally {
    config.ai = before;
  }
});
