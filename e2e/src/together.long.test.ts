import type { Layers } from '@lightbox/contract/annotations/schemas.js';
import { phantom, phantomFacts } from '@lightbox/testkit/part10.js';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { asGraphicsCard } from './chromium.js';
import { revokedMs, test } from './journey.js';
import { enterProviders, line, Person, password, register } from './person.js';
import { visit } from './screens/judge.js';
import { drag, measures, panes, places, press, shows } from './viewing.js';

/** Two browsers: one asks about a place, the other sees that place; then both look at the picture together. */
const wanted = { email: 'sara.anwar@example.org', username: 'sara.anwar', firstname: 'Sara', lastname: 'Anwar' };
const imran = { email: 'imran.haq@example.org', username: 'imran.haq', firstname: 'Imran', lastname: 'Haq' };
const caption = 'Abdomen, looked at together';
const FRAMES = 12;
/** One press of + makes the picture larger by this factor. */
const STEP = 1.25;

let owner: Person;
let patient: Person;
let film = '';
let share = '';
const ids = { owner: '', patient: '' };
const faults: string[] = [];

test.beforeAll(async ({ browser, shared: product }) => {
  [owner] = (await enterProviders(product, browser, imran)) as [Person];
  await owner.page.addInitScript(asGraphicsCard);
  await register(product, wanted, 'patient');
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  patient = await Person.arrive(product, browser, { email: wanted.email, password }, phone);
  await patient.enter();
  ids.owner = (await owner.call<{ id: string }>('/users/profile')).id;
  ids.patient = (await patient.call<{ id: string }>('/users/profile')).id;
  const file = { name: 'phantom', mimeType: 'application/dicom', buffer: phantom({ frames: FRAMES }) };
  film = (await owner.upload(caption, file)).id;
  const body = { imagemetadataId: film, createdfor: ids.patient };
  share = (await owner.call<{ id: string }>('/sharing/request', 'POST', body)).id;
  const code = line(await patient.mailed('An image was shared with you'), 'Code');
  await patient.call('/sharing/verify', 'POST', { sharingRequestId: share, verificationCode: code });
});

afterAll(async () => {
  await Promise.all([owner?.leave({ close: true }), patient?.leave()]);
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await Promise.all(
    Object.entries({ owner, patient }).map(([name, one]) => one.shootFailure(`failed-together-${name}`)),
  );
});

async function middleOf(locator: Locator): Promise<[number, number]> {
  const box = await locator.boundingBox();
  if (!box) throw new Error('It is not visible.');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

const numberAt = async (page: Page, name: string) => Number(await panes(page).first().getAttribute(`data-${name}`));

test('A pinned message opens at the same frame, window and place on the other side.', async () => {
  const { page } = owner;
  await page.goto(`/viewer/${film}`);
  await shows(page, { frame: 1, frames: FRAMES });
  const pane = panes(page).first();
  await pane.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'r', 'h', '+', '+', '2']) await page.keyboard.press(key);
  const [center, width, zoom] = [-600, 1_500, STEP ** 2];
  // Each key is drawn by itself: the place is chosen after the last two.
  await shows(page, { frame: 3, rotation: 90, flipped: true, center, width });
  await expect.poll(() => numberAt(page, 'zoom')).toBeCloseTo(zoom, 2);
  await press(page, 'Ask about this place');
  faults.push(...(await owner.look('ask-about-place')));
  const [x, y] = await middleOf(pane);
  await page.mouse.click(x + 60, y - 40);
  await page.waitForURL(`**/messages?chat=${ids.patient}`);
  await page.locator(`[data-pinning="${film}"]`).getByText(`Frame 3 of ${FRAMES}`).waitFor();
  await page.getByRole('textbox', { name: /Sara Anwar/ }).fill('What is this?');
  faults.push(...(await owner.look('pinned-composer')));
  await page.getByRole('button', { name: 'Send' }).click();

  const other = patient.page;
  await other.goto(`/messages?chat=${ids.owner}`);
  const card = other.locator(`[data-message] [data-pinned="${film}"]`);
  await card.getByText(`Frame 3 of ${FRAMES}`).waitFor();
  faults.push(...(await patient.look('pinned-message')));
  await card.click();
  await shows(other, { image: film, frame: 3, rotation: 90, flipped: true, center, width });
  // One browser draws with WebGL, the other without it.
  await page.locator(`[data-message] [data-pinned="${film}"]`).click();
  await shows(page, { image: film, frame: 3, rotation: 90, flipped: true, center, width });
  for (const one of [page, other]) {
    const mark = one.locator('[data-place]');
    await mark.waitFor();
    await expect
      .poll(async () => {
        const [[a, b], [c, d]] = [await middleOf(mark), await middleOf(panes(one).first())];
        return Math.max(Math.abs(a - c), Math.abs(b - d));
      })
      .toBeLessThanOrEqual(1);
  }
  await expect.poll(() => numberAt(other, 'zoom')).toBeCloseTo(zoom, 2);
  faults.push(...(await patient.look('pinned-opened')));
  await press(other, 'Back');
  await card.waitFor();
});

test('Marks are there after a reload, and the patient sees them once they are shared.', async () => {
  const [{ page }, other] = [owner, patient.page];
  await page.goto(`/viewer/${film}`);
  await shows(page, { frame: 1, frames: FRAMES });
  const at = await places(panes(page).first());
  const { from, to, length } = phantomFacts.bar;
  await press(page, 'Length');
  await measures(page, 'length', { value: length, within: 0.6, unit: 'mm' }, () => drag(page, at(from), at(to)));
  await press(page, 'Arrow');
  await drag(page, at([100, 60]), at([140, 30]));
  await page.getByRole('textbox', { name: 'Text at the arrow' }).fill('Here?');
  await press(page, 'Done');
  await page.locator('[data-arrow]', { hasText: 'Here?' }).waitFor();
  // “Saved” may still be the word about the length. The four points are those of both marks.
  const points = async () => {
    const { layers } = await owner.call<Layers>(`/upload/image/${film}/annotations`);
    return layers.flatMap(({ marks }) => marks.flatMap((mark) => mark.points));
  };
  await expect.poll(points).toHaveLength(4);
  await page.locator('[data-kept=saved]').first().waitFor();
  faults.push(...(await owner.look('marks')));

  await page.reload();
  await shows(page, { frame: 1 });
  const kept = page.locator('[data-measure][data-kind=length]');
  await kept.waitFor();
  const off = async () => Math.abs(Number(await kept.getAttribute('data-value')) - length);
  await expect.poll(off).toBeLessThanOrEqual(0.6);
  const there = await points();
  const wanted = [from, to, [100, 60], [140, 30]] as const;
  expect(there).toHaveLength(wanted.length);
  wanted.forEach(([x, y], i) => {
    expect(Math.hypot((there[i]?.[0] ?? 0) - x, (there[i]?.[1] ?? 0) - y)).toBeLessThanOrEqual(1);
  });

  await visit(other, `/viewer/${film}`);
  await shows(other, { frame: 1 });
  expect(await other.locator('[data-measure]').count()).toBe(0);
  await page.getByText('Share with everyone who may open this image').click();
  const theirs = other.locator(`[data-measure][data-author="${ids.owner}"]`);
  await theirs.waitFor({ state: 'attached' });
  await expect.poll(() => theirs.getAttribute('data-value')).toBe(await kept.getAttribute('data-value'));
  await other.locator('[data-arrow]', { hasText: 'Here?' }).waitFor({ state: 'attached' });
  faults.push(...(await patient.look('marks-phone')));
  await visit(other, `/messages?chat=${ids.owner}`);
});

test('The patient joins by the invitation, follows, sees pointer and lines, and a revoke ends all of it.', async () => {
  const [{ page }, other] = [owner, patient.page];
  await page.goto(`/viewer/${film}`);
  await shows(page, { frame: 1, frames: FRAMES });
  await press(page, 'Look together');
  const bar = page.getByRole('region', { name: 'Looking together' });
  await bar.getByRole('button', { name: 'Invite Sara Anwar' }).click();
  await bar.getByText('Sara Anwar is invited').waitFor();
  await other.getByRole('link', { name: /together=true/ }).click();
  const here = bar.locator(`[data-here="${ids.patient}"]`);
  const joined = other.getByRole('region', { name: 'Looking together' });
  await joined.getByRole('button', { name: `Follow ${await nameOfOwner()}`, exact: true }).click();
  await joined.locator('button[aria-pressed=true]').waitFor();
  await expect.poll(() => here.count()).toBe(1);
  await bar.getByText('Sara Anwar is here.').waitFor({ state: 'attached' });
  await shows(other, { frame: 1 });
  const pane = panes(page).first();
  await pane.focus();
  for (let frame = 2; frame <= 7; frame++) {
    await page.keyboard.press('ArrowDown');
    await shows(page, { frame });
  }
  await shows(other, { frame: 7 });

  const [x, y] = await middleOf(pane);
  const pointer = other.locator(`[data-pointer="${ids.owner}"]`);
  // Both see the same pixel: the pointer is as far from the middle, in parts of the fitted picture.
  const [box, small] = [await pane.boundingBox(), await panes(other).first().boundingBox()];
  const scale = Math.min(small?.width ?? 0, small?.height ?? 0) / Math.min(box?.width ?? 1, box?.height ?? 1);
  const [left, top] = await middleOf(panes(other).first());
  await expect
    .poll(async () => {
      // A pointer that rests fades after some seconds.
      await page.mouse.move(x + 28, y + 20);
      await page.mouse.move(x + 30, y + 20);
      const at = await pointer.boundingBox({ timeout: 2_000 });
      return Math.max(Math.abs((at?.x ?? 0) - left - 30 * scale), Math.abs((at?.y ?? 0) - top - 20 * scale));
    })
    .toBeLessThanOrEqual(1.5);
  await bar.getByRole('button', { name: 'Draw for the others' }).click();
  // A line fades too.
  const stroke = other.locator(`[data-stroke="${ids.owner}"]`).first().waitFor({ state: 'attached' });
  await page.mouse.move(x - 60, y - 60);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) {
    await page.mouse.move(x - 60 + i * 15, y - 60 + i * 10);
    await page.waitForTimeout(45);
  }
  await stroke;
  faults.push(...(await patient.look('together-phone')), ...(await owner.look('together')));
  await page.mouse.up();

  // A person who moves the picture follows nobody any more.
  await panes(other).first().focus();
  await other.keyboard.press('ArrowUp');
  await other.getByText(/^You no longer follow/).waitFor({ state: 'attached' });
  await shows(other, { frame: 6 });

  await owner.call(`/sharing/${share}`, 'DELETE');
  const ended = Date.now();
  await Promise.all([
    other.locator('[data-viewport][data-state=failed]').waitFor(),
    bar.locator(`[data-here="${ids.patient}"]`).waitFor({ state: 'detached' }),
  ]);
  expect(Date.now() - ended).toBeLessThan(revokedMs() + 1_000);
  await visit(other, `/messages?chat=${ids.owner}`);
  await other.locator(`[data-pinned="${film}"][data-locked]`).waitFor();
  expect(faults).toEqual([]);
  expect(owner.complaints).toEqual([]);
});

async function nameOfOwner(): Promise<string> {
  const { firstname, lastname } = await owner.call<{ firstname: string; lastname: string }>('/users/profile');
  return `${firstname} ${lastname}`;
}
