import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { giveBack, pageFor, smallFile } from './pages.js';
import type { Product } from './product.js';
import { codeMail, line, sessionOf } from './session.js';

export { line } from './session.js';

/** The folder of the screenshots. */
export const pictures = join(import.meta.dirname, '../../test-results/journeys');
mkdirSync(pictures, { recursive: true });

/** Lines of the browser itself: for a refused call, and for a page that closes while its socket opens. */
const ofTheBrowser = /Failed to load resource|WebSocket is closed before the connection is established/;

/** axe's tags for the rules of WCAG 2.2 AA. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** An image as the answer to its upload describes it. */
export interface Uploaded {
  id: string;
  studyId: string | null;
}

/** A person to register. */
export interface Newcomer {
  email: string;
  username: string;
  firstname: string;
  lastname: string;
}

/** The password of the people that a journey registers. */
export const password = 'Long-Enough-Pass-9';

/** Registers a person by the API. A health provider waits for approval, a patient enters a mailed code. */
export async function register(
  { url, mailbox }: Product,
  person: Newcomer,
  role: 'healthProvider' | 'patient' = 'healthProvider',
): Promise<void> {
  await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...person,
      password,
      role,
      ...(role === 'healthProvider' && { specialization: 'Radiology' }),
    }),
  });
  // A login waits for one more code than there is. While this one is on its way, it would take it for its own.
  if (role === 'patient') await mailbox.waitFor(person.email, codeMail, 1);
}

/** Approves the provider with this name, as a careful administrator does. */
export async function approve(page: Page, name: string): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^Approve ${name}`, 'i') })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('License number').waitFor();
  await dialog.getByText('I have checked the license').click();
  await dialog.getByRole('button', { name: 'Approve provider' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Searches for a person to share with, and chooses them. Before the answer, the list shows other people, and is drawn again. */
export async function choosePerson(dialog: Locator, search: string, name: RegExp): Promise<void> {
  await dialog.getByRole('searchbox').fill(search);
  await dialog.locator('[aria-busy=false]').getByRole('checkbox', { name }).check();
}

/**
 * Turns a box or a choice whose input is hidden behind its drawing. The click is an event at the input, because a click at
 * a place on the screen misses a row that moves meanwhile.
 */
export async function tick(box: Locator, on = true): Promise<void> {
  if ((await box.isChecked()) !== on) await box.dispatchEvent('click');
  await box.and(box.page().locator(on ? ':checked' : ':not(:checked)')).waitFor({ state: 'attached' });
}

/** Returns how many pixels the page is wider than its window. A floating menu needs a moment to follow a new size. */
export async function wider(page: Page): Promise<number> {
  const look = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const end = Date.now() + 5_000;
  let seen = await look();
  while (seen > 0 && Date.now() < end) seen = await look();
  return seen;
}

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
    page.on('pageerror', (error) => this.complaints.push(error.stack ?? String(error)));
  }

  static async arrive(
    product: Product,
    browser: Browser,
    { email, password }: { email: string; password: string },
    options: BrowserContextOptions = {},
  ): Promise<Person> {
    const page = await pageFor(browser, {
      baseURL: product.url,
      viewport: { width: 1280, height: 800 },
      // Each frame of an animation is drawn by the processor. `story.test.ts` shows them all.
      reducedMotion: 'reduce',
      ...options,
    });
    return new Person(product, page, email, password);
  }

  /** Gives the page back for the next person. With `close` it closes the page: one with a script or settings of its own. */
  async leave({ close = 'stop' in this.product }: { close?: boolean } = {}): Promise<void> {
    await (close ? this.page.context().close() : giveBack(this.page));
  }

  async mailed(subject: string, n = 1): Promise<string> {
    const mails = await this.product.mailbox.waitFor(this.email, subject, n);
    return mails.at(-1)?.text ?? '';
  }

  /** Waits until the focus is in the first of the six boxes. The product moves it, and would take it back from a later one. */
  async atCode(): Promise<void> {
    await this.page.locator('[data-part=input][data-index="0"]:focus').waitFor();
  }

  /** Types a code into the six boxes, and sends it. */
  async enterCode(code: string): Promise<void> {
    await this.atCode();
    await this.page.keyboard.type(code);
    await this.page.getByRole('button', { name: 'Verify', exact: true }).last().click();
  }

  async signIn(password = this.password): Promise<void> {
    const before = (await this.product.mailbox.mails(this.email, codeMail)).length;
    await this.page.goto('/login');
    await this.page.getByLabel('Email').fill(this.email);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Login' }).click();
    await this.page.waitForURL('**/verify-account');
    await this.enterCode(line(await this.mailed(codeMail, before + 1), 'Code'));
    await this.page.getByRole('button', { name: 'Logout' }).first().waitFor();
  }

  /** Signs in by the API, because other journeys test the screens of the sign-in. No screen is open afterwards. */
  async enter(): Promise<void> {
    const session = await sessionOf(this.product.mailbox, this, async (path, data, headers) =>
      (await this.page.request.post(`/api${path}`, { data, headers })).json(),
    );
    await this.page.goto(smallFile);
    await this.page.evaluate(`localStorage.setItem('root', ${JSON.stringify(JSON.stringify(session))})`);
  }

  /** Sends an API call with the session of this person, and returns its data. */
  async call<T>(path: string, method = 'GET', data?: object): Promise<T> {
    const headers = { Authorization: `Bearer ${await this.#token()}` };
    const answer = await this.page.request.fetch(`/api${path}`, { method, headers, ...(data && { data }) });
    if (!answer.ok()) throw new Error(`${method} ${path} was answered with ${answer.status()}`);
    return ((await answer.json()) as { data: T }).data;
  }

  /** Uploads a file by the API, for a patient or for nobody. */
  async upload(
    caption: string,
    file: { name: string; mimeType: string; buffer: Buffer },
    about: { patientId?: string } = {},
  ): Promise<Uploaded> {
    const answer = await this.page.request.post('/api/upload/image', {
      headers: { Authorization: `Bearer ${await this.#token()}` },
      multipart: { caption, ...about, file },
    });
    if (!answer.ok()) throw new Error(`The upload was answered with ${answer.status()}`);
    return ((await answer.json()) as { data: Uploaded }).data;
  }

  #token = () => this.page.evaluate<string>(`JSON.parse(localStorage.getItem('root')).token`);

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

  /** Takes a screenshot, and prints the path and the words of the screen: a machine of others may keep no pictures. */
  async shootFailure(name: string): Promise<void> {
    const words = await this.page.evaluate<string>('document.body.innerText.replaceAll(/\\s+/g, " ")');
    process.stderr.write(`${name} at ${new URL(this.page.url()).pathname}: …${words.slice(-2_000)}\n`);
    await this.shoot(name);
  }

  /** Takes a screenshot. */
  async shoot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(pictures, `${name}.jpg`), type: 'jpeg', quality: 80 });
  }

  /** Returns the violations that axe finds. Takes a screenshot when there are some, or with PICTURES=1. */
  async look(name: string): Promise<string[]> {
    await this.page.getByRole('heading').first().waitFor();
    const violations = await this.axe(name);
    if (violations.length > 0 || process.env.PICTURES === '1') await this.shoot(name);
    return violations;
  }

  /**
   * Looks at the screen light on a desktop and dark on a phone. Returns the violations that axe finds, and a fault when the
   * screen is wider than the phone.
   */
  async lookTwice(name: string): Promise<string[]> {
    const { page } = this;
    const size = page.viewportSize() ?? { width: 1280, height: 800 };
    const faults = await this.look(`${name}-desk-light`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    faults.push(...(await this.look(`${name}-phone-dark`)));
    const over = await wider(page);
    if (over > 0) faults.push(`${name}: ${over} px wider than a phone`);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(size);
    // The layout of the other size is another tree: a key that is pressed before it is there would be lost.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    return faults;
  }

  /**
   * Watches the page, and returns the time at which an expression became true. The page itself reads the clock, so a slow
   * test process does not change the time.
   */
  whenTrue(expression: string): Promise<number> {
    return this.page.evaluate<number>(`new Promise((done) => {
      const check = () => {
        if (!(${expression})) return;
        watch.disconnect();
        done(Date.now());
      };
      const watch = new MutationObserver(check);
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      check();
    })`);
  }

  /** Returns the time at which the answer to this person's next call with this method ends, by the clock of the browser. */
  async whenAnswered(method: string): Promise<number> {
    const response = await this.page.waitForResponse((one) => one.request().method() === method);
    await response.finished();
    const { startTime, responseEnd } = response.request().timing();
    return startTime + responseEnd;
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

type Send = <T>(method: string, path: string, data: object) => Promise<T>;

/** Sends an API call with the session of the administrator, without a browser. */
export const asAdministrator =
  ({ url, adminToken }: Product): Send =>
  async <T>(method: string, path: string, data: object) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${await adminToken()}` };
    const answer = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify(data) });
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
    return ((await answer.json()) as { data: T }).data;
  };

/** Registers health providers, and approves them as the administrator, by the API alone. */
export async function addProviders(product: Product, ...people: readonly Newcomer[]): Promise<void> {
  const send = asAdministrator(product);
  await Promise.all(
    people.map(async (one) => {
      await register(product, one);
      await send('POST', '/users/approve-provider', { email: one.email });
    }),
  );
}

/** Adds an administrator. */
export async function addAdministrator(product: Product, person: Newcomer): Promise<void> {
  const send = asAdministrator(product);
  await register(product, person);
  const { id } = await send<{ id: string }>('POST', '/users/approve-provider', { email: person.email });
  // The session of the administrator may be older than a login that counts as a confirmation.
  await send('POST', '/auth/step-up', { password: product.admin.password });
  await send('PUT', `/users/role/${id}`, { role: 'admin' });
}

/** Adds an administrator, who is signed in in a browser context. */
export async function enterAdministrator(product: Product, browser: Browser, one: Newcomer): Promise<Person> {
  await addAdministrator(product, one);
  const person = await Person.arrive(product, browser, { ...one, password });
  await person.enter();
  return person;
}

/** Registers health providers, approves them, and returns them signed in, each in a browser context. */
export async function enterProviders(
  product: Product,
  browser: Browser,
  ...people: readonly Newcomer[]
): Promise<Person[]> {
  await addProviders(product, ...people);
  return Promise.all(
    people.map(async (one) => {
      const person = await Person.arrive(product, browser, { ...one, password });
      await person.enter();
      return person;
    }),
  );
}
