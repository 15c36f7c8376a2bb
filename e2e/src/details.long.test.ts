import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { doors } from '@lightbox/contract/doors.js';
import { queueNames } from '@lightbox/contract/queues.js';
import { phantom } from '@lightbox/testkit/part10.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { asAdministrator, enterAdministrator, enterProviders, type Person } from './person.js';
import { desk, visit } from './screens/judge.js';

const assets = join(import.meta.dirname, '../../backend/assets/demo');
const saba = { email: 'saba.latif@example.org', username: 'saba.latif', firstname: 'Saba', lastname: 'Latif' };
const umair = { email: 'umair.latif@example.org', username: 'umair.latif', firstname: 'Umair', lastname: 'Latif' };

let provider: Person;
let colleague: Person;
let wrist: string;

test.beforeAll(async ({ browser, shared: product }) => {
  [provider, colleague] = (await enterProviders(product, browser, saba, umair)) as [Person, Person];
  const buffer = readFileSync(join(assets, 'hand-xray.jpg'));
  ({ id: wrist } = await provider.upload('Right wrist', { name: 'wrist.jpg', mimeType: 'image/jpeg', buffer }));
  const idOf = async (person: Person) => (await person.call<{ id: string }>('/users/profile')).id;
  const [ownId, otherId] = await Promise.all([idOf(provider), idOf(colleague)]);
  await provider.call('/message/send', 'POST', { recipientId: otherId, content: 'Could you look at the wrist?' });
  await colleague.call('/message/send', 'POST', { recipientId: ownId, content: 'Yes, after the round.' });
});

afterAll(async () => {
  await Promise.all([provider, colleague].map((person) => person?.leave()));
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await provider.shootFailure('failed-details');
});

const openImage = async (page: Page, language: 'en' | 'ur') => {
  await page.evaluate(`localStorage.setItem('language', '${language}')`);
  await page.goto('/view-images');
  await page.locator(`html[lang=${language}]`).waitFor();
  await page.locator('article[data-image] button').first().click();
  await page.getByRole('dialog').getByRole('img').first().waitFor();
};

test('“Not for diagnosis” has an opaque ground, so it can be read over a bright picture.', async () => {
  const { page } = provider;
  await openImage(page, 'en');
  await page.getByRole('dialog').getByText('Not for diagnosis').waitFor();
  const ground = await page.evaluate<string>(`(() => {
    const all = [...document.querySelectorAll('[role=dialog] *')];
    const chip = all.find((one) => one.children.length === 0 && one.textContent === 'Not for diagnosis');
    return getComputedStyle(chip).backgroundColor;
  })()`);
  expect(ground).toMatch(/^rgb\(/);
});

test('The film fills the height of the dialog beside its side panel, in Urdu too.', async () => {
  const { page } = provider;
  await openImage(page, 'ur');
  const rest = () =>
    page.evaluate<number>(`(() => {
      const dialog = document.querySelector('[role=dialog]');
      const grid = [...dialog.querySelectorAll('*')].find((one) => getComputedStyle(one).display === 'grid');
      return Math.abs(grid.children[0].getBoundingClientRect().height - grid.scrollHeight);
    })()`);
  await expect.poll(rest).toBeLessThan(2);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('The tail of a bubble follows the page, also under a text of the other direction.', async () => {
  const { page } = provider;
  await visit(page, '/messages');
  await page.locator('html[lang=ur]').waitFor();
  await page.locator('[data-row], [data-chat]').first().click();
  await page.getByRole('log').locator('[data-message]').nth(1).waitFor();
  const corners = await page.evaluate<{ own: boolean; left: string; right: string }[]>(`
    [...document.querySelectorAll('[role=log] [data-message]')].flatMap((row) => {
      const bubble = [...row.querySelectorAll('*')].find((one) => getComputedStyle(one).whiteSpace === 'pre-wrap');
      if (!bubble) return [];
      const { borderBottomLeftRadius: left, borderBottomRightRadius: right } = getComputedStyle(bubble);
      return [{ own: row.closest('[data-own]') !== null, left, right }];
    })`);
  expect(corners.length).toBeGreaterThan(1);
  for (const { own, left, right } of corners) expect(own ? left : right).toBe('5px');
});

test('The tooltip of the menu disappears when the focus has passed it.', async () => {
  const { page } = provider;
  await page.evaluate(`localStorage.setItem('language', 'en')`);
  await page.goto('/view-images');
  await page.locator('article').first().waitFor();
  await page.locator('body').press('Tab');
  const inContent = () => page.evaluate<boolean>(`document.querySelector('main').contains(document.activeElement)`);
  for (let i = 0; i < 40 && !(await inContent()); i++) await page.keyboard.press('Tab');
  expect(await inContent()).toBe(true);
  await expect.poll(() => page.locator('[role=tooltip]:visible').count()).toBe(0);
});

test('On a phone an opened image is seen from its top, and the focus is on the screen.', async () => {
  const { page } = provider;
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`/view-images?image=${wrist}`);
  await page.getByRole('dialog').getByRole('img').first().waitFor();
  // The dialog takes the focus, and may scroll, after it is drawn.
  await expect.poll(() => page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))',
  );
  const isSeen = `(() => {
    const { bottom } = document.activeElement.getBoundingClientRect();
    const scrolled = [...document.querySelectorAll('[role=dialog], [role=dialog] *')].some((one) => one.scrollTop > 0);
    return !scrolled && bottom <= innerHeight;
  })()`;
  await expect.poll(() => page.evaluate(isSeen)).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('The marks on the films of the landing page do not overlap on a phone.', async () => {
  const { page } = provider;
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(page, '/');
  await page.getByText('14 NOV 2026').first().waitFor();
  const overlaps = () =>
    page.evaluate<string[]>(`(() => {
    const isMark = (one) => {
      const { position, whiteSpace, fontSize } = getComputedStyle(one);
      return position === 'absolute' && whiteSpace === 'nowrap' && fontSize === '12px';
    };
    const marks = [...document.querySelectorAll('main *')]
      .filter(isMark)
      .map((one) => ({ text: one.textContent, at: one.getBoundingClientRect() }))
      .filter(({ at }) => at.width > 0);
    return marks.flatMap(({ text, at }, i) =>
      marks
        .slice(i + 1)
        .filter(({ at: b }) => at.left < b.right && b.left < at.right && at.top < b.bottom && b.top < at.bottom)
        .map((other) => text + ' and ' + other.text),
    );
  })()`);
  // The marks have their size when their font is loaded.
  await page.evaluate('document.fonts.ready.then(() => null)');
  await expect.poll(overlaps).toEqual([]);
});

test('The board of the queues opens from the admin dashboard, and shows every queue.', async ({
  browser,
  shared: product,
}) => {
  const one = { email: 'qadir.aslam@example.org', username: 'qadir.aslam', firstname: 'Qadir', lastname: 'Aslam' };
  const admin = await enterAdministrator(product, browser, one);
  const { page } = admin;
  await page.goto('/admin-dashboard');
  await page.getByRole('button', { name: 'Open the queues' }).click();
  await page.waitForURL(`**${doors.queues}**`);
  // Scripts of the board draw them: its policy must let the browser find these.
  for (const name of queueNames) await page.getByText(name, { exact: true }).first().waitFor();
  if (process.env.PICTURES === '1') await admin.shoot('queue-board');
  // The board asks for fonts of another host, which the policy refuses. Nothing else is missing.
  expect(admin.complaints.filter((text) => !text.startsWith("Loading the stylesheet 'https://fonts."))).toEqual([]);
  await admin.leave();
});

test('A DICOM file opens in another viewer, by an address that works until its person ends it.', async ({
  shared: product,
}) => {
  const value = 'https://ohif.example.org/viewer?StudyInstanceUIDs={study}#token={token}';
  const asAdmin = asAdministrator(product);
  const { page } = provider;
  await page.setViewportSize(desk);
  await provider.upload('Abdomen', {
    name: 'a.dcm',
    mimeType: 'application/dicom',
    buffer: phantom({ study: '5501' }),
  });
  await openImage(page, 'en');
  const act = page.getByRole('button', { name: 'Open in another viewer' });
  expect(await act.count()).toBe(0);
  const setting = await asAdmin<{ id: string }>('POST', '/appsetting/add', { name: 'viewer.url', value });
  await act.click();
  const link = page.getByRole('link', { name: 'Open ohif.example.org' });
  const [, token] =
    /StudyInstanceUIDs=2\.25\.75501#token=(lbx_\S+)$/.exec((await link.getAttribute('href')) ?? '') ?? [];
  const status = async () =>
    (await fetch(`${product.url}${doors.dicomWeb}/studies`, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  expect(await provider.lookTwice('other-viewer')).toEqual([]);
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('The address no longer works.').waitFor();
  await act.waitFor();
  expect(await status()).toBe(401);
  await asAdmin('DELETE', '/appsetting/delete', { id: setting.id });
});
