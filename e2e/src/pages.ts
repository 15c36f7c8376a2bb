import { PATIENCE_MS } from '@lightbox/testkit/patience.js';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/**
 * The pages of the people. A page that has shown the app loads it in half the time of a new one: its process has compiled the
 * code, and its cache has the files. So a person who leaves gives the page back, and the next one gets it without any data.
 */

/** A small file of the product. It has the storage of the product's pages, and starts no app. */
export const smallFile = '/icons/192.png';

/** The pages that wait for the next person, by the options of their contexts. */
const waiting = new Map<string, Page[]>();
/** The most pages that wait, because each of them has a process. */
const MOST = 4;

const keys = new WeakMap<Page, string>();
const browsers = new Map<Browser, number>();

/** Contexts with equal keys differ only in their data and in the size of the window. */
function keyOf(browser: Browser, { viewport: _, ...rest }: BrowserContextOptions): string {
  if (!browsers.has(browser)) browsers.set(browser, browsers.size);
  return JSON.stringify([browsers.get(browser), rest]);
}

/** Refuses the registration of a service worker, as a private window does. */
const withoutServiceWorker = `ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('refused'));`;

/** Returns a page without data in a context with these options. */
export async function pageFor(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const key = keyOf(browser, options);
  const kept = waiting.get(key)?.pop();
  if (kept) {
    if (options.viewport) await kept.setViewportSize(options.viewport);
    return kept;
  }
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  // A service worker is one more process, and fetches the files of the first page once more. A journey that needs it says so.
  if (options.serviceWorkers !== 'allow') await context.addInitScript(withoutServiceWorker);
  const page = await context.newPage();
  // A service worker outlives its page.
  if (options.serviceWorkers !== 'allow') keys.set(page, key);
  return page;
}

/** The events for which journeys have listeners. */
const events = ['console', 'pageerror', 'request', 'requestfinished', 'requestfailed', 'dialog'] as const;

/** Removes the data of the product from all places where a page can store data. */
const forget = `(async () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const name of await caches.keys()) await caches.delete(name);
  for (const { name } of await indexedDB.databases()) {
    await new Promise((done, no) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = done;
      request.onerror = request.onblocked = () => no(new Error('The database ' + name + ' is still there.'));
    });
  }
})()`;

/** Takes a page back, without its data. Closes it when enough pages wait, or when it cannot be made as a new one. */
export async function giveBack(page: Page): Promise<void> {
  const key = keys.get(page);
  const count = [...waiting.values()].flat().length;
  const isKept =
    key !== undefined &&
    count < MOST &&
    (await clean(page).then(
      () => true,
      () => false,
    ));
  if (isKept) waiting.set(key, [...(waiting.get(key) ?? []), page]);
  else await page.context().close();
}

async function clean(page: Page): Promise<void> {
  const context = page.context();
  for (const event of events) page.removeAllListeners(event);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await page.emulateMedia({ media: null, colorScheme: null });
  await page.goto(smallFile);
  await page.evaluate(forget);
}
