import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import { permissions } from '@lightbox/contract/permissions.js';
import { knownSettings } from '@lightbox/contract/settings/known.js';
import type { Page } from 'playwright-core';
import type { Person } from '../person.js';
import { brokenActions, fieldsWithLargeText, rested, smallTargets, spills, withLargeText } from './layout.js';
import type { Language } from './table.js';

/** The names with a dot that some screens list on purpose. */
const proper = new Set<string>([...Object.keys(permissions), ...Object.keys(knownSettings), ...auditActionNames]);

/** Matches the key of a text that was shown instead of the text: "auth.login.title". */
const keyLike =
  /\b(?:common|time|errors|app|landing|auth|users|profile|images|sharing|shareImage|analysis|messages|notifications|audit|roles|settings|overview)\.[a-zA-Z]\w*(?:\.\w+)*/g;

/** Matches code that was shown as a text: a condition without its braces, a value that is no text. */
const codeLike = /&&|\|\||=>|\{\{|\[object \w+\]|\b(?:undefined|NaN)\b/g;

/** Returns all texts of the page, visible ones and those for screen readers. */
const words = (page: Page): Promise<string> =>
  page.evaluate<string>(`[
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('[aria-label], [placeholder], [alt], [title]')].flatMap((element) =>
      ['aria-label', 'placeholder', 'alt', 'title'].map((name) => element.getAttribute(name) ?? '')),
  ].join('\\n')`);

/** The heading of an address without a screen, in each language. */
const noScreen = /We can’t find that page|ہمیں یہ صفحہ نہیں ملا/;

/**
 * Opens a screen inside the page, as the Back button does. Loading the page takes longer than all checks of a screen. An address of no
 * screen comes first, so that nothing of the last visit stays. The address of the page does not tell what it shows: the router changes it
 * before React draws the new screen.
 */
export async function turnTo(page: Page, address: string): Promise<void> {
  const turn = (change: 'pushState' | 'replaceState', path: string) =>
    page.evaluate(`history.${change}(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await turn('pushState', '/no-screen');
  await page.locator('h1', { hasText: noScreen }).waitFor({ state: 'attached' });
  await turn('replaceState', address);
  await page.locator('h1').filter({ hasNotText: noScreen }).first().waitFor({ state: 'attached' });
}

/** Opens a screen inside the page if the page has the app, and otherwise loads the page. */
export async function visit(page: Page, address: string): Promise<void> {
  const isLoaded = await page.evaluate<boolean>(`document.querySelector('h1') !== null`);
  await (isLoaded ? turnTo(page, address) : page.goto(address));
}

/** Waits until the screen is complete: fonts and visible pictures are loaded, and no placeholder is left. */
export async function settled(page: Page, ready?: string): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  if (ready) await page.locator(ready).first().waitFor();
  await page.locator('.chakra-skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  // The content security policy of the page forbids `waitForFunction`.
  await page.evaluate(`new Promise((resolve) => {
    const drawn = (image) => {
      const { top, bottom } = image.getBoundingClientRect();
      return image.complete || bottom < 0 || top > innerHeight;
    };
    const look = () => ([...document.images].every(drawn) ? resolve() : setTimeout(look, 50));
    look();
  })`);
  // Wait for the decoding too: a complete picture may not be drawn yet.
  await page.evaluate(`Promise.allSettled([...document.images].filter((image) => image.complete).map((image) => image.decode()))
    .then(() => undefined)`);
}

/** The windows that the page must fit: a wide one, a small laptop, 1280 px at a zoom of 200 %, and a small phone. */
const phone = { width: 360, height: 740 };
const wide = { width: 1440, height: 900 };
const sizes = [wide, { width: 1024, height: 768 }, { width: 640, height: 512 }, phone];
export const desk = { width: 1280, height: 900 };

/** Returns how many pixels the page is wider than its window, and the elements that cause it. */
const sticksOut = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    const crowded = [...document.querySelectorAll('header :is(a, button)')].find((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (left < 8 || right > innerWidth - 8);
    });
    if (over <= 0) return crowded ? ['no margin in the header: ' + crowded.outerHTML.slice(0, 160)] : [];
    const culprit = [...document.body.querySelectorAll('*')].find((element) => {
      const { left, right } = element.getBoundingClientRect();
      return (right > innerWidth + 0.5 || left < -0.5) && !element.closest('[style*="overflow"]');
    });
    return [over + ' px: ' + (culprit ? culprit.outerHTML.slice(0, 160) : 'unknown')];
  })()`);

/** Returns a fault when a person has to scroll a table to the side. */
async function hidesColumns(page: Page): Promise<string[]> {
  const hidden = await page.evaluate<number>(
    `Math.max(0, ...[...document.querySelectorAll('main :has(> table)')].map((frame) => frame.scrollWidth - frame.clientWidth))`,
  );
  return hidden > 0 ? [`a table hides ${hidden} px of its columns`] : [];
}

/** Checks the rules for every screen in every language, and returns the faults. */
export async function judge(
  { page }: Person,
  name: string,
  { language, names = false, h1 = true }: { language: Language; names?: boolean; h1?: boolean },
): Promise<string[]> {
  const faults: string[] = [];
  const html = page.locator('html');
  const turned = `${await html.getAttribute('lang')} ${await html.getAttribute('dir')}`;
  if (turned !== (language === 'ur' ? 'ur rtl' : 'en ltr')) faults.push(`${name}: the page says ${turned}`);
  const headings = await page.locator('h1').count();
  if (h1 && headings !== 1) faults.push(`${name}: ${headings} h1`);
  faults.push(...(await hidesColumns(page)).map((fault) => `${name}: ${fault}`));
  // A title that begins with a Latin name is a sentence of the page, and has its direction.
  const against = await page.evaluate<string[]>(
    `[...document.querySelectorAll('h1, [role=dialog] h2')]
      .filter((title) => /[\\u0600-\\u06ff]/.test(title.textContent) && getComputedStyle(title).direction !== document.dir)
      .map((title) => title.textContent)`,
  );
  if (language === 'ur' && against.length > 0) faults.push(`${name}: ${against.join(', ')} runs from left to right`);
  const bare = await page.evaluate<number>(`document.querySelectorAll('svg[viewBox="0 0 256 256"]:empty').length`);
  if (bare > 0) faults.push(`${name}: ${bare} icons without a drawing`);
  const texts = await words(page);
  const code = texts.match(codeLike);
  if (code) faults.push(`${name}: ${code.join(' ')} in place of a text`);
  const keys = texts.match(keyLike)?.filter((key) => !(names && proper.has(key)));
  if (keys?.length) faults.push(`${name}: ${keys.join(', ')} in place of a text`);
  return faults;
}

/** Returns a fault when a screen for people without a session does not offer the other languages. */
export async function offersLanguages({ page }: Person, name: string): Promise<string[]> {
  const isOffered = await page.locator('button span[lang]').first().isVisible();
  return isOffered ? [] : [`${name}: no button for another language`];
}

/** Checks the screen in windows of other sizes, and keeps the last one. */
export async function fits({ page }: Person, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    const found = await rested(async () => [
      ...(await sticksOut(page)),
      ...(await spills(page)),
      ...(size === phone ? await hidesColumns(page) : []),
      ...(size === wide ? await brokenActions(page) : []),
    ]);
    if (size === wide) found.push(...(await fieldsWithLargeText(page)));
    faults.push(...found.map((fault) => `${name} at ${size.width} px: ${fault}`));
  }
  const small = await smallTargets(page);
  faults.push(...small.map((fault) => `${name}: a target of ${fault}`));
  const crowded = await withLargeText(page);
  faults.push(...crowded.map((fault) => `${name} with large text: ${fault}`));
  return faults;
}
