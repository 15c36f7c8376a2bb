import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dicomPicture, element } from '@lightbox/testkit/part10.js';
import type { Browser, Page } from 'playwright-core';

const SLICES = 300;
const MANY_SLICES = 500;
const SIDE = 512;
/** The size of the large file: 2240 x 2240 values of 16 bits are 10 MB. */
const LARGE_SIDE = 2240;
/** The longest time that a step may take, on a busy machine too. */
const STEP_MS = 300_000;

/** One figure of the viewer. Its goal is met when the value is below. */
export interface Figure {
  name: string;
  value: number;
  unit: 'ms' | 's' | 'MB';
  goal: number;
}

const pixels = randomBytes(SIDE * SIDE * 2);

const slice = (instance: number): Buffer =>
  dicomPicture(
    { rows: SIDE, columns: SIDE, pixels },
    Buffer.concat([
      element(0x00100010, 'PN', 'MALIK^SARA'),
      element(0x0020000d, 'UI', '2.25.777'),
      element(0x0020000e, 'UI', '2.25.7771'),
      element(0x00200013, 'IS', String(instance)),
      element(0x00200032, 'DS', `0\\0\\${instance}`),
      element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0'),
    ]),
  );

const largeFile = (): Buffer =>
  dicomPicture({ rows: LARGE_SIDE, columns: LARGE_SIDE, pixels: randomBytes(LARGE_SIDE * LARGE_SIDE * 2) });

/** Sends a file by the API of the product. Returns the ids of its image and its study. */
async function upload(page: Page, file: Buffer): Promise<{ id: string; studyId: string | null }> {
  const token = await page.evaluate<string>("JSON.parse(localStorage.getItem('root')).token");
  const answer = await page.request.post('/api/upload/image', {
    headers: { Authorization: `Bearer ${token}` },
    multipart: { caption: 'Phantom', file: { name: 'phantom', mimeType: 'application/dicom', buffer: file } },
  });
  if (!answer.ok()) throw new Error(`The upload failed: ${answer.status()} ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: string; studyId: string | null } }).data;
}

/** Sends a folder of slices by the screen. Returns the seconds until all of them are stored. */
async function uploadFolder(page: Page, folder: string): Promise<number> {
  for (let n = 1; n <= SLICES; n++) writeFileSync(join(folder, `IM${String(n).padStart(4, '0')}`), slice(n));
  await page.goto('/upload');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await chooser).setFiles(folder);
  await page
    .getByRole('button', { name: `Upload ${SLICES} files`, exact: true })
    .last()
    .click({ timeout: STEP_MS });
  const start = Date.now();
  await page.getByText(`${SLICES} files uploaded`).first().waitFor({ timeout: STEP_MS });
  return (Date.now() - start) / 1000;
}

/** Goes from the gallery to a path of the viewer. Returns the milliseconds until a pane has drawn its pixels. */
async function open(page: Page, path: string): Promise<number> {
  await page.goto('/view-images');
  await page.waitForLoadState('networkidle');
  return page.evaluate<number>(`new Promise((done) => {
    const start = performance.now();
    const look = () => document.querySelector('[data-viewport][data-state=drawn]')
      ? done(performance.now() - start)
      : requestAnimationFrame(look);
    history.pushState({}, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate', { state: {} }));
    look();
  })`);
}

/**
 * Turns the wheel, thirty times in a second, until the last frame is on screen: a browser may join two turns. Returns the
 * duration of the longest task, in milliseconds.
 */
async function scrollThrough(page: Page, frames: number): Promise<number> {
  const pane = page.locator(`[data-viewport][data-state=drawn][data-frames="${frames}"]`).first();
  await pane.waitFor({ timeout: STEP_MS });
  await page.evaluate(`longTasks = [0];
    longTaskObserver = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)));
    longTaskObserver.observe({ type: 'longtask' })`);
  await pane.hover();
  const end = Date.now() + STEP_MS;
  while ((await pane.getAttribute('data-frame')) !== String(frames)) {
    if (Date.now() > end) throw new Error(`Frame ${frames} was not drawn.`);
    await Promise.all([page.mouse.wheel(0, 100), page.waitForTimeout(33)]);
  }
  return page.evaluate<number>('longTaskObserver.disconnect(), Math.max(...longTasks)');
}

/** Returns the memory of the largest page process, in MB. Memory that it shares with others counts in part. */
async function memoryOf(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1]));
  return Math.max(...sizes) / 1000;
}

/** Uploads a study and a large file, opens them in the viewer and goes through the study. The page is signed in. */
export async function measureViewer(browser: Browser, page: Page): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-vitals-'));
  try {
    const uploaded = await uploadFolder(page, folder);
    const { id: large } = await upload(page, largeFile());
    const { studyId } = await upload(page, slice(SLICES + 1));
    // The first opening loads the imaging library.
    await open(page, `/viewer/${large}`);
    const largeMs = await open(page, `/viewer/${large}`);
    const studyMs = await open(page, `/viewer/study/${studyId}`);
    const longest = await scrollThrough(page, SLICES + 1);
    for (let n = SLICES + 2; n <= MANY_SLICES; n++) await upload(page, slice(n));
    await open(page, `/viewer/study/${studyId}`);
    await scrollThrough(page, MANY_SLICES);
    return [
      { name: `upload of ${SLICES} slices`, value: uploaded, unit: 's', goal: 60 },
      { name: 'first picture of a file of 10 MB', value: largeMs, unit: 'ms', goal: 1000 },
      { name: 'first picture of the study', value: studyMs, unit: 'ms', goal: 1500 },
      { name: 'longest task while scrolling the study', value: longest, unit: 'ms', goal: 50 },
      { name: `memory of the tab with ${MANY_SLICES} slices`, value: await memoryOf(browser), unit: 'MB', goal: 600 },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
