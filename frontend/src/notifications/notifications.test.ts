import type { Notification } from '@lightbox/contract/notifications/calls.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import type { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { endSession, startSession } from '../auth/session';
import { liveClient } from '../lib/live';
import { store } from '../lib/store';
import { allOf, arrivedAtom, type Notices, notices, notificationEvents, unreadNotices } from './notifications';
import { addressOf } from './places';

const id = (text: string) => text.padStart(24, '0');
const notice = (n: number, more: Partial<Notification> = {}): Notification => ({
  id: id(`e${n}`),
  kind: 'share.created',
  recordId: id('f'),
  at: new Date(Date.UTC(2026, 0, 1, 9, n)).toISOString(),
  ...more,
});

/** Returns the answers of the two calls: the list, the newest first, and the number of unread ones. */
const fresh = (all: Notification[]) => ({
  list: all.toSorted((a, b) => b.at.localeCompare(a.at)),
  unread: all.filter(({ readAt }) => !readAt).length,
});

function held(all: Notification[]) {
  const cache = liveClient();
  const { list, unread } = fresh(all);
  cache.setQueryData<Notices>(notices.queryKey, { pages: [{ data: list }], pageParams: [undefined] });
  cache.setQueryData(unreadNotices.queryKey, unread);
  const shown = () => ({
    list: allOf(cache.getQueryData<Notices>(notices.queryKey) ?? { pages: [], pageParams: [] }),
    unread: cache.getQueryData(unreadNotices.queryKey),
  });
  return { cache, shown };
}

const arrive = (one: Notification, cache: QueryClient) => notificationEvents['notification:new']?.(one, cache);

beforeEach(() => {
  store.set(arrivedAtom, undefined);
  history.replaceState(null, '', '/messages');
  globalThis.fetch = vi.fn(async () => new Response('{"data":null}'));
});

describe('notification:new', () => {
  it('After notification:new, also when it arrives twice, the cache equals a fresh fetch.', () => {
    const all = [notice(1, { readAt: 'then' }), notice(2)];
    const { cache, shown } = held(all);
    for (const n of [3, 4]) {
      const one = notice(n);
      all.push(one);
      arrive(one, cache);
      arrive(one, cache);
      expect(shown()).toEqual(fresh(all));
    }
  });

  it('notification:new is handed to the toaster.', () => {
    const one = notice(5);
    arrive(one, held([]).cache);
    expect(store.get(arrivedAtom)).toEqual(one);
  });

  it('notification:new that came while there was no bell is not announced to the next person.', () => {
    const user = { id: id('a'), role: { name: 'patient' } } as User;
    startSession(user, 'token');
    arrive(notice(8), held([]).cache);
    endSession('idle');
    startSession({ ...user, id: id('b') }, 'token');
    expect(store.get(arrivedAtom)).toBeUndefined();
    endSession('logout');
  });

  it('notification:new of the visible screen is not counted or announced, and is marked as read on the server.', () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const one = notice(6);
    history.replaceState(null, '', addressOf(one));
    const { cache, shown } = held([]);
    arrive(one, cache);
    expect(shown().unread).toBe(0);
    expect(store.get(arrivedAtom)).toBeUndefined();
    expect(fetch).toHaveBeenCalledWith(`/api/notifications/${one.id}/read`, expect.anything());
  });

  it.each([
    ['the gallery, without its image', notice(7), '/view-images'],
    ['the gallery with another image', notice(7), `/view-images?image=${id('a')}`],
    ['the list of waiting providers', notice(7, { kind: 'provider.registered' }), '/approve-provider'],
    ['the gallery, for access that has ended', notice(7, { kind: 'share.revoked' }), '/view-images'],
  ])('notification:new stays unread and is announced on %s.', (_, one, address) => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    history.replaceState(null, '', address);
    const { cache, shown } = held([]);
    arrive(one, cache);
    expect(shown().unread).toBe(1);
    expect(store.get(arrivedAtom)).toEqual(one);
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe('the address of a notification', () => {
  it('A notification leads to its image, its analysis, or the list of waiting providers.', () => {
    const [image, recordId] = [id('f'), id('f')];
    expect(addressOf({ kind: 'share.created', recordId })).toBe(`/view-images?image=${image}`);
    expect(addressOf({ kind: 'share.revoked', recordId })).toBe('/view-images');
    expect(addressOf({ kind: 'analysis.completed', recordId })).toBe(`/ai-analysis/${image}`);
    expect(addressOf({ kind: 'provider.registered', recordId })).toBe('/approve-provider');
  });
});
