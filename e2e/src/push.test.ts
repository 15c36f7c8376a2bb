import type { Browser, BrowserContext, CDPSession, Page, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { Person } from './person.js';
import { type Product, startProduct } from './product.js';

/**
 * Tests the built service worker in a real browser. A headless browser has no push service and shows no notifications: the
 * test delivers pushes by the debugging protocol, and the worker records the notifications that it would show.
 */
let product: Product;
let browser: Browser;
let admin: Person;
let context: BrowserContext;
let page: Page;
let worker: Worker;
let devtools: CDPSession;
let registrationId: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launchChromium()]);
  admin = await Person.arrive(product, browser, product.admin);
  ({ page } = admin);
  context = page.context();
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
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
  // The server pads every push with spaces to the same length.
  const data = JSON.stringify(payload).padEnd(128);
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: product.url, registrationId, data });
}

/** Simulates a click on the last notification, because only the browser itself can create a real click event. */
const click = () =>
  worker.evaluate(`(() => {
    const [notification] = self.shown.slice(-1);
    const event = new Event('notificationclick');
    Object.assign(event, { notification: { ...notification, close() {} }, waitUntil: (work) => work.catch(() => {}) });
    self.dispatchEvent(event);
  })()`);

test('The built service worker takes control of the page.', async () => {
  await admin.signIn();
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

test('A push shows no notification while the app is visible, and one with text when it is hidden.', async () => {
  await expect.poll(looks).toBe(true);
  const judged = () => worker.evaluate<number>('self.judged');
  const before = await judged();
  await deliver({ kind: 'share.created', recordId: image });
  await expect.poll(judged).toBeGreaterThan(before);
  // This tab leaves the app. The earlier tab of the app is hidden behind it.
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

test('A message, a kind of a newer server and an empty push have texts too.', async () => {
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

test('A click on a notification navigates an open tab without a reload.', async () => {
  await page.goto('/profile');
  await page.getByRole('heading', { name: 'Notifications on this device' }).waitFor();
  await page.evaluate('window.sameLoad = true');
  await worker.evaluate("self.shown.push({ data: { path: '/messages' } })");
  await click();
  await page.waitForURL('**/messages');
  expect(await page.evaluate('window.sameLoad')).toBe(true);
});

test('The profile says that the browser denies notifications, and shows no switch.', async () => {
  await page.goto('/profile');
  await page.getByText(/^Blocked\. You said no/).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await admin.look('profile-notifications')).toEqual([]);
});

test('Notifications are in the language of the pages.', async () => {
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

test('The console shows no error and no warning.', () => {
  expect(admin.complaints).toEqual([]);
});
