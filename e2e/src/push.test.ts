import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { test } from './journey.js';
import { Person } from './person.js';
import type { Product } from './product.js';

/**
 * The service worker as it is built, in a real browser. The headless one has neither a push service nor a place to show
 * notifications: pushes are delivered through its debugging protocol, and what the worker shows is noted down in the worker.
 */
let product: Product;
let admin: Person;
let context: BrowserContext;
let page: Page;
let worker: Worker;
let devtools: CDPSession;
let registrationId: string;

test.beforeAll(async ({ browser, shared }) => {
  product = shared;
  admin = await Person.arrive(product, browser, product.admin);
  ({ page } = admin);
  context = page.context();
});

afterAll(async () => {
  await admin?.leave();
});

interface Shown {
  title: string;
  body: string;
  tag: string;
  lang: string;
  dir: string;
  data: { path: string };
}

const shown = () => worker.evaluate<Shown[]>('self.shown');
const looks = () =>
  worker.evaluate<boolean>(
    "self.clients.matchAll({ type: 'window' }).then((tabs) => tabs.some((tab) => tab.focused && tab.visibilityState === 'visible'))",
  );

async function deliver(payload: object): Promise<void> {
  // Spaces as the server adds them: every push is as long as any other.
  const data = JSON.stringify(payload).padEnd(128);
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: product.url, registrationId, data });
}

/** As a click on the notification that is shown: nothing but the browser itself can make a real one. */
const click = () =>
  worker.evaluate(`(() => {
    const [notification] = self.shown.slice(-1);
    const event = new Event('notificationclick');
    Object.assign(event, { notification: { ...notification, close() {} }, waitUntil: (work) => work.catch(() => {}) });
    self.dispatchEvent(event);
  })()`);

test('the built worker takes over the page', async () => {
  await admin.enter();
  await page.goto('/dashboard');
  await page.evaluate('navigator.serviceWorker.ready');
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(`
    self.shown = [];
    self.judged = 0;
    const all = self.clients.matchAll.bind(self.clients);
    self.clients.matchAll = async (which) => { const tabs = await all(which); self.judged += 1; return tabs; };
    self.registration.showNotification = async (title, options) => { self.shown.push({ title, ...options }); };
  `);
  devtools = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  registrationId = await registered;
});

const image = 'f'.repeat(24);

test('a push is silent while somebody looks, and worded once nobody does', async () => {
  await expect.poll(looks).toBe(true);
  const judged = () => worker.evaluate<number>('self.judged');
  const before = await judged();
  await deliver({ kind: 'share.created', recordId: image });
  await expect.poll(judged).toBeGreaterThan(before);
  // A place of its own outside the app; the tab of before is hidden behind it.
  await page.goto('about:blank');
  await deliver({ kind: 'analysis.completed', recordId: image });
  await expect.poll(shown).toHaveLength(1);
  expect((await shown())[0]).toMatchObject({
    title: 'An analysis is ready',
    body: 'Computer-made. Not a diagnosis.',
    tag: 'analysis.completed',
    lang: 'en',
    dir: 'ltr',
    data: { path: `/ai-analysis/${image}` },
  });
});

test('a message, a kind of a newer server and an empty push have words too', async () => {
  await deliver({ kind: 'message.new', recordId: image });
  await deliver({ kind: 'something.later', recordId: image });
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: product.url, registrationId, data: '' });
  await expect.poll(shown).toHaveLength(4);
  expect((await shown()).slice(1).map(({ title, data }) => [title, data.path])).toEqual([
    ['You have a new message', `/messages?chat=${image}`],
    ['There is something new', '/'],
    ['There is something new', '/'],
  ]);
});

test('a click leads an open tab there, without loading it anew', async () => {
  await page.goto('/profile');
  await page.getByRole('heading', { name: 'Notifications on this device' }).waitFor();
  await page.evaluate('window.sameLoad = true');
  await worker.evaluate("self.shown.push({ data: { path: '/messages' } })");
  await click();
  await page.waitForURL('**/messages');
  expect(await page.evaluate('window.sameLoad')).toBe(true);
});

test('the profile says that this browser refuses, and shows no switch', async () => {
  await page.goto('/profile');
  await page.getByText(/^Blocked\. You said no/).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await admin.look('profile-notifications')).toEqual([]);
});

test('notifications speak the language that the pages were turned to', async () => {
  await page.evaluate("localStorage.setItem('language', 'ur')");
  await page.goto('/profile');
  await expect
    .poll(() => worker.evaluate("caches.match('/language', { cacheName: 'preferences' }).then((kept) => kept?.text())"))
    .toBe('ur');
  await page.goto('about:blank');
  await deliver({ kind: 'message.new' });
  await expect
    .poll(async () => (await shown()).at(-1))
    .toMatchObject({
      title: 'آپ کے لیے نیا پیغام ہے',
      lang: 'ur',
      dir: 'rtl',
      data: { path: '/messages' },
    });
});

test('no console complained', () => {
  expect(admin.complaints).toEqual([]);
});
