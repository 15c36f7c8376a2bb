import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { enterProviders, line, Person, password } from './person.js';
import { visit } from './screens/judge.js';

/** These journeys use only the keyboard. */
const assets = join(import.meta.dirname, '../../backend/assets/demo');
const amna = { email: 'amna.tariq@example.org', username: 'amna.tariq', firstname: 'Amna', lastname: 'Tariq' };

let newcomer: Person;
let provider: Person;

test.beforeAll(async ({ browser, shared: product }) => {
  newcomer = await Person.arrive(product, browser, { email: 'zara.malik@example.org', password });
  [provider] = (await enterProviders(product, browser, amna)) as [Person];
  const xray = { name: 'hand.jpg', mimeType: 'image/jpeg', buffer: readFileSync(join(assets, 'hand-xray.jpg')) };
  const scan = { name: 'chest.dcm', mimeType: 'application/dicom', buffer: readFileSync(join(assets, 'chest-ct.dcm')) };
  await provider.upload('Left hand, after fall', xray);
  await provider.upload('Chest CT, axial', scan);
});

afterAll(async () => {
  await Promise.all([newcomer, provider].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ newcomer, provider }).map(([name, person]) => person.shootFailure(`failed-keyboard-${name}`)),
  );
});

interface Focus {
  name: string;
  tag: string;
  type: string;
  visible: boolean;
}

/** Returns the focused element: its accessible name, its tag and type, and true for a visible focus ring. */
const focus = ({ page }: Person): Promise<Focus> =>
  page.evaluate<Focus>(`(() => {
    const at = document.activeElement;
    const labels = [...(at.labels ?? [])].map((label) => label.innerText).join(' ');
    const name = (at.getAttribute('aria-label') || labels || at.innerText || at.value || '').trim();
    const ring = (element) => {
      const { outlineStyle, outlineWidth, boxShadow, opacity } = getComputedStyle(element);
      return opacity !== '0' && ((outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none');
    };
    // A field has its focus ring on the frame around it, a hidden radio on its card or on its group.
    const frames = ['label', '[role=group]', '[role=radiogroup]'].map((frame) => at.closest(frame));
    const around = [at, at.parentElement, ...frames].filter(Boolean);
    return { name, tag: at.tagName, type: at.type ?? '', visible: around.some(ring) };
  })()`);

/** Presses the key until the wanted element has the focus. Every stop on the way must have a visible focus ring. */
async function tabTo(person: Person, wanted: RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 60; step += 1) {
    const at = await focus(person);
    if (at.tag !== 'BODY' && at.tag !== 'MAIN' && at.tag !== 'H1') {
      // The ring may be drawn after the focus has moved, while the screen is still loading. A toast may end meanwhile.
      const seen = async () => {
        const now = await focus(person);
        return now.visible || now.tag === 'BODY';
      };
      await expect.poll(seen, { message: `the focus on "${at.name}"` }).toBe(true);
    }
    if (wanted.test(at.name)) return;
    passed.push(at.name);
    await person.page.keyboard.press(key);
  }
  throw new Error(`Tab never reached ${wanted}, only ${passed.join(' | ')}`);
}

async function type(person: Person, label: RegExp, value: string): Promise<void> {
  await tabTo(person, label);
  await person.page.keyboard.type(value);
}

/** Waits until the element has the focus. */
const focused = async (person: Person, wanted: RegExp) =>
  expect.poll(async () => (await focus(person)).name).toMatch(wanted);

test('A patient registers in four steps and signs in by keyboard, in less than two minutes.', async () => {
  const { page } = newcomer;
  const { keyboard } = page;
  await page.goto('/register');
  await page.getByRole('heading', { name: 'Select Role' }).waitFor();
  const start = Date.now();
  await tabTo(newcomer, /^Patient/);
  await keyboard.press('Space');
  await tabTo(newcomer, /^Next/);
  await keyboard.press('Enter');
  // Each step takes the focus a moment after it is drawn.
  await focused(newcomer, /^Personal Details/);
  await type(newcomer, /^First name/, 'Zara');
  await type(newcomer, /^Last name/, 'Malik');
  await type(newcomer, /^Email/, newcomer.email);
  await type(newcomer, /^Username/, 'zara.malik');
  await keyboard.press('Enter');
  await focused(newcomer, /^Medical Details/);
  await type(newcomer, /^Primary physician/, 'Dr Amna Tariq');
  await keyboard.press('Enter');
  await focused(newcomer, /^Security & Submit/);
  await type(newcomer, /^Password/, password);
  await keyboard.press('Tab');
  await type(newcomer, /^Confirm password/, password);
  await keyboard.press('Enter');

  await page.waitForURL('**/verify-account');
  await focused(newcomer, /^Digit 1 of 6/);
  await keyboard.type(line(await newcomer.mailed('Your verification code'), 'Code'));
  await keyboard.press('Enter');
  await page.waitForURL('**/view-images');
  expect(Date.now() - start).toBeLessThan(whenBusy(120_000));
});

test('The first Tab offers to skip the menu.', async () => {
  const { page } = newcomer;
  await page.reload();
  await page.getByRole('heading', { name: 'View Images' }).waitFor();
  await page.keyboard.press('Tab');
  await focused(newcomer, /^Skip to content$/);
  await expect.poll(async () => (await focus(newcomer)).visible).toBe(true);
  await page.keyboard.press('Enter');
  const inContent = () => page.evaluate<boolean>(`document.querySelector('main').contains(document.activeElement)`);
  await expect.poll(inContent).toBe(true);
  await page.keyboard.press('Tab');
  await expect.poll(inContent).toBe(true);
});

test('The arrow keys go from card to card in the gallery.', async () => {
  const { page } = provider;
  await page.goto('/view-images');
  const cards = page
    .getByRole('list')
    .filter({ has: page.locator('article') })
    .first()
    .locator('article');
  await cards.nth(1).waitFor();
  const at = () => page.evaluate<string>(`document.activeElement.closest('article')?.dataset.image ?? ''`);
  const ids = await Promise.all((await cards.all()).map((card) => card.getAttribute('data-image')));
  await cards.first().getByRole('button').first().focus();
  expect(ids.length).toBeGreaterThan(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(at).toBe(ids[1]);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(at).toBe(ids[0]);
  // The narrow window shows one list at a time, so the cards are drawn again.
  await page.setViewportSize({ width: 390, height: 844 });
  const uploaded = page.getByRole('group', { name: 'Which images' }).getByRole('button', { name: 'Uploaded Images' });
  await uploaded.click();
  await uploaded.and(page.locator('[aria-pressed=true]')).waitFor();
  await cards.nth(1).waitFor();
  await cards.first().getByRole('button').first().focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(at).toBe(await cards.nth(1).getAttribute('data-image'));
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('An image is shared by keyboard, and the focus returns to its button.', async () => {
  const { page } = provider;
  const { keyboard } = page;
  await visit(page, '/view-images');
  await page.getByRole('button', { name: 'Share Left hand, after fall' }).first().waitFor();
  await tabTo(provider, /^Share Left hand/);
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Share (Left hand, after fall)' }).waitFor();
  await focused(provider, /^Share with/);
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await focused(provider, /^Share Left hand/);

  await keyboard.press('Enter');
  await focused(provider, /^Share with/);
  await keyboard.type('zara');
  // Wait until the search is answered: a row of the list before it would lose the focus.
  await page.getByRole('group', { name: 'People' }).and(page.locator('[aria-busy=false]')).waitFor();
  await tabTo(provider, /Malik, Zara/);
  await keyboard.press('Space');
  await tabTo(provider, /^Share with/);
  await keyboard.press('Enter');
  // The toast is in a polite live region, and does not take the focus.
  await page.getByRole('status').filter({ hasText: 'Shared with Zara Malik.' }).waitFor();
  await focused(provider, /^Share Left hand/);
});

test('The code is entered by keyboard, and a screen reader announces every try.', async () => {
  const { page } = newcomer;
  const { keyboard } = page;
  await page.getByRole('button', { name: /^Verify Left hand/ }).waitFor();
  const code = line(await newcomer.mailed('An image was shared with you'), 'Code');
  await tabTo(newcomer, /^Verify Left hand/);
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Verify Image' });
  await dialog.waitFor();
  await focused(newcomer, /^Digit 1 of 6/);
  const boxes = dialog.getByRole('group', { name: 'Enter Code:' });
  expect(await boxes.getByRole('textbox').count()).toBe(6);
  await keyboard.type(code === '000000' ? '000001' : '000000');
  await keyboard.press('Enter');
  await dialog.getByRole('alert').filter({ hasText: '4 tries left' }).waitFor();
  await focused(newcomer, /^Digit 1 of 6/);
  await keyboard.type(code);
  await keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'You can see it now.' }).waitFor({ state: 'attached' });
  await focused(newcomer, /^Open image/);
  await keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The button has disappeared: the focus stays on the same card.
  await focused(newcomer, /Left hand/);
});

test('A message is sent by keyboard, and a new one is announced in the log.', async () => {
  const { page } = newcomer;
  const { keyboard } = page;
  await tabTo(newcomer, /^Messages/, 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Chats', exact: true }).waitFor();
  await tabTo(newcomer, /^New chat/);
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Select User to Chat' }).waitFor();
  await focused(newcomer, /Search user by name or email/);
  await keyboard.press('Escape');
  await focused(newcomer, /^New chat/);
  await keyboard.press('Enter');
  await focused(newcomer, /Search user by name or email/);
  await keyboard.type('amna');
  // The list of everybody has her too: a row of it would lose the focus when the search is answered.
  await page.locator('[role=dialog] [aria-busy=false] li').getByText('Amna Tariq').first().waitFor();
  await tabTo(newcomer, /Amna Tariq/);
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Send Message' }).waitFor();
  await focused(newcomer, /^Message/);
  await keyboard.type('I can see my hand.');
  await keyboard.press('Enter');

  const log = page.getByRole('log', { name: 'Messages with Amna Tariq' });
  await log.getByText('I can see my hand.').waitFor();
  await focused(newcomer, /^(Message to|Write a message)/);
  await expect.poll(() => log.getAttribute('aria-live')).toBe('polite');
  await provider.page.goto('/messages');
  await provider.page.getByRole('link', { name: /Zara Malik/ }).focus();
  await provider.page.keyboard.press('Enter');
  await provider.page.getByRole('textbox', { name: /Message to|Write a message/ }).focus();
  await provider.page.keyboard.type('Good.');
  await provider.page.keyboard.press('Enter');
  await log.getByText('Good.').waitFor();
});

test('A screen reader finds the parts of the page by their roles and names.', async () => {
  const { page } = newcomer;
  const tree = () => page.locator('body').ariaSnapshot();
  for (const part of [
    /- banner/,
    /- navigation "Menu"/,
    /- main/,
    /- heading "Messages" \[level=1\]/,
    /- log "Messages with Amna Tariq"/,
    /- textbox "(Message to|Write a message)/,
    /- button "Send"/,
    /- button "Notifications/,
    /- region "Notifications/,
  ]) {
    await expect.poll(tree).toMatch(part);
  }
  expect([newcomer, provider].flatMap((person) => person.complaints)).toEqual([]);
});
