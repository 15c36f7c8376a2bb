import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { line, Person } from './person.js';
import { demoPeople, type OwnProduct, startProduct } from './product.js';
import { differs, renewing, shootScreen } from './screens/baseline.js';
import { desk, fits, judge, offersLanguages, settled, turnTo } from './screens/judge.js';
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

let product: OwnProduct;
let browser: Browser;
let places: (viewer: Viewer) => Places;
let signed = '';
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
      people[viewer] = await Person.arrive(product, browser, account, { viewport: desk, serviceWorkers: 'allow' });
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

/** Changes one setting, and adds one note. */
async function addSetting(): Promise<void> {
  const { page } = people.admin;
  await page.goto('/appsettings');
  await page.getByRole('button', { name: 'Edit Default sharing time' }).click();
  await page.getByLabel('Value of Default sharing time').fill('48');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Default sharing time was saved.').waitFor();
  await page.getByLabel('Name of the new setting').fill('ward.name');
  await page.getByLabel('Value of the new setting').fill('North');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('ward.name was added.').waitFor();
}

/** Reads the ids for the addresses, and waits for a completed analysis. */
async function analyse(): Promise<void> {
  const [image] = await people.healthProvider.call<{ id: string; caption: string }[]>('/upload/my-images');
  const partner = async (viewer: Viewer) => {
    const [chat] = await people[viewer].call<{ user: { id: string } }[]>('/message/chat-list');
    return chat?.user.id ?? '';
  };
  const [provider, patient] = await Promise.all([partner('patient'), partner('healthProvider')]);
  places = (viewer) => ({ image: image?.id ?? '', signed, user: viewer === 'patient' ? provider : patient });
  const { page } = people.healthProvider;
  await page.goto(`/ai-analysis/${image?.id}`);
  await page.getByRole('heading', { name: 'Warnings' }).waitFor();
}

/** Signs the analysis of an image, and opens the image for its patient. The baselines show it before that. */
async function signOpinion(): Promise<string> {
  const { healthProvider: provider, patient } = people;
  const images = await provider.call<{ id: string; caption: string }[]>('/upload/my-images');
  const { id = '' } = images.find(({ caption }) => caption === 'Chest PA, follow-up') ?? {};
  const draft = () => provider.call<{ status: string; version?: number }>(`/analyze/${id}`);
  await expect.poll(async () => (await draft()).status).toBe('completed');
  const text = { comment: 'Your lungs are clear.', edits: { followUp: ['A picture in one year'] } };
  await provider.call(`/analyze/${id}/sign`, 'POST', { version: (await draft()).version, ...text });
  const shares = await provider.call<{ id: string }[]>(`/sharing?imageId=${id}`);
  const mails = (await product.mailbox.mails(patient.email)).map((mail) => mail.text);
  for (const { id: sharingRequestId } of shares) {
    const mail = mails.find((one) => line(one, 'Sharing id') === sharingRequestId) ?? '';
    const body = { sharingRequestId, verificationCode: line(mail, 'Code') };
    await patient.call('/sharing/verify', 'POST', body);
  }
  return id;
}

afterAll(async () => {
  await Promise.all(Object.values(people).map((person) => person.leave()));
  await product?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(Object.entries(people).map(([viewer, person]) => person.shootFailure(`failed-every-${viewer}`)));
});

/** `npm run every-screen` checks and takes pictures of everything. Other runs see a sample. docs/testing.md has the table. */
const everything = process.env.PICTURES === '1';

/** The samples of the language, of the width for axe, and of the viewer do not depend on each other. */
const inLanguage = (at: number, language: Language) => (language === 'en') === (at % 2 === 0);
const widthOf = (at: number) => ((at >> 1) % 2 === 0 ? 'desk' : 'phone');
const viewerOf = (at: number, viewers: readonly Viewer[]) => viewers[(at >> 2) % viewers.length];
/** Each third dialog: the journeys open most of the others. */
const DIALOGS = 3;

/** The colours do not depend on the language, so each language has one theme. */
const lights = { en: 'light', ur: 'dark' } as const;

const file = (path: string) =>
  path
    .replace(/\?.*|[0-9a-f]{24}/g, '')
    .replace(/\W+/g, ' ')
    .trim()
    .replace(/ /g, '-') || 'landing';

async function lookAt(
  viewer: Viewer,
  { path, ready, names = false }: Screen,
  at: number,
  language: Language,
): Promise<void> {
  const person = people[viewer];
  const { page } = person;
  const address = path(places(viewer));
  await page.setViewportSize(desk);
  await turnTo(page, address);
  await settled(page, ready);
  await examine(person, `${file(address)}-${viewer}`, at, language, { names, isPublic: viewer === 'nobody' });
}

async function lookInto(
  { name, viewer, path, open, shown = '[role=dialog]' }: Dialog,
  at: number,
  language: Language,
): Promise<void> {
  const person = people[viewer];
  const { page } = person;
  await page.setViewportSize(desk);
  await page.evaluate(`sessionStorage.removeItem('registration')`);
  await turnTo(page, typeof path === 'string' ? path : path(places(viewer)));
  await settled(page);
  await open(page, language, person);
  await page.locator(shown).first().waitFor();
  await focusFollowed(page);
  await examine(person, `dialog-${name}`, at, language, { names: true, h1: false });
}

/** Waits until the focus is in the dialog: a dialog hides the page behind it at once, and moves the focus a moment later. */
async function focusFollowed(page: Page): Promise<void> {
  await page.locator('[aria-modal=true]:not(:focus-within)').first().waitFor({ state: 'detached' });
  await page.locator('[aria-hidden=true]:focus-within').first().waitFor({ state: 'detached' });
}

/** Checks the desktop, and then the other widths down to the phone; one of the two with axe, with `everything` both. */
async function examine(
  person: Person,
  what: string,
  at: number,
  language: Language,
  { isPublic = false, ...rules }: { names: boolean; h1?: boolean; isPublic?: boolean },
): Promise<void> {
  const check = async (width: 'desk' | 'phone', look: (name: string) => Promise<string[]>) => {
    const name = `${what}-${language}-${width}`;
    const found = await look(name);
    if (isPublic) found.push(...(await offersLanguages(person, name)));
    if (everything || width === widthOf(at)) found.push(...(await person.axe(name)));
    faults.push(...found);
    if (found.length > 0 || everything) await person.shoot(`every/${name}`);
  };
  await check('desk', (name) => judge(person, name, { language, ...rules }));
  await check('phone', (name) => fits(person, name));
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
    let isLoaded = false;
    for (const [at, { name, path, ready, masked, changed }] of portraits.entries()) {
      if (viewer !== portraits[at]?.viewer) continue;
      for (const { kind, colorScheme, size } of sittings.filter((_, n) => everything || renewing || n === at % 2)) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await (isLoaded ? turnTo(page, path(places(viewer))) : page.goto(path(places(viewer))));
        isLoaded = true;
        await settled(page, ready);
        const picture = await shootScreen(page, masked);
        faults.push(...(await differs(browser, `${name}-${kind}`, picture)));
        await changed?.(people[viewer]);
      }
    }
    await page.setViewportSize(desk);
  });
  expect(faults.splice(0)).toEqual([]);
});

/** Each screen is seen once, by one of its viewers; with `everything` by all, in both languages. */
const isSeen = ({ viewers }: Screen, at: number, viewer: Viewer, language: Language): boolean =>
  everything ? viewers.includes(viewer) : viewer === viewerOf(at, viewers) && inLanguage(at, language);

const wrong = (name: string) => (error: Error) => {
  faults.push(`${name}: ${error.message.slice(0, 300)}`);
};

test.each(['en', 'ur'] as const)(
  'The screens and dialogs pass the checks in %s.',
  async (language) => {
    signed ||= await signOpinion();
    await everybody(async (viewer) => {
      const { page } = people[viewer];
      await page.emulateMedia({ colorScheme: lights[language] });
      await page.evaluate(`localStorage.setItem('language', '${language}')`);
      // A sign-in may have left the page at a file, which loads nothing of the app.
      await page.goto('/');
      for (const [at, screen] of routes.entries()) {
        if (isSeen(screen, at, viewer, language))
          await lookAt(viewer, screen, at, language).catch(
            wrong(`${screen.path(places(viewer))} ${viewer} ${language}`),
          );
      }
      for (const [at, dialog] of dialogs.entries()) {
        const isTurn = everything || (at % DIALOGS === 0 && inLanguage(at, language));
        if (dialog.viewer === viewer && isTurn)
          await lookInto(dialog, at, language).catch(wrong(`${dialog.name} ${language}`));
      }
    });
    expect(faults.splice(0)).toEqual([]);
  },
  600_000,
);

test('The console shows no error and no warning.', () => {
  expect(Object.values(people).flatMap((person) => person.complaints)).toEqual([]);
});
