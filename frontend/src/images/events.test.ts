import type { AnalysisAnswer } from '@lightbox/contract/analysis/schemas.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { ShareAccess } from '@lightbox/contract/sharing/calls.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { analysisEvents } from '../analysis/analysis';
import { endSession, startSession } from '../auth/session';
import { liveClient } from '../lib/live';
import { answer, hold } from '../lib/testing';
import { shareEvents } from '../sharing/sharing';
import { lists, studyKey, timelineKey } from './cache';
import { watchEnds } from './ends';
import { imageEvents, imageList, oneImage } from './images';
import { copyChangesOf } from './insight';
import { oneStudy, rereadStudy, studyEvents } from './studies';

const id = (n: number) => String(n).padStart(24, '0');
const [me, imageId, otherId, shareId] = [id(1), id(9), id(8), id(7)];
const later = '2099-01-01T00:00:00.000Z';
const image: Image = {
  id: imageId,
  caption: 'Knee',
  contentType: 'image/png',
  createAt: '2026-11-19T10:00:00.000Z',
  isVerified: false,
  isShared: true,
  image_url: null,
  shareId,
  expiresAt: later,
};
const other: Image = { ...image, id: otherId, shareId: id(6) };
const listKey = ['images', 'list', 'shared', { page: 1 }];
const share: ShareAccess = {
  id: shareId,
  imagemetadataId: imageId,
  recipient: { id: me, firstname: 'Hina', lastname: 'Farooq', role: 'patient' },
  createAt: '2026-11-19T10:00:00.000Z',
  expiresAt: later,
  isVerified: false,
  locked: true,
  download: true,
};
const event = { sharingRequestId: shareId, imagemetadataId: imageId, createdfor: me, expiresAt: later };

let cache: QueryClient;
const list = () => cache.getQueryData<{ data: Image[] }>(listKey)?.data ?? [];
const answers = (body: unknown, status = 200) => {
  const asked = vi.fn(async () => new Response(JSON.stringify(body), { status }));
  vi.stubGlobal('fetch', asked);
  return asked;
};

beforeEach(() => {
  vi.useFakeTimers();
  cache = liveClient({ defaultOptions: { queries: { retry: false } } });
  cache.setQueryData(listKey, { data: [image, other] });
  startSession({ id: me, role: { name: 'patient' } } as User, 'token');
});
afterEach(() => {
  // Work that waits would block later work with the same key.
  vi.runOnlyPendingTimers();
  cache.clear();
  endSession('logout');
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('image:updated reads only that image again, once for a burst of events.', async () => {
  const asked = answers({ data: { ...image, isVerified: true, image_url: 'data:image/webp;base64,AA' } });
  for (let n = 0; n < 20; n++) imageEvents['image:updated']?.({ imagemetadataId: imageId }, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toHaveBeenCalledOnce();
  expect(list()[0]?.image_url).toContain('data:');
  expect(list()[1]).toEqual(other);
});

it('image:updated of an image that is not shown sends no request.', async () => {
  const asked = answers({});
  imageEvents['image:updated']?.({ imagemetadataId: id(404) }, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).not.toHaveBeenCalled();
});

it('image:updated of an image that was drawn after a dialog had asked how its copy differs lets the dialog ask again.', async () => {
  const frame = { columns: 640, rows: 480 };
  const asked = answers({ data: { changes: [], burnedIn: 'no', preview: true, text: [], frame } });
  const options = { ...copyChangesOf(imageId), refetchInterval: false as const };
  cache.setQueryData(options.queryKey, { changes: [], burnedIn: 'unknown', preview: false, text: [], frame: null });
  cache.removeQueries({ queryKey: lists });
  const observer = new QueryObserver(cache, { ...options, staleTime: Number.POSITIVE_INFINITY });
  const stop = observer.subscribe(() => undefined);
  for (let n = 0; n < 2; n++) {
    imageEvents['image:updated']?.({ imagemetadataId: imageId }, cache);
    await vi.advanceTimersByTimeAsync(1000);
  }
  stop();
  expect(observer.getCurrentResult().data?.frame).toEqual(frame);
  expect(asked).toHaveBeenCalledOnce();
});

it('An image that was deleted before it is read again leaves the list.', async () => {
  answers({ message: 'Not found.', error: 'NOT_FOUND', requestId: 'x' }, 404);
  imageEvents['image:updated']?.({ imagemetadataId: imageId }, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list()).toEqual([other]);
});

it('image:deleted removes the image and all its data from the cache.', () => {
  cache.setQueryData(['analysis', imageId], { status: 'active', progress: 3 });
  imageEvents['image:deleted']?.({ imagemetadataId: imageId }, cache);
  expect(list()).toEqual([other]);
  expect(cache.getQueryData(['analysis', imageId])).toBeUndefined();
});

it('image:uploaded makes the list of uploads stale, but not the list of shared images.', async () => {
  const uploads = ['images', 'list', 'uploaded', { page: 1 }];
  cache.setQueryData(uploads, { data: [] });
  imageEvents['image:uploaded']?.({ imagemetadataId: id(5) }, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(cache.getQueryState(uploads)?.isInvalidated).toBe(true);
  expect(cache.getQueryState(listKey)?.isInvalidated).toBe(false);
});

it('share:verified in another tab shows the picture on the card in this tab.', async () => {
  answers({ data: { ...image, isVerified: true, image_url: 'data:image/webp;base64,AA' } });
  shareEvents['share:verified']?.(event, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list()[0]?.isVerified).toBe(true);
});

it('share:verified updates “who has access” of the owner.', () => {
  cache.setQueryData(['sharing', imageId], [share]);
  shareEvents['share:verified']?.(event, cache);
  expect(cache.getQueryData<ShareAccess[]>(['sharing', imageId])?.[0]).toMatchObject({
    isVerified: true,
    locked: false,
  });
});

it('share:locked updates “who has access” of the owner.', () => {
  cache.setQueryData(['sharing', imageId], [share]);
  shareEvents['share:locked']?.(event, cache);
  expect(cache.getQueryData<ShareAccess[]>(['sharing', imageId])?.[0]?.locked).toBe(true);
});

it.each(['share:revoked', 'share:expired'] as const)(
  '%s removes the picture from the recipient’s card at once.',
  (name) => {
    cache.setQueryData(listKey, { data: [{ ...image, isVerified: true, image_url: 'data:x' }, other] });
    cache.setQueryData(['images', 'content', imageId], 'bytes');
    shareEvents[name]?.(event, cache);
    expect(list()[0]).toMatchObject({ isVerified: false, image_url: null });
    expect(Date.parse(list()[0]?.expiresAt ?? '')).toBeLessThanOrEqual(Date.now());
    expect(list()[1]).toEqual(other);
    expect(cache.getQueryData(['images', 'content', imageId])).toBeUndefined();
  },
);

it('A picture and the facts about its patient disappear when the share expires, without an event of the server.', async () => {
  const end = new Date(Date.now() + 60_000).toISOString();
  const lit = { ...image, isVerified: true, image_url: 'data:x', expiresAt: end, dicom: { modality: 'CT' } };
  const patient = { id: id(3), firstname: 'Hina', lastname: 'Farooq' };
  const stop = watchEnds(cache);
  cache.setQueryData(listKey, {
    data: [
      { ...lit, patient },
      { ...other, isVerified: true, image_url: 'data:y' },
    ],
  });
  cache.setQueryData(['images', 'one', imageId], { ...lit, patient });
  cache.setQueryData(['images', 'content', imageId], 'bytes');
  await vi.advanceTimersByTimeAsync(59_900);
  expect(list()[0]?.isVerified).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  const { id: _, ...dark } = cache.getQueryData<Image>(['images', 'one', imageId]) as Image;
  expect(list()[0]).toEqual({ id: imageId, ...dark });
  expect(dark).toMatchObject({ isVerified: false, image_url: null, expiresAt: end });
  expect(Object.keys(dark)).not.toEqual(expect.arrayContaining(['patient']));
  expect(dark).not.toHaveProperty('dicom');
  expect(cache.getQueryData(['images', 'content', imageId])).toBeUndefined();
  expect(list()[1]?.isVerified).toBe(true);
  stop();
});

it('The images and studies of an emergency access disappear at its end, without an event of the server.', async () => {
  const emergency = { id: id(4), until: new Date(Date.now() + 60_000).toISOString() };
  const lit = { ...other, isVerified: true, image_url: 'data:y' };
  const stop = watchEnds(cache);
  cache.setQueryData(listKey, { data: [{ ...image, isVerified: true, image_url: 'data:x', emergency }, lit] });
  cache.setQueryData(['images', 'content', imageId], 'bytes');
  cache.setQueryData(studyKey(id(5)), { id: id(5), title: 'CT', isVerified: true, image_url: 'data:x', emergency });
  await vi.advanceTimersByTimeAsync(59_900);
  expect(list()[0]?.isVerified).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  expect(list()[0]).toMatchObject({ isVerified: false, image_url: null });
  expect(list()[1]).toEqual(lit);
  expect(cache.getQueryData(studyKey(id(5)))).toMatchObject({ isVerified: false, image_url: null });
  expect(cache.getQueryData(['images', 'content', imageId])).toBeUndefined();
  stop();
});

it('An administrator needs no share, and still sees the image when a share ends.', () => {
  startSession({ id: me, role: { name: 'admin' } } as User, 'token');
  cache.setQueryData(listKey, { data: [{ ...image, isVerified: true, image_url: 'data:x' }] });
  shareEvents['share:expired']?.(event, cache);
  expect(list()[0]).toMatchObject({ isVerified: true, image_url: 'data:x' });
  expect(list()[0]).not.toHaveProperty('shareId');
});

it('A share that was revoked during a disconnect removes the picture when the image is read again.', async () => {
  answers({ message: 'Not found.', error: 'NOT_FOUND', requestId: 'x' }, 404);
  const lit = { ...image, isVerified: true, image_url: 'data:x' };
  cache.setQueryData(listKey, { data: [lit] });
  const shown = new QueryObserver(cache, oneImage(imageId));
  const stop = shown.subscribe(() => undefined);
  cache.setQueryData(['images', 'one', imageId], lit);
  await cache.invalidateQueries({ queryKey: ['images', 'one', imageId] });
  expect(shown.getCurrentResult().data).toMatchObject({ isVerified: false, image_url: null });
  expect(list()).toEqual([]);
  stop();
});

it('image:activity reads only an open timeline again, once for a burst of events.', async () => {
  const asked = answers({ data: [], pagination: {} });
  const open = new QueryObserver(cache, { queryKey: timelineKey(imageId), queryFn: () => fetch('/timeline') });
  const stop = open.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(10);
  for (let n = 0; n < 20; n++) imageEvents['image:activity']?.({ imagemetadataId: imageId }, cache);
  imageEvents['image:activity']?.({ imagemetadataId: otherId }, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toHaveBeenCalledTimes(2);
  stop();
});

it('Stale data stays stale after an event, whether or not the event changed it.', async () => {
  cache.setQueryData(['sharing', imageId], [share]);
  await cache.invalidateQueries({ queryKey: ['sharing', imageId] });
  await cache.invalidateQueries({ queryKey: listKey });
  shareEvents['share:verified']?.({ ...event, createdfor: id(2) }, cache);
  imageEvents['image:deleted']?.({ imagemetadataId: id(404) }, cache);
  expect(cache.getQueryData<ShareAccess[]>(['sharing', imageId])?.[0]?.isVerified).toBe(true);
  for (const key of [['sharing', imageId], listKey]) expect(cache.getQueryState(key)?.isInvalidated).toBe(true);
});

it('share:revoked of another person’s share keeps the owner’s picture and shortens “who has access”.', () => {
  cache.setQueryData(['sharing', imageId], [share, { ...share, id: id(4) }]);
  shareEvents['share:revoked']?.({ ...event, createdfor: id(2) }, cache);
  expect(cache.getQueryData<ShareAccess[]>(['sharing', imageId])?.map((one) => one.id)).toEqual([id(4)]);
});

it('Analysis events update the page and the card, and a late answer does not undo them.', async () => {
  const key = ['analysis', imageId];
  const result = {
    imageId,
    description: 'Clear.',
    differentialDiagnosis: [],
    treatment: [],
    followUp: [],
    warnings: [],
    confidence: null,
    assessed: false,
    timestamp: '2026-11-19T10:00:00.000Z',
    provider: 'local',
    model: 'measure',
    review: { state: 'draft' as const },
    stale: false,
  };
  let answer: (response: AnalysisAnswer) => void = () => {};
  const late = cache
    .fetchQuery({ queryKey: key, queryFn: () => new Promise<AnalysisAnswer>((done) => (answer = done)) })
    .catch(() => {});
  analysisEvents['analysis:progress']?.({ imageId, progress: 40 }, cache);
  expect(cache.getQueryData(key)).toEqual({ status: 'active', progress: 40 });
  analysisEvents['analysis:completed']?.(result, cache);
  answer({ status: 'queued', progress: 0 });
  await late;
  expect(cache.getQueryData(key)).toMatchObject({ status: 'completed', description: 'Clear.' });
  expect(list()[0]?.analysis).toEqual({ status: 'completed' });
  analysisEvents['analysis:failed']?.({ imageId, reason: 'The model is away.' }, cache);
  expect(cache.getQueryData(key)).toEqual({ status: 'failed', reason: 'The model is away.' });
});

it('An event of an analysis that is not open does not enter the cache.', () => {
  analysisEvents['analysis:progress']?.({ imageId, progress: 40 }, cache);
  expect(cache.getQueryData(['analysis', imageId])).toBeUndefined();
});

const studyId = id(50);
const slices = Array.from({ length: 300 }, (_, n) => id(1000 + n));
const lead = slices[0] as string;
const summary = {
  id: studyId,
  title: 'CT chest',
  kind: 'dicom' as const,
  imageCount: 300,
  modalities: ['CT'],
  size: 9,
};
const row: Image = { ...image, id: lead, isVerified: true, image_url: 'data:x', study: summary, studyId };
const study: Study = {
  ...summary,
  createAt: image.createAt,
  isVerified: true,
  isShared: true,
  shareId,
  expiresAt: later,
  image_url: 'data:x',
  leadId: lead,
  patient: { id: id(3), firstname: 'Hina', lastname: 'Farooq' },
  series: [{ id: id(51), images: slices }],
};
const ofStudy = { ...event, imagemetadataId: lead, studyId };
const shown = () => cache.getQueryData<Study>(studyKey(studyId));

/** Shows the card of a study, its dialog and one more of its images. */
function showStudy() {
  cache.setQueryData(listKey, { data: [row, other] });
  cache.setQueryData(studyKey(studyId), study);
  cache.setQueryData(['images', 'one', slices[7]], { ...row, id: slices[7], study: undefined });
  cache.setQueryData(['images', 'content', slices[7]], 'bytes');
}

it.each(['share:revoked', 'share:expired'] as const)(
  '%s of a study removes everything but its outline: from the card, the dialog and each of its images.',
  (name) => {
    showStudy();
    shareEvents[name]?.(ofStudy, cache);
    expect(list()[0]).toMatchObject({ isVerified: false, image_url: null });
    expect(list()[0]?.study).toEqual({ ...summary, modalities: [], size: 0 });
    expect(shown()).toMatchObject({ title: 'CT chest', imageCount: 300, isVerified: false, image_url: null });
    for (const field of ['series', 'patient', 'leadId']) expect(shown()).not.toHaveProperty(field);
    expect(cache.getQueryData<Image>(['images', 'one', slices[7]])).toMatchObject({ image_url: null });
    expect(cache.getQueryData(['images', 'content', slices[7]])).toBeUndefined();
    expect(list()[1]).toEqual(other);
  },
);

it('A study disappears when its share expires, without an event of the server.', async () => {
  showStudy();
  const stop = watchEnds(cache);
  cache.setQueryData(studyKey(studyId), { ...study, expiresAt: new Date(Date.now() + 1000).toISOString() });
  await vi.advanceTimersByTimeAsync(1100);
  expect(shown()).toMatchObject({ isVerified: false, image_url: null });
  stop();
});

it('study:deleted removes the card, and the pictures of an open dialog.', () => {
  showStudy();
  studyEvents['study:deleted']?.({ studyId }, cache);
  expect(list()).toEqual([other]);
  expect(cache.getQueryData(studyKey(studyId))).toBeUndefined();
  expect(cache.getQueryData<Image>(['images', 'one', slices[7]])).toMatchObject({ image_url: null });
  expect(cache.getQueryData(['images', 'content', slices[7]])).toBeUndefined();
});

it('The card of a study stays when the image that stands for it is deleted, without the picture.', () => {
  showStudy();
  imageEvents['image:deleted']?.({ imagemetadataId: lead, studyId }, cache);
  expect(list()[0]).toMatchObject({ id: lead, image_url: null, study: summary });
  expect(shown()).toMatchObject({ imageCount: 299, image_url: null });
  expect(shown()?.series?.[0]?.images).not.toContain(lead);
});

it('A study whose 300 images arrive in a minute is read a few times, and its images not at all.', async () => {
  const asked = answers({ data: [row] });
  const may = () => true;
  const stop = new QueryObserver(cache, imageList('uploaded', { page: 1, limit: 10 }, may)).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(1000);
  asked.mockClear();
  for (const imagemetadataId of slices) {
    imageEvents['image:uploaded']?.({ imagemetadataId, studyId }, cache);
    if (imagemetadataId !== lead) imageEvents['image:updated']?.({ imagemetadataId, studyId }, cache);
    await vi.advanceTimersByTimeAsync(200);
  }
  await vi.advanceTimersByTimeAsync(5000);
  const urls = (asked.mock.calls as unknown as [string][]).map(([url]) => url);
  expect(urls.length).toBeGreaterThan(2);
  expect(urls.length).toBeLessThan(25);
  expect(urls.every((url) => url.includes('grouped=true'))).toBe(true);
  stop();
});

it('share:verified of a study in another tab shows the picture on its card in this tab.', async () => {
  answers({ data: study });
  const dark = { ...row, isVerified: false, image_url: null, study: { ...summary, modalities: [], size: 0 } };
  cache.setQueryData(listKey, { data: [dark, other] });
  shareEvents['share:verified']?.(ofStudy, cache);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list()[0]).toMatchObject({ isVerified: true, image_url: 'data:x', caption: 'Knee', study: summary });
});

describe('answers about an image and its study that overtake each other', () => {
  const dark = { ...row, isVerified: false, image_url: null };
  const [ofImage, ofTheStudy] = [`/upload/image/${lead}`, `/studies/${studyId}`];
  const drawn = () => imageEvents['image:updated']?.({ imagemetadataId: lead, studyId }, cache);
  const answerWith = (one: Image, its: () => Study) =>
    answer({
      // Only a list says for which study an image stands.
      [`GET ${ofImage}`]: () => ({ body: { data: { ...one, study: undefined } } }),
      [`GET ${ofTheStudy}`]: () => ({ body: { data: its() } }),
    });

  it('The picture that was drawn after the code was entered stays on the card.', async () => {
    cache.setQueryData(listKey, { data: [dark, other] });
    answerWith(row, () => ({ ...study, image_url: null }));
    const release = hold(ofTheStudy);
    void rereadStudy(cache, studyId);
    drawn();
    await vi.advanceTimersByTimeAsync(1000);
    release();
    await vi.advanceTimersByTimeAsync(1000);
    expect(list()[0]).toMatchObject({ isVerified: true, image_url: 'data:x', study: summary });
  });

  it('A card that a code has opened is not closed by an answer from before the code.', async () => {
    cache.setQueryData(listKey, { data: [dark, other] });
    answerWith(dark, () => study);
    const release = hold(ofImage);
    drawn();
    await vi.advanceTimersByTimeAsync(1000);
    void rereadStudy(cache, studyId);
    await vi.advanceTimersByTimeAsync(1000);
    release();
    await vi.advanceTimersByTimeAsync(1000);
    expect(list()[0]).toMatchObject({ isVerified: true, image_url: 'data:x', study: summary });
  });

  it('An open dialog of a study gets the picture that is drawn meanwhile, also while the study is being read.', async () => {
    cache.setQueryData(listKey, { data: [row, other] });
    const states = [{ ...study, image_url: null }];
    answerWith(row, () => states.shift() ?? study);
    const release = hold(ofTheStudy);
    const stop = new QueryObserver(cache, oneStudy(studyId)).subscribe(() => undefined);
    drawn();
    release();
    await vi.advanceTimersByTimeAsync(1000);
    expect(states).toEqual([]);
    expect(shown()?.image_url).toBe('data:x');
    stop();
  });
});
