import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { childScript } from '../testing/renderer.js';
import { timesOf } from './processorTime.js';
import { RenderCrashed } from './renderer.js';
import { type RendererOptions, Renderers } from './renderers.js';
import { findSandbox } from './sandbox.js';

const folder = mkdtempSync(join(tmpdir(), 'lightbox-starved-'));
const sandbox = await findSandbox();
let others: ChildProcess[] = [];
let renderers: Renderers;

/** Every core has other work, of ordinary priority, all the time. */
beforeAll(async () => {
  others = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  await Promise.all(others.map((other) => once(other, 'spawn')));
});
afterEach(() => renderers.close());
afterAll(async () => {
  for (const other of others) other.kill('SIGKILL');
  rmSync(folder, { recursive: true });
  sandbox.close();
});

const MINUTES = 60_000;

const lowest = `
  import { writeFileSync } from 'node:fs';
  import { setPriority } from 'node:os';
  setPriority(19);
  try { writeFileSync('/proc/self/autogroup', '19'); } catch {}`;

describe.runIf(timesOf(process.pid).size > 0)('beside work that takes all processors,', () => {
  /** Opens renderers of a script with the lowest priority. Nothing but the waits makes their limits longer. */
  function open(onTask: string, options: Partial<RendererOptions>): void {
    const file = join(folder, 'child.mjs');
    writeFileSync(file, `${lowest}${childScript(onTask)}`);
    renderers = new Renderers({ module: pathToFileURL(file), patience: () => 1, sandbox, ...options });
  }
  const measure = () => renderers.run('measurements', Buffer.alloc(0), 'x');

  test('a picture is drawn', { timeout: 10 * MINUTES }, async () => {
    renderers = new Renderers({ sandbox });
    const png = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#345' } })
      .png()
      .toBuffer();
    expect(await renderers.run('frame', png, 'image/png')).toMatchObject({ width: 300, height: 200 });
  });

  test('a file that waits for a processor for longer than its limit is drawn', { timeout: 2 * MINUTES }, async () => {
    open(
      `const begun = performance.now(), { user, system } = process.cpuUsage();
       for (let waited = 0; waited < 2_500; ) {
         const used = process.cpuUsage();
         waited = performance.now() - begun - (used.user - user + used.system - system) / 1000;
       }
       measurements(8);`,
      { timeLimitMs: () => 2_000 },
    );
    expect((await measure())?.bitDepth).toBe(8);
  });

  test('a file that waits for something else is refused at its limit', { timeout: 2 * MINUTES }, async () => {
    open('', { timeLimitMs: () => 2_000 });
    expect(await measure()).toBeNull();
  });

  test('a file that gets too little processor time does not hold up the next one', {
    timeout: 2 * MINUTES,
  }, async () => {
    open("if (header.contentType === 'slow') for (;;); measurements(8);", { timeLimitMs: () => 3_000 });
    let hasEnded = false;
    const slow = renderers.run('measurements', Buffer.alloc(0), 'slow').catch(() => undefined);
    void slow.then(() => {
      hasEnded = true;
    });
    expect((await measure())?.bitDepth).toBe(8);
    expect(hasEnded).toBe(false);
  });

  test('a file that never ends is given up', { timeout: 2 * MINUTES }, async () => {
    open('for (;;);', { timeLimitMs: () => 1_000 });
    const given = await measure().catch((error) => error);
    expect(given === null || given instanceof RenderCrashed).toBe(true);
  });
});
