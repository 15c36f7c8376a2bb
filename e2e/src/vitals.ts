// `npm run vitals [-- --runs 5 --slower 4 --json <file> --url <address> --email <e-mail> --password <password>]`: measures
// the web vitals of the first visit to the main screens in Chromium. Starts a product of its own, or visits the one at
// the address: the screens after the sign-in then need an account, and it asks for the mailed code. With `--viewer` it measures the
// viewer instead, with `--slow-line` the first visit to /login over a slow line. See docs/performance.md.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProduct } from './product.js';
import { goals } from './vitals/goals.js';
import { observe, type Vitals } from './vitals/observe.js';
import { type Screen, screens } from './vitals/screens.js';
import { type SlowVisit, visitSlowly } from './vitals/slowLine.js';
import { type Figure, measureViewer } from './vitals/viewer.js';

type State = Exclude<BrowserContextOptions['storageState'], string | undefined>;

interface Site {
  url: string;
  person?: { email: string; password: string; code: () => Promise<string> };
  stop: () => Promise<void>;
}

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    email: { type: 'string' },
    password: { type: 'string' },
    runs: { type: 'string', default: '5' },
    slower: { type: 'string', default: '1' },
    'slow-line': { type: 'boolean', default: false },
    json: { type: 'string' },
    viewer: { type: 'boolean', default: false },
  },
});

async function ownSite(): Promise<Site> {
  const product = await startProduct({ demo: true });
  const answer = await fetch(`${product.url}/api/demo`);
  const { data } = (await answer.json()) as { data: { role: string; email: string; password: string }[] };
  const provider = data.find(({ role }) => role === 'healthProvider');
  if (!provider) throw new Error('The product has no demonstration.');
  const code = async () => {
    const [mail] = await product.mailbox.waitFor(provider.email, 'Your verification code', 1);
    return /^Code: (\d+)/m.exec(mail?.text ?? '')?.[1] ?? '';
  };
  return { url: product.url, person: { ...provider, code }, stop: product.stop };
}

function givenSite(url: string): Site {
  const { email, password } = options;
  const stop = async () => undefined;
  if (!email || !password) return { url, stop };
  const code = async () => {
    const ask = createInterface({ input: process.stdin, output: process.stdout });
    const said = await ask.question(`The code that was mailed to ${email}: `);
    ask.close();
    return said.trim();
  };
  return { url, person: { email, password, code }, stop };
}

async function signIn(browser: Browser, { url, person }: Site): Promise<State | undefined> {
  if (!person) return undefined;
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto('/login');
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL('**/verify-account');
  const code = await person.code();
  // The product moves the focus, and would take it back from a later box.
  await page.locator('[data-part=input][data-index="0"]:focus').waitFor();
  await page.keyboard.type(code);
  await page.getByRole('button', { name: 'Verify', exact: true }).last().click();
  await page.getByRole('button', { name: 'Logout' }).first().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Visits a screen in a new browser context, with an empty cache. */
async function visit(browser: Browser, { url }: Site, screen: Screen, state: State | undefined): Promise<Vitals> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    serviceWorkers: 'block',
    ...(screen.signedIn && state ? { storageState: state } : {}),
  });
  try {
    const page = await context.newPage();
    const { result, quiet } = await observe(page, Number(options.slower));
    await page.goto(screen.path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    quiet();
    await screen.act(page);
    return await result();
  } finally {
    await context.close();
  }
}

const median = (figures: number[]): number =>
  figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

async function measure(browser: Browser, site: Site) {
  const state = await signIn(browser, site);
  const rows = [];
  for (const screen of screens.filter(({ signedIn }) => state || !signedIn)) {
    const visits: Vitals[] = [];
    while (visits.length < Number(options.runs)) visits.push(await visit(browser, site, screen, state));
    const of = (what: keyof Vitals) => median(visits.map((one) => one[what]));
    const figures = { lcp: of('lcp'), cls: of('cls'), inp: of('inp'), scriptKb: of('scriptKb') };
    const met = figures.lcp < goals.lcp && figures.cls < goals.cls && figures.inp < goals.inp;
    rows.push({ path: screen.path, ...figures, met, visits });
  }
  return rows;
}

function print(rows: Awaited<ReturnType<typeof measure>>): void {
  console.log(
    `\n| screen | LCP, ms (< ${goals.lcp}) | CLS (< ${goals.cls}) | INP, ms (< ${goals.inp}) | JavaScript, KB | goals |`,
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const { path, lcp, cls, inp, scriptKb, met } of rows) {
    const cells = [path, lcp.toFixed(0), cls.toFixed(3), inp.toFixed(0), scriptKb.toFixed(0), met ? 'met' : 'NOT MET'];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** Measures the viewer with the account of the site. */
async function measureViewerOf(browser: Browser, site: Site): Promise<Figure[]> {
  const state = await signIn(browser, site);
  if (!state) throw new Error('The viewer needs an account: --email and --password.');
  const context = await browser.newContext({
    baseURL: site.url,
    viewport: { width: 1440, height: 900 },
    storageState: state,
  });
  try {
    return await measureViewer(browser, await context.newPage());
  } finally {
    await context.close();
  }
}

function printFigures(figures: Figure[]): void {
  console.log('\n| measure | value | goal | |');
  console.log('| --- | --- | --- | --- |');
  for (const { name, value, unit, goal } of figures) {
    console.log(
      `| ${name} | ${value.toFixed(unit === 's' ? 1 : 0)} ${unit} | < ${goal} | ${value < goal ? 'met' : 'NOT MET'} |`,
    );
  }
}

/** Measures the first visit to /login over a slow line, and prints the medians. */
async function measureSlowLine(browser: Browser, { url }: Site) {
  const visits: SlowVisit[] = [];
  while (visits.length < Number(options.runs)) visits.push(await visitSlowly(browser, url));
  const of = (what: keyof SlowVisit) => median(visits.map((one) => one[what]));
  const [firstPaint, form, requests] = [of('firstPaint'), of('form'), of('requests')];
  const met = firstPaint < goals.slowFirstPaint;
  console.log(`\n| first paint, ms (< ${goals.slowFirstPaint}) | form, ms | requests | goal |`);
  console.log('| --- | --- | --- | --- |');
  console.log(`| ${firstPaint.toFixed(0)} | ${form.toFixed(0)} | ${requests} | ${met ? 'met' : 'NOT MET'} |`);
  return { firstPaint, form, requests, met, visits };
}

async function measureScreens(browser: Browser, site: Site) {
  const rows = await measure(browser, site);
  print(rows);
  return rows;
}

const site = options.url ? givenSite(options.url) : await ownSite();
const browser = await launchChromium();
const stop = () => browser.close().finally(site.stop);
const stopEarly = () => stop().finally(() => process.exit(130));
process.once('SIGINT', stopEarly);
process.once('SIGTERM', stopEarly);
try {
  let rows: object[];
  if (options.viewer) {
    rows = await measureViewerOf(browser, site);
    printFigures(rows as Figure[]);
  } else rows = options['slow-line'] ? [await measureSlowLine(browser, site)] : await measureScreens(browser, site);
  const report = { runs: Number(options.runs), slower: Number(options.slower), goals, rows };
  if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  await stop();
}
