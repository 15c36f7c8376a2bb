import type { AnalysisAnswer } from '@lightbox/contract/analysis/schemas.js';
import type { ServerEvent, ServerPayload } from '@lightbox/contract/events.js';
import { serverEvents } from '@lightbox/contract/events.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Notification } from '@lightbox/contract/notifications/calls.js';
import type { ShareAccess } from '@lightbox/contract/sharing/calls.js';
import {
  InfiniteQueryObserver,
  type InfiniteQueryObserverOptions,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { analysisOf } from '../analysis/analysis';
import { versionsOf } from '../analysis/review';
import { socketEvents } from '../app/socketEvents';
import { endSession } from '../auth/session';
import { carerImages, carerList } from '../carers/carers';
import { emergencyImages, patientEmergency } from '../emergencies/emergencies';
import { imageList, imagesOfPatient, type ListQuery, oneImage, ownImages } from '../images/images';
import { invitationsOf, sharesOf, timelineOf } from '../images/insight';
import { oneStudy } from '../images/studies';
import { chatList, chatWith } from '../messages/messages';
import { take } from '../messages/take';
import { ana, ben, id, listOf, message, signIn } from '../messages/testing';
import { notices, unreadNotices } from '../notifications/notifications';
import { overview } from '../overview/overview';
import { noticeSettings } from '../profile/noticeSettings';
import { requestList } from '../requests/requests';
import { settingList } from '../settings/settings';
import { guestLinksOf } from '../sharing/guests';
import { pendingProviders, userList } from '../users/users';
import { frameFacts, isRefusal } from '../viewer/frames';
import { layersOf } from '../viewer/layers/layers';
import { lastActive } from './activity';
import { change, reread } from './live';
import { publicSettings } from './publicSettings';
import { queryClient } from './query';
import { Recent } from './recent';
import { connectSocket, emit } from './socket';

const imageId = id('9');
const shareId = id('7');
const at = '2026-01-01T12:00:00.000Z';
const image: Image = {
  id: imageId,
  caption: 'Knee',
  contentType: 'image/png',
  createAt: at,
  isVerified: true,
  isShared: true,
  image_url: 'data:image/webp;base64,AA',
  shareId,
  expiresAt: '2099-01-01T00:00:00.000Z',
};
const share: ShareAccess = {
  id: shareId,
  imagemetadataId: imageId,
  recipient: { id: ben, firstname: 'Ben', lastname: 'Ruiz', role: 'patient' },
  createAt: at,
  expiresAt: null,
  isVerified: false,
  locked: false,
  download: true,
};
const event = { sharingRequestId: shareId, imagemetadataId: imageId, createdfor: ben, expiresAt: null };
const notice: Notification = { id: id('e1'), kind: 'share.created', recordId: imageId, at };
const result = {
  imageId,
  description: 'Clear.',
  differentialDiagnosis: [],
  treatment: [],
  followUp: [],
  warnings: [],
  confidence: null,
  assessed: false,
  timestamp: at,
  provider: 'local',
  model: 'measure',
  review: { state: 'draft' as const },
  stale: false,
};
const query: ListQuery = { page: 1, limit: 10 };
const admin = () => true;

type Tell = <E extends ServerEvent>(name: E, payload: ServerPayload<E>) => void;
interface Case {
  options: unknown;
  infinite?: boolean;
  /** The server's answer before the event, and after it. */
  before: unknown;
  after: unknown;
  tell: (tell: Tell) => void;
  /** Returns the part of the data that the screen uses. */
  shows?: (data: never) => unknown;
}

const [one, two] = [message(1, ben, ana), message(2, ben, ana)];
const mine = message(2, ana, ben, { clientId: 'mine' });
const provider = 'provider.registered';
const carer = { patient: { id: ana } };
const cases: Record<string, Case> = {
  'message:new in a chat': {
    options: chatWith(ben),
    before: [one],
    after: [one, two],
    tell: (tell) => tell('message:new', two),
    shows: ({ messages }: { messages: unknown }) => messages,
  },
  'message:read in a chat': {
    options: chatWith(ben),
    before: [mine],
    after: [{ ...mine, readAt: at }],
    tell: (tell) => tell('message:read', { userId: ben, upTo: mine.id, at }),
    shows: ({ messages }: { messages: unknown }) => messages,
  },
  'message:delivered in a chat': {
    options: chatWith(ben),
    before: [mine],
    after: [{ ...mine, deliveredAt: at }],
    tell: (tell) => tell('message:delivered', { userId: ben, ids: [mine.id], at }),
    shows: ({ messages }: { messages: unknown }) => messages,
  },
  'message:new in the list of chats': {
    options: chatList,
    before: listOf([one], ana),
    after: listOf([one, message(3, ben, ana, { id: id('d03') })], ana),
    tell: (tell) => tell('message:new', message(3, ben, ana, { id: id('d03') })),
  },
  'message:new of a new person in the list of chats': {
    options: chatList,
    before: [],
    after: listOf([message(4, ben, ana, { id: id('d04') })], ana),
    tell: (tell) => tell('message:new', message(4, ben, ana, { id: id('d04') })),
  },
  'message:read by me elsewhere, in the list of chats': {
    options: chatList,
    before: listOf([one], ana),
    after: listOf([{ ...one, readAt: at }], ana),
    tell: (tell) => tell('message:read', { userId: ana, upTo: one.id, at }),
  },
  'presence in the list of chats': {
    options: chatList,
    before: listOf([one], ana),
    after: listOf([one], ana, new Set([ben])),
    tell: (tell) => tell('presence', { userId: ben, online: true }),
  },
  'notification:new in the bell': {
    options: notices,
    infinite: true,
    before: [],
    after: [notice],
    tell: (tell) => tell('notification:new', notice),
    shows: ({ pages }: { pages: { data: unknown[] }[] }) => pages.flatMap(({ data }) => data),
  },
  'notification:new in the count of the bell': {
    options: unreadNotices,
    before: { pagination: { totalItems: 3 } },
    after: { pagination: { totalItems: 4 } },
    tell: (tell) => tell('notification:new', { ...notice, id: id('e2') }),
    shows: (count: number) => ({ pagination: { totalItems: count } }),
  },
  'notification:settled in the bell': {
    options: notices,
    infinite: true,
    before: [notice],
    after: [{ ...notice, readAt: at }],
    tell: (tell) => tell('notification:settled', {}),
    shows: ({ pages }: { pages: { data: unknown[] }[] }) => pages.flatMap(({ data }) => data),
  },
  'notification:chosen in another tab': {
    options: noticeSettings,
    before: { digest: 'off' },
    after: { digest: 'daily' },
    tell: (tell) => tell('notification:chosen', {}),
  },
  'image:uploaded in a list': {
    options: imageList('uploaded', query, admin),
    before: [],
    after: [image],
    tell: (tell) => tell('image:uploaded', { imagemetadataId: imageId }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'image:uploaded in the list of its patient': {
    options: imagesOfPatient(id('f5'), query),
    before: [],
    after: [image],
    tell: (tell) => tell('image:uploaded', { imagemetadataId: imageId }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'image:uploaded among the images that a message may have': {
    options: ownImages(query),
    before: [],
    after: [image],
    tell: (tell) => tell('image:uploaded', { imagemetadataId: imageId }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'image:updated in a list': {
    options: imageList('uploaded', query, admin),
    before: [{ ...image, image_url: null }],
    after: [image],
    tell: (tell) => tell('image:updated', { imagemetadataId: imageId }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'image:deleted in a list': {
    options: imageList('shared', query, admin),
    before: [image],
    after: [],
    tell: (tell) => tell('image:deleted', { imagemetadataId: imageId }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'image:deleted of the open image': {
    options: oneImage(imageId),
    before: image,
    after: null,
    tell: (tell) => tell('image:deleted', { imagemetadataId: imageId }),
    shows: ({ image_url }: Image) => image_url,
  },
  'study:updated in a list': {
    options: imageList('uploaded', query, admin),
    before: [{ ...image, study: { title: 'CT' } }],
    after: [{ ...image, study: { title: 'CT chest' } }],
    tell: (tell) => tell('study:updated', { studyId: id('b1') }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'study:complete in a list': {
    options: imageList('uploaded', query, admin),
    before: [{ ...image, study: { title: 'CT', imageCount: 2 } }],
    after: [{ ...image, study: { title: 'CT', imageCount: 40 } }],
    tell: (tell) => tell('study:complete', { studyId: id('b1') }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'study:deleted in a list': {
    options: imageList('shared', query, admin),
    before: [{ ...image, study: { id: id('b1') } }],
    after: [],
    tell: (tell) => tell('study:deleted', { studyId: id('b1') }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'share:revoked in a list of the recipient': {
    options: imageList('shared', query, admin),
    before: [{ ...image, shareId: id('a7') }],
    after: [],
    tell: (tell) => tell('share:revoked', { ...event, sharingRequestId: id('a7'), createdfor: ana }),
    shows: ({ data }: { data: Image[] }) => data.filter(({ image_url }) => image_url),
  },
  ...Object.fromEntries(
    (
      [
        'request:created',
        'request:received',
        'request:taken',
        'request:declined',
        'request:revoked',
        'request:ended',
      ] as const
    ).map((name) => [
      `${name} in the list of requests`,
      {
        options: requestList(1),
        before: [],
        after: [{ id: id('f2') }],
        tell: (tell: Tell) => tell(name, { requestId: id('f2') }),
        shows: ({ data }: { data: unknown }) => data,
      },
    ]),
  ),
  ...Object.fromEntries(
    (['guest:created', 'guest:opened', 'guest:locked', 'guest:revoked', 'guest:expired'] as const).map((name) => [
      `${name} in the list of guest links`,
      {
        options: guestLinksOf(imageId),
        before: [],
        after: [{ id: id('f1') }],
        tell: (tell: Tell) => tell(name, { guestLinkId: id('f1'), imagemetadataId: imageId }),
      },
    ]),
  ),
  ...Object.fromEntries(
    (['opened', 'ended', 'approved', 'questioned', 'answered'] as const).map((what) => [
      `emergency:${what} in the offer of an emergency access`,
      {
        options: patientEmergency(ana),
        before: { offered: true, emergency: null },
        after: { offered: true, emergency: { id: id('f2') } },
        tell: (tell: Tell) => tell(`emergency:${what}`, { emergencyId: id('f2'), patientId: ana }),
      },
    ]),
  ),
  'emergency:ended among the images of an emergency access': {
    options: emergencyImages(ana, {}),
    before: [{ ...image, emergency: { id: id('f2'), until: '2099-01-01T00:00:00.000Z' } }],
    after: [],
    tell: (tell) => tell('emergency:ended', { emergencyId: id('f2'), patientId: ana }),
    shows: ({ data }: { data: Image[] }) => data.filter(({ image_url }) => image_url),
  },
  ...Object.fromEntries(
    (['carer:named', 'carer:accepted'] as const).map((name) => [
      `${name} among the carers`,
      {
        options: carerList,
        before: { on: true, mine: [], others: [] },
        after: { on: true, mine: [{ id: id('f3'), state: 'waiting' }], others: [] },
        tell: (tell: Tell) => tell(name, { patientId: ana }),
      },
    ]),
  ),
  'carer:changed of an image': {
    options: oneImage(imageId),
    before: { ...image, carer },
    after: { ...image, carer, isVerified: false, image_url: null },
    tell: (tell) => tell('carer:changed', { patientId: ana }),
  },
  'carer:changed of a study': {
    options: oneStudy(id('f6')),
    before: { id: id('f6'), carer, isVerified: true },
    after: { id: id('f6'), carer, isVerified: false },
    tell: (tell) => tell('carer:changed', { patientId: ana }),
  },
  'carer:changed among the images of a patient': {
    options: carerImages(id('f3'), query),
    before: [],
    after: [image],
    tell: (tell) => tell('carer:changed', { patientId: ana }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'carer:ended among the images of a patient': {
    options: carerImages(id('f3'), query),
    before: [{ ...image, carer: { id: id('f3'), patient: { id: ana, firstname: 'Ana', lastname: 'Khan' } } }],
    after: [],
    tell: (tell) => tell('carer:ended', { patientId: ana }),
    shows: ({ data }: { data: Image[] }) => data.filter(({ image_url }) => image_url),
  },
  'share:created among the shared': {
    options: imageList('shared', query, admin),
    before: [],
    after: [image],
    tell: (tell) => tell('share:created', { ...event, createdfor: ana }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'share:created in the list of a patient': {
    options: imagesOfPatient(id('f5'), query),
    before: [],
    after: [image],
    tell: (tell) => tell('share:created', { ...event, createdfor: ana }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'share:verified of a card in a chat': {
    options: chatWith(ben),
    before: [{ ...one, attachments: [{ imageId, access: 'locked', shareId }] }],
    after: [{ ...one, attachments: [{ imageId, access: 'open', shareId }] }],
    tell: (tell) => tell('share:verified', { ...event, createdfor: ana }),
    shows: ({ messages }: { messages: unknown }) => messages,
  },
  'share:verified of a pinned place in a chat': {
    options: chatWith(ben),
    before: [{ ...one, view: { imageId, locked: true } }],
    after: [{ ...one, view: { imageId, x: 1, y: 1, frame: 1 } }],
    tell: (tell) => tell('share:verified', { ...event, createdfor: ana }),
    shows: ({ messages }: { messages: unknown }) => messages,
  },
  'share:created in “who has access”': {
    options: sharesOf(imageId),
    before: [],
    after: [share],
    tell: (tell) => tell('share:created', event),
  },
  'share:verified in “who has access”': {
    options: sharesOf(imageId),
    before: [share],
    after: [{ ...share, isVerified: true }],
    tell: (tell) => tell('share:verified', event),
  },
  'share:locked in “who has access”': {
    options: sharesOf(imageId),
    before: [share],
    after: [{ ...share, locked: true }],
    tell: (tell) => tell('share:locked', event),
  },
  'share:resent in “who has access”': {
    options: sharesOf(imageId),
    before: [{ ...share, locked: true }],
    after: [share],
    tell: (tell) => tell('share:resent', event),
  },
  'share:verified on the card of the owner': {
    options: imageList('uploaded', query, admin),
    before: [{ ...image, recipients: { total: 2, opened: 0, locked: 0, pending: 2 } }],
    after: [{ ...image, recipients: { total: 2, opened: 1, locked: 0, pending: 1 } }],
    tell: (tell) => tell('share:verified', event),
    shows: ({ data }: { data: unknown }) => data,
  },
  'share:locked on the card of the owner': {
    options: imageList('uploaded', query, admin),
    before: [{ ...image, recipients: { total: 2, opened: 0, locked: 0, pending: 2 } }],
    after: [{ ...image, recipients: { total: 2, opened: 0, locked: 1, pending: 1 } }],
    tell: (tell) => tell('share:locked', event),
    shows: ({ data }: { data: unknown }) => data,
  },
  'share:expired in “who has access”': {
    options: sharesOf(imageId),
    before: [share],
    after: [],
    tell: (tell) => tell('share:expired', event),
  },
  'share:changed in “who has access”': {
    options: sharesOf(imageId),
    before: [share],
    after: [{ ...share, expiresAt: null, download: false }],
    tell: (tell) => tell('share:changed', { ...event, expiresAt: null, download: false }),
  },
  'invite:created among the invited': {
    options: invitationsOf(imageId),
    before: [],
    after: [{ id: id('a8') }],
    tell: (tell) => tell('invite:created', { invitationId: id('a8') }),
  },
  'invite:accepted among the invited': {
    options: invitationsOf(imageId),
    before: [{ id: id('a8') }],
    after: [],
    tell: (tell) => tell('invite:accepted', { invitationId: id('a8') }),
  },
  'invite:ended among the invited': {
    options: invitationsOf(imageId),
    before: [{ id: id('a8') }],
    after: [],
    tell: (tell) => tell('invite:ended', { invitationId: id('a8') }),
  },
  'image:activity in the timeline': {
    options: timelineOf(imageId),
    infinite: true,
    before: [],
    after: [{ id: id('f1') }],
    tell: (tell) => tell('image:activity', { imagemetadataId: imageId }),
    shows: ({ pages }: { pages: { data: unknown[] }[] }) => pages.flatMap(({ data }) => data),
  },
  'annotations:changed': {
    options: layersOf({ imageId }),
    before: { layers: [], mayAnnotate: true },
    after: {
      layers: [{ id: id('f2'), imageId, shared: true, version: 1, updateAt: at, marks: [] }],
      mayAnnotate: true,
    },
    tell: (tell) => tell('annotations:changed', { imageId }),
  },
  'analysis:progress': {
    options: analysisOf(imageId),
    before: { status: 'queued', progress: 0 },
    after: { status: 'active', progress: 40 },
    tell: (tell) => tell('analysis:progress', { imageId, progress: 40 }),
  },
  'analysis:completed': {
    options: analysisOf(imageId),
    before: { status: 'active', progress: 90 },
    after: { status: 'completed', ...result },
    tell: (tell) => tell('analysis:completed', result),
  },
  'analysis:failed': {
    options: analysisOf(imageId),
    before: { status: 'active', progress: 90 },
    after: { status: 'failed', reason: 'The model is away.' } as AnalysisAnswer,
    tell: (tell) => tell('analysis:failed', { imageId, reason: 'The model is away.' }),
  },
  'analysis:signed': {
    options: analysisOf(imageId),
    before: { status: 'completed', ...result },
    after: { status: 'completed', ...result, review: { state: 'signed' }, version: 2 },
    tell: (tell) => tell('analysis:signed', { imageId }),
  },
  'analysis:signed in the history': {
    options: versionsOf(imageId),
    before: [{ version: 1 }],
    after: [{ version: 2 }, { version: 1 }],
    tell: (tell) => tell('analysis:signed', { imageId }),
  },
  'analysis:withdrawn': {
    options: analysisOf(imageId),
    before: { status: 'completed', ...result, review: { state: 'signed' }, version: 2 },
    after: { status: 'completed', ...result, review: { state: 'withdrawn' }, version: 2 },
    tell: (tell) => tell('analysis:withdrawn', { imageId }),
  },
  'settings:changed': {
    options: publicSettings,
    before: { 'sharing.expiryHours': 24 },
    after: { 'sharing.expiryHours': 48 },
    tell: (tell) => tell('settings:changed', {}),
  },
  'settings:changed on the page of settings': {
    options: settingList,
    before: [],
    after: [{ id: id('c1') }],
    tell: (tell) => tell('settings:changed', {}),
    shows: ({ data }: { data: unknown }) => data,
  },
  'notification:new of a provider who waits': {
    options: pendingProviders(),
    before: [],
    after: [{ id: ben }],
    tell: (tell) => tell('notification:new', { ...notice, id: id('e3'), kind: provider }),
    shows: ({ data }: { data: unknown }) => data,
  },
  'image:uploaded in the overview': {
    options: overview,
    before: { images: 1 },
    after: { images: 2 },
    tell: (tell) => tell('image:uploaded', { imagemetadataId: imageId }),
    shows: ({ data }: { data: unknown }) => data,
  },
};

/** A fake of the connection: the app's listeners by event. */
const { listeners, connection } = vi.hoisted(() => {
  const listeners = new Map<string, (payload?: unknown) => void>();
  const connection = {
    on: (name: string, told: (payload?: unknown) => void) => listeners.set(name, told),
    onAny: () => undefined,
    close: () => undefined,
    connected: true,
    timeout: () => ({ emitWithAck: async () => ({ data: null }) }),
  };
  return { listeners, connection };
});
vi.mock('socket.io-client', () => ({ io: () => connection }));

const cache = queryClient;
const tell: Tell = (name, payload) => {
  for (const rows of socketEvents) rows[name]?.(payload as never, cache);
};

/** A server that reads its data when the request arrives and answers a second later. */
function slow(state: { now: unknown }) {
  globalThis.fetch = vi.fn(async (path) => {
    if (String(path).includes('/message/since')) {
      return new Response(JSON.stringify({ data: { messages: [], cursor: 'c', more: false } }));
    }
    const one = String(path).includes(`/image/${imageId}`) && Array.isArray(state.now);
    const now = one ? (state.now as unknown[])[0] : state.now;
    await new Promise((done) => setTimeout(done, 1_000));
    if (now === null) return new Response(JSON.stringify({ message: 'Gone.', error: 'NOT_FOUND' }), { status: 404 });
    const bare = now !== null && typeof now === 'object' && 'pagination' in now;
    return new Response(JSON.stringify(bare ? { data: [], ...now } : { data: now, pagination: {} }));
  });
}

const open = ({ options, infinite }: Case) =>
  infinite
    ? new InfiniteQueryObserver(cache, options as InfiniteQueryObserverOptions).subscribe(() => undefined)
    : new QueryObserver(cache, options as QueryObserverOptions).subscribe(() => undefined);

beforeEach(() => {
  vi.useFakeTimers();
  cache.mount();
  signIn();
});
afterEach(async () => {
  cache.clear();
  endSession('logout');
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const keyOf = (one: Case) => (one.options as { queryKey: readonly unknown[] }).queryKey;
const shown = (one: Case) => {
  const data = cache.getQueryData(keyOf(one));
  return one.shows ? one.shows(data as never) : data;
};

describe('an event during a read whose answer does not contain it', () => {
  for (const [name, one] of Object.entries(cases)) {
    it.each(['the first', 'a later'])(`is applied to the data: ${name}, %s answer`, async (which) => {
      const state = { now: one.before };
      slow(state);
      const stop = open(one);
      if (which === 'a later') {
        await vi.advanceTimersByTimeAsync(1_500);
        void reread(cache, keyOf(one));
      }
      await vi.advanceTimersByTimeAsync(500);
      state.now = one.after;
      one.tell(tell);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(shown(one)).toEqual(one.after);
      stop();
    });
  }

  it('The cases cover every server event.', () => {
    const covered = new Set(Object.keys(cases).map((name) => name.split(' ')[0]));
    // These change no data: `viewer/together` hears them.
    const others = ['typing', 'session:revoked', 'view:people', 'view:state', 'view:pointer'];
    expect([...covered, ...others].sort()).toEqual(Object.keys(serverEvents).sort());
  });
});

it('A refused socket ends the session when the refusal has the code UNAUTHENTICATED, whatever its words.', async () => {
  globalThis.fetch = vi.fn(async () => new Response('{}', { status: 401 }));
  const ended = vi.fn();
  const close = connectSocket({ token: () => 'token', ended }, socketEvents);
  await vi.dynamicImportSettled();
  for (const [error, times] of [
    ['TOO_MANY_REQUESTS', 0],
    ['UNAUTHENTICATED', 1],
  ] as const) {
    listeners.get('connect_error')?.(Object.assign(new Error('In other words'), { data: { error } }));
    await vi.advanceTimersByTimeAsync(100);
    expect(ended).toHaveBeenCalledTimes(times);
  }
  close();
});

describe('data that was read before the first connect', () => {
  const hooks = { token: () => 'token', ended: () => undefined };
  for (const [name, one] of Object.entries(cases)) {
    it(`is read again at that connect: ${name}`, async () => {
      const state = { now: one.before };
      slow(state);
      const stop = open(one);
      const close = connectSocket(hooks, socketEvents);
      await vi.dynamicImportSettled();
      await vi.advanceTimersByTimeAsync(1_500);
      state.now = one.after;
      listeners.get('connect')?.();
      await vi.advanceTimersByTimeAsync(5_000);
      expect(shown(one)).toEqual(one.after);
      close();
      stop();
    });
  }
});

describe('data that cannot be read when the connection is back', () => {
  const hooks = { token: () => 'token', ended: () => undefined };
  const away = () => new Response(JSON.stringify({ message: 'Later.', error: 'UNAVAILABLE' }), { status: 503 });

  /** Opens the data, and connects again while the server answers nothing but 503. Returns how to bring the answers back. */
  async function reconnectTo(one: Case, state: { now: unknown }) {
    slow(state);
    const answers = globalThis.fetch;
    const stop = open(one);
    const close = connectSocket(hooks, socketEvents);
    await vi.dynamicImportSettled();
    listeners.get('connect')?.();
    await vi.advanceTimersByTimeAsync(5_000);
    listeners.get('disconnect')?.('transport close');
    const refusals = vi.fn(async () => away());
    globalThis.fetch = refusals;
    listeners.get('connect')?.();
    return {
      refusals,
      end: () => {
        close();
        stop();
      },
      back: (now: unknown) => {
        state.now = now;
        globalThis.fetch = answers;
      },
    };
  }

  for (const [name, one] of Object.entries(cases)) {
    it(`is read again until the server answers: ${name}`, async () => {
      const server = await reconnectTo(one, { now: one.before });
      await vi.advanceTimersByTimeAsync(60_000);
      server.back(one.after);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(shown(one)).toEqual(one.after);
      server.end();
    });
  }

  it('is not read again any more when the server has answered', async () => {
    const one = cases['message:new in a chat'] as Case;
    const server = await reconnectTo(one, { now: one.before });
    await vi.advanceTimersByTimeAsync(60_000);
    server.back(one.after);
    await vi.advanceTimersByTimeAsync(30_000);
    vi.mocked(globalThis.fetch).mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(globalThis.fetch).not.toHaveBeenCalled();
    server.end();
  });

  it('is not read again when the server has refused it', async () => {
    const one = { options: chatWith(ben) } as Case;
    const server = await reconnectTo(one, { now: [] });
    await vi.advanceTimersByTimeAsync(60_000);
    server.back(null);
    await vi.advanceTimersByTimeAsync(30_000);
    vi.mocked(globalThis.fetch).mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(globalThis.fetch).not.toHaveBeenCalled();
    server.end();
  });

  it('is not asked for without a connection, and again after the next connect', async () => {
    const one = cases['message:new in a chat'] as Case;
    const server = await reconnectTo(one, { now: one.before });
    await vi.advanceTimersByTimeAsync(30_000);
    listeners.get('disconnect')?.('transport close');
    // A read that has begun goes on.
    await vi.advanceTimersByTimeAsync(10_000);
    server.refusals.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.refusals).not.toHaveBeenCalled();
    server.back(one.after);
    listeners.get('connect')?.();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(shown(one)).toEqual(one.after);
    server.end();
  });

  it('is an error of the open picture when its access has ended meanwhile', async () => {
    const facts = new QueryObserver(cache, frameFacts(imageId));
    const stop = facts.subscribe(() => undefined);
    const server = await reconnectTo({ options: oneImage(imageId) } as Case, { now: image });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(isRefusal(facts.getCurrentResult().error)).toBe(false);
    server.back(null);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(isRefusal(facts.getCurrentResult().error)).toBe(true);
    expect(cache.getQueryData(oneImage(imageId).queryKey)).toMatchObject({ isVerified: false, image_url: null });
    server.end();
    stop();
  });
});

describe('activity of the session', () => {
  /** Answers everything. Returns the header of each read since the last look: '1' for a read that is no activity. */
  function heard(data: unknown = [], pagination: object = {}) {
    const marks: (string | null)[] = [];
    globalThis.fetch = vi.fn(async (path, init) => {
      if (String(path).includes('/message/since')) {
        return new Response(JSON.stringify({ data: { messages: [], cursor: 'c', more: false } }));
      }
      marks.push(new Headers(init?.headers).get('X-Background'));
      return new Response(JSON.stringify({ data, pagination }));
    });
    return () => marks.splice(0);
  }
  const click = (isActive: boolean) =>
    Object.defineProperty(navigator, 'userActivation', { configurable: true, value: { isActive } });
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'userActivation');
  });
  const hooks = { token: () => 'token', ended: () => undefined };

  it('is the first read for a screen, and neither a reconnect nor an event nor a poll.', async () => {
    const marks = heard();
    const stop = open({ options: userList({}) } as Case);
    const close = connectSocket(hooks, socketEvents);
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()).toEqual([null]);
    for (let connects = 0; connects < 2; connects += 1) {
      listeners.get('connect')?.();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(marks()).toEqual(['1']);
    }
    tell('notification:new', { ...notice, kind: provider });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(marks()).toEqual(['1']);
    close();
    stop();
    const end = open({ options: overview } as Case);
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()).toEqual([null]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(marks()).toEqual(['1', '1']);
    end();
  });

  it('is not a read that is refused again and again.', async () => {
    const marks = heard();
    const answers = globalThis.fetch;
    globalThis.fetch = vi.fn(async (path, init) => new Response((await answers(path, init)).body, { status: 403 }));
    const stop = open({ options: overview } as Case);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(marks()).toEqual([null, '1', '1']);
    stop();
  });

  it('is not the read of an image that another person changed, of which only a list is on the screen.', async () => {
    const marks = heard([image]);
    const stop = open({ options: imageList('shared', query, admin) } as Case);
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()).toEqual([null]);
    tell('image:updated', { imagemetadataId: imageId });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(marks()).toEqual(['1']);
    stop();
  });

  it('is a further page of a list; the pages that are read again after an event are not.', async () => {
    const marks = heard([], { hasNextPage: true, nextCursor: 'n' });
    const list = new InfiniteQueryObserver(cache, notices);
    const stop = list.subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    void list.fetchNextPage();
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()).toEqual([null, null]);
    void reread(cache, notices.queryKey);
    await vi.advanceTimersByTimeAsync(100);
    expect(marks()).toEqual(['1', '1']);
    stop();
  });

  it('is a repeated read that a click has caused.', async () => {
    const marks = heard();
    const list = new QueryObserver(cache, userList({}));
    const stop = list.subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    for (const [clicked, mark] of [
      [true, null],
      [false, '1'],
    ] as const) {
      click(clicked);
      void list.refetch();
      await vi.advanceTimersByTimeAsync(100);
      expect(marks().at(-1)).toBe(mark);
    }
    stop();
  });

  it.each([
    ['message:delivered', { ids: [one.id] }, false],
    ['message:read', { userId: ben, upTo: one.id }, false],
    ['visible', { visible: true }, false],
    ['typing', { userId: ben }, true],
    ['message:send', { recipientId: ben, content: 'Hello', clientId: 'mine' }, true],
  ] as const)('has a socket event: %s %j %s', async (name, payload, counts) => {
    const close = connectSocket(hooks, []);
    await vi.dynamicImportSettled();
    const before = Date.now();
    await vi.advanceTimersByTimeAsync(60_000);
    await emit(name, payload as never);
    expect(lastActive() > before).toBe(counts);
    close();
  });
});

it('A message of one’s own that is acknowledged during the first load of the chat is in the chat.', async () => {
  slow({ now: [one] });
  const stop = open({ options: chatWith(ben) } as Case);
  await vi.advanceTimersByTimeAsync(500);
  take(cache, mine);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(cache.getQueryData(chatWith(ben).queryKey)?.messages).toEqual([one, mine]);
  stop();
});

it('A change in the same moment in which the answer arrives is not lost.', async () => {
  let land: (value: number) => void = () => {};
  const queryKey = ['count'];
  const asked = cache.fetchQuery({ queryKey, queryFn: () => new Promise<number>((done) => (land = done)) });
  land(1);
  for (let turn = 0; cache.getQueryData(queryKey) === undefined; turn += 1) {
    change<number>(cache, queryKey, (count) => Math.max(count, 100 + turn));
    await Promise.resolve();
  }
  await asked;
  await vi.advanceTimersByTimeAsync(100);
  expect(cache.getQueryData(queryKey)).toBeGreaterThanOrEqual(100);
});

it.each(['fails', 'succeeds'])('A change that %s after the sign-out calls nothing back.', async (way) => {
  let land = () => {};
  const called = vi.fn();
  const mutation = queryClient.getMutationCache().build(queryClient, {
    mutationFn: () =>
      new Promise<void>((done, fail) => {
        land = way === 'fails' ? () => fail(new Error('Late.')) : done;
      }),
    onSuccess: called,
    onError: called,
    onSettled: called,
  });
  const ended = mutation.execute(undefined).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(10);
  endSession('idle');
  signIn(ben);
  land();
  await ended;
  expect(mutation.state.status).toBe(way === 'fails' ? 'error' : 'success');
  expect(called).not.toHaveBeenCalled();
});

it('A list is shown and read again during a fast series of events.', async () => {
  const state = { now: [image] };
  slow(state);
  const stop = open({ options: imageList('uploaded', query, admin) } as Case);
  for (let n = 0; n < 100; n += 1) {
    tell('image:uploaded', { imagemetadataId: imageId });
    await vi.advanceTimersByTimeAsync(100);
    if (n > 15) expect(cache.getQueryData(imageList('uploaded', query, admin).queryKey)?.data).toHaveLength(1);
  }
  expect(vi.mocked(fetch).mock.calls.length).toBeGreaterThan(5);
  stop();
});

it('Only lib/live.ts changes the query cache or invalidates it.', () => {
  const sources = import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true });
  const direct = /\b(setQuery(Data|iesData)|invalidateQueries|refetchQueries|cancelQueries|new QueryClient)\b/;
  const product = Object.entries(sources).filter(([path]) => !/\.test\.tsx?$/.test(path));
  expect(product.length).toBeGreaterThan(200);
  expect(product.flatMap(([path, text]) => (direct.test(text) ? [path] : []))).toEqual(['./live.ts']);
});

it('A set of recent ids stays within its limit and drops the oldest id.', () => {
  const recent = new Recent(3);
  for (const name of ['a', 'b', 'c', 'b', 'd']) recent.add(name);
  expect([...recent]).toEqual(['b', 'c', 'd']);
});
