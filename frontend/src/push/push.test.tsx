import type { User } from '@lightbox/contract/users/schemas.js';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { endSession, session, startSession } from '../auth/session';
import '../messages/unread';
import { languages } from '../i18n/languages';
import { queryClient } from '../lib/query';
import { store } from '../lib/store';
import { answer, renderScreen } from '../lib/testing';
import { places } from '../notifications/places';
import { words } from '../pwa/words';
import { DeviceSwitch } from './DeviceSwitch';
import { claimDevice, turnOn } from './device';
import { Offer } from './Offer';
import { offerAtom, offerDevice } from './offer';

const user = (letter: string): User => ({
  id: letter.repeat(24),
  email: `${letter}@example.org`,
  username: letter,
  firstname: letter,
  lastname: letter,
  active: true,
  status: 'active',
  role: { name: 'healthProvider' },
});
const key = `B${'k'.repeat(86)}`;
const keys = { p256dh: `B${'p'.repeat(86)}`, auth: 'a'.repeat(22) };
const bytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)).buffer;

/** A fake of the browser's push API and its push service, which jsdom does not have. */
class Browser {
  asked = 0;
  subscribed = 0;
  subscription: object | null = null;
  /** The notifications that the device shows. */
  shown = [{ close: () => void this.shown.pop() }];

  constructor(
    permission: NotificationPermission,
    /** The person's answer to the browser's own question. */
    private readonly says: NotificationPermission = 'granted',
  ) {
    const notification = {
      permission,
      requestPermission: async () => {
        this.asked += 1;
        if (notification.permission === 'default') notification.permission = this.says;
        return notification.permission;
      },
    };
    const pushManager = {
      getSubscription: async () => this.subscription,
      subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
        this.subscription ??= this.make(applicationServerKey, ++this.subscribed);
        return this.subscription;
      },
    };
    Object.assign(window, { Notification: notification, PushManager: class {} });
    const worker = {
      getRegistration: async () => ({ pushManager, getNotifications: async () => [...this.shown] }),
      addEventListener() {},
      removeEventListener() {},
    };
    Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: worker });
  }

  private make(applicationServerKey: string, n: number) {
    const endpoint = `https://push.example.org/${n}`;
    return {
      endpoint,
      options: { applicationServerKey: bytes(applicationServerKey) },
      toJSON: () => ({ endpoint, expirationTime: null, keys }),
      unsubscribe: async () => {
        this.subscription = null;
        return true;
      },
    };
  }
}

const server = (over: Parameters<typeof answer>[0] = {}) =>
  answer({
    'GET /push/key': () => ({ body: { data: { key } } }),
    'POST /push/subscriptions': () => ({ status: 201, body: { data: { id: 'f'.repeat(24) } } }),
    'DELETE /push/subscriptions': () => ({ body: { data: null } }),
    ...over,
  });
type Heard = ReturnType<typeof answer>;
const posts = (heard: Heard) => heard.filter(({ method }) => method === 'POST');

beforeEach(() => {
  for (const name of ['Notification', 'PushManager']) Reflect.deleteProperty(window, name);
  Reflect.deleteProperty(navigator, 'serviceWorker');
  queryClient.clear();
  store.set(offerAtom, false);
  startSession(user('a'), 'token');
});

const question = 'Notify you here when there’s a reply?';
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

describe('the question', () => {
  it('The offer appears after sharing or writing, and the browser’s own question only after a yes.', async () => {
    const browser = new Browser('default');
    const heard = server();
    renderScreen(<Offer />);
    expect(screen.queryByText(question)).toBeNull();
    await act(offerDevice);
    await screen.findByText(question);
    expect([browser.asked, browser.subscribed]).toEqual([0, 0]);
    await press('Turn on');
    await screen.findByText('Notifications are on in this browser.');
    expect(screen.queryByText(question)).toBeNull();
    expect(posts(heard).map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/push/subscriptions', body: { endpoint: 'https://push.example.org/1', expirationTime: null, keys } },
    ]);
  });

  it('After “Not now” the offer does not appear again for thirty days.', async () => {
    const browser = new Browser('default');
    server();
    renderScreen(<Offer />);
    await act(offerDevice);
    await press('Not now');
    expect(screen.queryByText(question)).toBeNull();
    await act(offerDevice);
    expect(screen.queryByText(question)).toBeNull();
    expect(browser.asked).toBe(0);
    localStorage.setItem('push.later', String(Date.now() - 31 * 86_400_000));
    await act(offerDevice);
    await screen.findByText(question);
  });

  it('After a no to the browser’s question the offer explains it and does not appear again.', async () => {
    const browser = new Browser('default', 'denied');
    const heard = server();
    renderScreen(<Offer />);
    await act(offerDevice);
    await press('Turn on');
    await screen.findByText(/^Notifications are blocked/);
    await press('Got it');
    await act(offerDevice);
    expect(screen.queryByText(question)).toBeNull();
    expect(browser.asked).toBe(1);
    expect(posts(heard)).toEqual([]);
  });

  it('The offer does not appear where notifications are not possible.', async () => {
    server({ 'GET /push/key': () => ({ body: { data: { key: null } } }) });
    renderScreen(<Offer />);
    await act(offerDevice);
    new Browser('default');
    await act(offerDevice);
    expect(screen.queryByText(question)).toBeNull();
  });
});

describe('the switch', () => {
  it('The switch turns notifications in this browser on and off.', async () => {
    const browser = new Browser('default');
    const heard = server();
    renderScreen(<DeviceSwitch />);
    await screen.findByText(/^Off in this browser/);
    await userEvent.click(screen.getByRole('checkbox', { name: 'Notify me in this browser' }));
    await screen.findByText(/^On in this browser/);
    await userEvent.click(screen.getByRole('checkbox'));
    await screen.findByText(/^Off in this browser/);
    expect(heard.find(({ method }) => method === 'DELETE')).toMatchObject({
      body: { endpoint: 'https://push.example.org/1' },
    });
    expect(browser.subscription).toBeNull();
  });

  it('The switch stays off when the server refuses the subscription, and the browser has no subscription.', async () => {
    const browser = new Browser('granted');
    const heard = server({
      'POST /push/subscriptions': () => ({ status: 503, body: { error: 'UNAVAILABLE', message: 'Away.' } }),
    });
    renderScreen(<DeviceSwitch />);
    await userEvent.click(await screen.findByRole('checkbox'));
    await screen.findByText('Away.');
    await screen.findByText(/^Off in this browser/);
    expect(browser.subscription).toBeNull();
    const input = screen.getByRole<HTMLInputElement>('checkbox');
    await waitFor(() => expect(input.disabled).toBe(false));
    expect(input.checked).toBe(false);
    // The next press asks again.
    await userEvent.click(input);
    await waitFor(() => expect(posts(heard).length).toBe(2));
  });

  it.each([
    ['unsupported', /^This browser cannot/, () => {}, key],
    ['blocked', /^Notifications are blocked/, () => new Browser('denied'), key],
    ['off by the server', /^This server does not send/, () => new Browser('default'), null],
  ])('A text replaces the switch when notifications are %s.', async (_, text, arrange, serverKey) => {
    arrange();
    server({ 'GET /push/key': () => ({ body: { data: { key: serverKey } } }) });
    renderScreen(<DeviceSwitch />);
    await screen.findByText(text);
    expect(screen.queryByRole('checkbox')).toBeNull();
  });
});

describe('a subscription', () => {
  it('The subscription ends at sign-out, but not at the idle end of a session.', async () => {
    const browser = new Browser('granted');
    server();
    await turnOn();
    endSession('idle');
    await new Promise((resolve) => setTimeout(resolve));
    expect(browser.subscription).not.toBeNull();
    startSession(user('a'), 'token');
    endSession('logout');
    await waitFor(() => expect(browser.subscription).toBeNull());
    expect(localStorage.getItem('push.owner')).toBeNull();
  });

  it('The notifications of a person leave the device with the subscription, and stay until then.', async () => {
    const browser = new Browser('granted');
    server();
    await turnOn();
    endSession('idle');
    startSession(user('a'), 'next');
    await claimDevice();
    expect(browser.shown).toHaveLength(1);
    endSession('idle');
    startSession(user('b'), 'other');
    await claimDevice();
    expect(browser.shown).toEqual([]);
  });

  it('The offer to one person, and the number on the icon of the app, are gone for the next one.', async () => {
    const clearAppBadge = vi.fn(async () => {});
    Object.assign(navigator, { clearAppBadge });
    store.set(offerAtom, true);
    endSession('idle');
    expect(store.get(offerAtom)).toBe(false);
    expect(clearAppBadge).toHaveBeenCalledTimes(1);
    Reflect.deleteProperty(navigator, 'clearAppBadge');
  });

  it('The subscription moves to the next session of the same person, and ends for another person.', async () => {
    const browser = new Browser('granted');
    const heard = server();
    await turnOn();
    endSession('idle');
    startSession(user('a'), 'next');
    await claimDevice();
    expect(posts(heard).map(({ headers }) => headers.get('Authorization'))).toEqual(['Bearer token', 'Bearer next']);
    endSession('idle');
    startSession(user('b'), 'other');
    await claimDevice();
    expect(browser.subscription).toBeNull();
    expect(posts(heard)).toHaveLength(2);
    expect(session().user?.id).toBe('b'.repeat(24));
  });

  it('A new key of the server leads to a new subscription.', async () => {
    const browser = new Browser('granted');
    server();
    await turnOn();
    queryClient.clear();
    const heard = server({ 'GET /push/key': () => ({ body: { data: { key: `B${'n'.repeat(86)}` } } }) });
    await claimDevice();
    expect(browser.subscribed).toBe(2);
    expect(posts(heard)).toMatchObject([{ body: { endpoint: 'https://push.example.org/2' } }]);
  });
});

describe('the texts of the service worker', () => {
  it('The service worker has texts in every language for every kind of notice.', () => {
    expect(Object.keys(words)).toEqual(Object.keys(languages));
    for (const [code, { dir, kinds }] of Object.entries(words)) {
      expect(dir).toBe(languages[code]?.dir);
      for (const kind of Object.keys(places)) expect(kinds[kind as keyof typeof kinds]?.title, kind).toBeTruthy();
    }
  });
});
