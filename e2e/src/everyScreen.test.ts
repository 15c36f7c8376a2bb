import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { Person } from './person.js';
import { demoPeople, type Product, startProduct } from './product.js';
import { differs, shootScreen } from './screens/baseline.js';
import { desk, fits, judge, settled } from './screens/judge.js';
import {
  type Dialog,
  dialogs,
  type Language,
  type Places,
  portraits,
  routes,
  type Screen,
  type Viewer,
} from './screens/table.js';

let product: Product;
let browser: Browser;
let places: (viewer: Viewer) => Places;
const people = {} as Record<Viewer, Person>;
const faults: string[] = [];

const applicant = {
  email: 'omar.khan@example.org',
  username: 'omar.khan',
  password: 'Long-Enough-Pass-9',
  role: 'healthProvider',
  firstname: 'Omar',
  lastname: 'Khan',
  licensenumber: 'PMC-77310',
  specialization: 'Radiology',
};

test.beforeAll(async ({ browser: started }) => {
  browser = started;
  product = await startProduct({ demo: true });
  const demo = await demoPeople(product);
  await fetch(`${product.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(applicant),
  });
  await Promise.all(
    (['nobody', 'admin', 'healthProvider', 'patient'] as const).map(async (viewer) => {
      const account = viewer === 'nobody' ? { email: '', password: '' } : demo[viewer];
      people[viewer] = await Person.arrive(product, browser, account, { viewport: desk, reducedMotion: 'reduce' });
      const person = people[viewer];
      if (viewer === 'nobody') return person.page.goto('/login');
      await mayNotify(person);
      await person.enter();
      // A second sign-in, for the list of devices.
      if (viewer === 'patient') await person.enter();
    }),
  );
  await addSetting();
  await analyse();
});

/** Makes the permission for notifications undecided, as in a browser with a window. A headless browser always denies it. */
async function mayNotify({ page }: Person): Promise<void> {
  await page.context().grantPermissions(['notifications']);
  await page.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'default' })`);
}

/** Adds one row to the table of settings. */
async function addSetting(): Promise<void> {
  const { page } = people.admin;
  await page.goto('/appsettings');
  await page.getByRole('button', { name: 'Set sharing.expiryHours' }).click();
  await page.keyboard.type('24');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('sharing.expiryHours was added.').waitFor();
}

/** Reads the ids for the addresses, and waits for a completed analysis. */
async function analyse(): Promise<void> {
  const [image] = await people.healthProvider.call<{ id: string; caption: string }[]>('/upload/my-images');
  const partner = async (viewer: Viewer) => {
    const [chat] = await people[viewer].call<{ user: { id: string } }[]>('/message/chat-list');
    return chat?.user.id ?? '';
  };
  const [provider, patient] = await Promise.all([partner('patient'), partner('healthProvider')]);
  places = (viewer) => ({ image: image?.id ?? '', user: viewer === 'patient' ? provider : patient });
  const { page } = people.healthProvider;
  await page.goto(`/ai-analysis/${image?.id}`);
  await page.getByRole('heading', { name: 'Warnings' }).waitFor();
}

afterAll(async () => {
  await Promise.all(Object.values(people).map((person) => person.leave()));
  await product?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(Object.entries(people).map(([viewer, person]) => person.shoot(`failed-every-${viewer}`)));
});

/** `npm run every-screen` takes a picture of every screen. Other runs take pictures of those with a fault. */
const allPictures = process.env.PICTURES === '1';

/** Each language meets each theme and each width once. The table of checks is in docs/architecture.md, "Tests". */
const lights = {
  en: { desk: 'light', phone: 'dark' },
  ur: { desk: 'dark', phone: 'light' },
} as const;

const file = (path: string) =>
  path
    .replace(/\?.*|[0-9a-f]{24}/g, '')
    .replace(/\W+/g, ' ')
    .trim()
    .replace(/ /g, '-') || 'landing';

async function lookAt(
  viewer: Viewer,
  { path, ready, names = false, viewers }: Screen,
  language: Language,
): Promise<void> {
  const person = people[viewer];
  const { page } = person;
  const address = path(places(viewer));
  // The other roles see the same parts, in one theme.
  const whole = viewers[0] === viewer;
  await arrange(person, language);
  await turnTo(page, address);
  await settled(page, ready);
  await examine(person, `${file(address)}-${viewer}`, language, { names, whole });
}

async function lookInto(
  { name, viewer, path, open, shown = '[role=dialog]' }: Dialog,
  language: Language,
): Promise<void> {
  const person = people[viewer];
  const { page } = person;
  await arrange(person, language);
  await page.evaluate(`sessionStorage.removeItem('registration')`);
  await turnTo(page, path);
  await settled(page);
  await open(page, language, person);
  await page.locator(shown).first().waitFor();
  await focusFollowed(page);
  // The Urdu of a dialog has the parts and colours of its English, so axe would find nothing new.
  await examine(person, `dialog-${name}`, language, { names: true, h1: false, axe: language === 'en' });
}

/** Waits until the focus is in the dialog: a dialog hides the page behind it at once, and moves the focus a moment later. */
async function focusFollowed(page: Page): Promise<void> {
  await page.locator('[aria-modal=true]:not(:focus-within)').first().waitFor({ state: 'detached' });
  await page.locator('[aria-hidden=true]:focus-within').first().waitFor({ state: 'detached' });
}

/**
 * Opens a screen inside the page, as the Back button does. Loading the page takes longer than all checks of a screen. An
 * address of no screen comes first, so that nothing of the last screen stays.
 */
async function turnTo(page: Page, address: string): Promise<void> {
  for (const path of ['/no-screen', address]) {
    await page.evaluate(`for (const left of document.querySelectorAll('h1')) left.dataset.left = ''`);
    await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.locator('h1:not([data-left])').first().waitFor({ state: 'attached' });
  }
}

/** The desktop size in the theme that the language has there. */
async function arrange({ page }: Person, language: Language): Promise<void> {
  await page.setViewportSize(desk);
  await page.emulateMedia({ colorScheme: lights[language].desk });
}

async function examine(
  person: Person,
  what: string,
  language: Language,
  { whole = true, axe = true, ...rules }: { whole?: boolean; axe?: boolean; names?: boolean; h1?: boolean },
): Promise<void> {
  const name = `${what}-${language}`;
  const light = lights[language];
  const check = async (place: string, ...looks: (() => Promise<string[]>)[]) => {
    const found: string[] = [];
    for (const look of looks) found.push(...(await look()));
    faults.push(...found);
    if (found.length > 0 || allPictures) await person.shoot(`every/${name}-${place}`);
  };
  const axeAt = (place: string) => () => person.axe(`${name}-${place}`);
  const desk = `desk-${light.desk}`;
  await check(desk, () => judge(person, name, { language, ...rules }), ...(axe ? [axeAt(desk)] : []));
  if (whole) await person.page.emulateMedia({ colorScheme: light.phone });
  const phone = `phone-${whole ? light.phone : light.desk}`;
  await check(phone, () => fits(person, name), ...(whole && language === 'en' ? [axeAt(phone)] : []));
}

/** Runs a walk for every person at once, each in a browser context of their own. */
const everybody = (walk: (viewer: Viewer) => Promise<void>) => Promise.all((Object.keys(people) as Viewer[]).map(walk));

/** The two portraits of a screen: light on a desktop, dark on a phone. */
const sittings = [
  { kind: 'desk-light', colorScheme: 'light', size: { width: 1280, height: 900 } },
  { kind: 'phone-dark', colorScheme: 'dark', size: { width: 390, height: 844 } },
] as const;

test('The main screens look like their baselines.', async () => {
  await everybody(async (viewer) => {
    const { page } = people[viewer];
    for (const { name, path, ready, masked } of portraits.filter((one) => one.viewer === viewer)) {
      for (const { kind, colorScheme, size } of sittings) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.goto(path(places(viewer)));
        await settled(page, ready);
        const picture = await shootScreen(page, masked);
        faults.push(...(await differs(browser, `${name}-${kind}`, picture)));
      }
    }
    await page.setViewportSize(desk);
  });
  expect(faults.splice(0)).toEqual([]);
});

const wrong = (name: string) => (error: Error) => {
  faults.push(`${name}: ${error.message.slice(0, 300)}`);
};

test.each(['en', 'ur'] as const)(
  'Every screen and dialog passes the checks in %s, in the light and the dark theme.',
  async (language) => {
    await everybody(async (viewer) => {
      const { page } = people[viewer];
      await page.evaluate(`localStorage.setItem('language', '${language}')`);
      await page.reload();
      for (const screen of routes) {
        if (screen.viewers[0] === viewer || (language === 'en' && screen.viewers.includes(viewer)))
          await lookAt(viewer, screen, language).catch(wrong(`${screen.path(places(viewer))} ${viewer} ${language}`));
      }
      for (const dialog of dialogs) {
        if (dialog.viewer === viewer) await lookInto(dialog, language).catch(wrong(`${dialog.name} ${language}`));
      }
    });
    expect(faults.splice(0)).toEqual([]);
  },
  600_000,
);

test('The console shows no error and no warning.', () => {
  expect(Object.values(people).flatMap((person) => person.complaints)).toEqual([]);
});
