import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Product } from './product.js';

/** The folder of the screenshots. */
export const pictures = join(import.meta.dirname, '../../test-results/journeys');
mkdirSync(pictures, { recursive: true });

/** Lines of the browser itself: for a refused call, and for a page that closes while its socket opens. */
const ofTheBrowser = /Failed to load resource|WebSocket is closed before the connection is established/;

/** axe's tags for the rules of WCAG 2.2 AA. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Returns the value on the line `name: value` of a mail. */
export const line = (text: string, name: string): string =>
  new RegExp(`^${name}: (\\S+)\\s*$`, 'm').exec(text)?.[1] ?? '';

/** A user in a browser context of their own, who sees and reaches only the screen. */
export class Person {
  /** The errors and warnings of the console, and the uncaught errors of the pages. */
  readonly complaints: string[] = [];

  private constructor(
    readonly product: Product,
    readonly page: Page,
    readonly email: string,
    readonly password: string,
  ) {
    page.on('console', (message) => {
      // The journeys check how the screen handles a refused call.
      if (['error', 'warning'].includes(message.type()) && !ofTheBrowser.test(message.text())) {
        this.complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  static async arrive(
    product: Product,
    browser: Browser,
    { email, password }: { email: string; password: string },
    options: BrowserContextOptions = {},
  ): Promise<Person> {
    const context = await browser.newContext({
      baseURL: product.url,
      viewport: { width: 1440, height: 900 },
      // Each frame of an animation is drawn by the processor. `story.test.ts` shows them all.
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(20_000);
    return new Person(product, await context.newPage(), email, password);
  }

  /** Closes this person's browser context. */
  async leave(): Promise<void> {
    await this.page.context().close();
  }

  async mailed(subject: string, n = 1): Promise<string> {
    const mails = await this.product.mailbox.waitFor(this.email, subject, n, 20_000);
    return mails.at(-1)?.text ?? '';
  }

  /** Types a code into the six boxes, which sends it. */
  async enterCode(code: string): Promise<void> {
    await this.page
      .getByRole('textbox', { name: /1 of 6|digit 1/i })
      .first()
      .focus();
    await this.page.keyboard.type(code);
    await this.page.getByRole('button', { name: 'Verify', exact: true }).last().click();
  }

  async signIn(password = this.password): Promise<void> {
    const before = this.product.mailbox.mails(this.email, 'Your verification code').length;
    await this.page.goto('/login');
    await this.page.getByLabel('Email').fill(this.email);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Login' }).click();
    await this.page.waitForURL('**/verify-account');
    await this.enterCode(line(await this.mailed('Your verification code', before + 1), 'Code'));
    await this.page.getByRole('button', { name: 'Logout' }).first().waitFor();
  }

  /** Signs in by the API, because other journeys test the screens of the sign-in. */
  async enter(): Promise<void> {
    const before = this.product.mailbox.mails(this.email, 'Your verification code').length;
    const { token } = await this.#post('/auth/login', { email: this.email, password: this.password });
    const code = line(await this.mailed('Your verification code', before + 1), 'Code');
    const session = await this.#post('/auth/confirm', { code }, token);
    await this.page.goto('/login');
    await this.page.evaluate(`localStorage.setItem('root', ${JSON.stringify(JSON.stringify(session))})`);
  }

  /** Sends an API call with the session of this person, and returns its data. */
  async call<T>(path: string, method = 'GET', data?: object): Promise<T> {
    const token = await this.page.evaluate<string>(`JSON.parse(localStorage.getItem('root')).token`);
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await this.page.request.fetch(`/api${path}`, { method, headers, ...(data && { data }) });
    if (!answer.ok()) throw new Error(`${method} ${path} was answered with ${answer.status()}`);
    return ((await answer.json()) as { data: T }).data;
  }

  /** Returns all stored data of the product in this browser as text, from the four places where a page can store data. */
  async kept(): Promise<{ root: unknown; all: string }> {
    const read = `(async () => {
      const asked = (request) => new Promise((done, no) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => no(request.error);
      });
      const databases = await Promise.all((await indexedDB.databases()).map(async ({ name }) => {
        const db = await asked(indexedDB.open(name));
        const stores = [...db.objectStoreNames];
        const rows = await Promise.all(stores.map((store) => asked(db.transaction(store).objectStore(store).getAll())));
        db.close();
        return { name, stores, rows };
      }));
      const cached = await Promise.all((await caches.keys()).map(async (name) => {
        const cache = await caches.open(name);
        return Promise.all((await cache.keys()).map(async (request) => [request.url, await (await cache.match(request)).text()]));
      }));
      return { local: { ...localStorage }, session: { ...sessionStorage }, databases, cached };
    })()`;
    const all = await this.page.evaluate<{ local: { root?: string } }>(read);
    return { root: JSON.parse(all.local.root ?? 'null'), all: JSON.stringify(all) };
  }

  async #post(path: string, data: object, token?: string): Promise<{ token: string }> {
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await this.page.request.post(`/api${path}`, { data, headers });
    return ((await answer.json()) as { data: { token: string } }).data;
  }

  /** Takes a screenshot, for a journey that failed. */
  async shoot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(pictures, `${name}.jpg`), type: 'jpeg', quality: 80 });
  }

  /** Takes a screenshot, and returns the violations that axe finds. */
  async look(name: string): Promise<string[]> {
    await this.page.getByRole('heading').first().waitFor();
    const violations = await this.axe(name);
    await this.shoot(name);
    return violations;
  }

  /** Returns the violations that axe finds on the current screen. */
  async axe(name: string): Promise<string[]> {
    // Wait for animations: during a fade a colour is not final, and axe does not see that a dialog is open.
    await this.page.evaluate(
      'Promise.all(document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)).map(({ finished }) => finished.catch(() => null))).then(() => null)',
    );
    // Once for each document, because axe is half a megabyte to parse.
    if (!(await this.page.evaluate<boolean>(`'axe' in window`))) await this.page.evaluate(axe.source);
    // Lists of passed rules cost more time than the rules. `preload` waits for video and sound, which no page has.
    const options = JSON.stringify({ runOnly: wcag, resultTypes: ['violations'], preload: false });
    const violations = await this.page.evaluate<{ id: string; targets: string[] }[]>(
      `axe.run(document, ${options}).then(({ violations }) =>
        violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(' ')) })))`,
    );
    return violations.map(({ id, targets }) => `${name}: ${id} at ${targets.join(', ')}`);
  }
}
