import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAway } from '@lightbox/core/db/away.js';
import { undrawable } from '@lightbox/core/imaging/drawing.js';
import { jobs } from '@lightbox/core/queues/jobs.js';
import { dicomPicture } from '@lightbox/testkit/part10.js';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { childScript } from '../testing/renderer.js';
import { timesOf } from './processorTime.js';
import { RenderCrashed } from './renderer.js';
import { patience, Renderers } from './renderers.js';
import { findSandbox } from './sandbox.js';

describe('the process that renders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-render-'));
  const sandbox = findSandbox();
  let renderers: Renderers;
  afterEach(() => renderers.close());
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    (await sandbox).close();
  });

  function script(onTask: string): URL {
    const file = join(folder, 'child.mjs');
    writeFileSync(file, childScript(onTask));
    return pathToFileURL(file);
  }

  test.each([
    ['dies', 'process.kill(process.pid, "SIGKILL")'],
    ['exits', 'process.exit(0)'],
    ['sends an invalid answer', 'answer({ picture: 1 });'],
    ['sends too large an answer', 'channel.write(Buffer.alloc(8, 0xff));'],
    ['aborts', 'process.abort()'],
    ['uses too much memory', 'for (const all = []; ; ) all.push(new Array(1e5).fill({}))'],
  ])('A renderer that %s fails its file, and the next file is drawn.', async (_name, code) => {
    const module = script(`if (header.contentType === 'bad') { ${code} } measurements(8);`);
    renderers = new Renderers({ module, heapMb: 64, sandbox: await sandbox });
    const draw = (type: string) => renderers.run('measurements', Buffer.alloc(0), type);
    const jobs = ['good', 'bad', 'good', 'bad', 'good'].map(draw);
    const settled = await Promise.allSettled(jobs);
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(draw('bad')).rejects.toBeInstanceOf(RenderCrashed);
  });

  test('A file that always kills the renderer is tried three times, and other files wait at most twice as long.', async () => {
    // A good file takes a tenth of a second of the processor, like a real picture.
    const module = script(`
      if (header.contentType === 'bad') process.kill(process.pid, 'SIGKILL');
      for (const since = process.cpuUsage(); process.cpuUsage(since).user < 100_000; );
      measurements(8);`);
    renderers = new Renderers({ module, sandbox: await sandbox });
    const { attempts } = jobs.renderPreview;
    const draw = (type: string) => renderers.run('measurements', Buffer.alloc(0), type);
    /** Returns the milliseconds until fifteen good files are drawn, with or without a bad file that is retried as its queue retries it. */
    const neighbours = async (bad: boolean) => {
      const since = performance.now();
      const good = Promise.all(Array.from({ length: 15 }, () => draw('good')));
      let crashes = 0;
      for (let tries = 0; bad && tries < attempts; tries++) await draw('bad').catch(() => crashes++);
      await good;
      return { took: performance.now() - since, crashes };
    };
    await draw('good');
    // Other processes of the machine slow the test down too: one good round of three is enough.
    let slower = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && slower >= 2; round++) {
      const alone = await neighbours(false);
      const beside = await neighbours(true);
      expect(beside.crashes).toBe(3);
      slower = beside.took / alone.took;
    }
    expect(slower).toBeLessThan(2);
  });

  test('A file that takes too long cannot be drawn and is not retried, and the next file is drawn.', async () => {
    const module = script("if (header.contentType === 'bad') for (;;); measurements(8);");
    renderers = new Renderers({ module, timeLimitMs: () => 500, sandbox: await sandbox });
    const drawn = ['good', 'bad', 'good'].map((type) => renderers.run('measurements', Buffer.alloc(0), type));
    expect((await Promise.all(drawn)).map((result) => result?.bitDepth)).toEqual([8, undefined, 8]);
  });

  test.runIf(timesOf(process.pid).size > 0)(
    'A file whose threads wait for each other takes no longer than one that works in one thread.',
    async () => {
      const threads = 4 * availableParallelism();
      const module = script(`
        const { Worker } = process.getBuiltinModule('node:worker_threads');
        for (let i = 0; i < ${threads}; i++) new Worker('for (;;);', { eval: true });`);
      renderers = new Renderers({ module, timeLimitMs: () => 1_000, patience: () => 1, sandbox: await sandbox });
      // Beyond twenty times its limit it would be tried again.
      expect(await renderers.run('measurements', Buffer.alloc(0), 'x')).toBeNull();
    },
  );

  test('A file whose machine becomes busy after its start is drawn.', async () => {
    const module = script('for (const until = Date.now() + 1_200; Date.now() < until; ); measurements(8);');
    const begun = performance.now();
    const patience = () => (performance.now() - begun < 300 ? 1 : 100);
    renderers = new Renderers({ module, timeLimitMs: () => 300, patience, sandbox: await sandbox });
    expect((await renderers.run('measurements', Buffer.alloc(0), 'x'))?.bitDepth).toBe(8);
  });

  test('A worker that stops fails no file: it is drawn later, and has spent no attempt.', async () => {
    const module = script('for (;;);');
    renderers = new Renderers({ module, sandbox: await sandbox });
    const drawn = ['one', 'waiting'].map((type) => renderers.run('measurements', Buffer.alloc(0), type));
    const settled = Promise.allSettled(drawn);
    await renderers.close();
    expect((await settled).map((one) => one.status === 'rejected' && isAway(one.reason))).toEqual([true, true]);
  });

  test('A file may take longer on a machine with more work than cores, up to a limit.', () => {
    expect([0.5, 2, 5, 400].map((load) => patience(load, 2))).toEqual([1, 1, 2.5, 5]);
  });

  test('The answer of a renderer is ignored when it is not the picture that was asked for.', async () => {
    const module = script("answer({ picture: { width: 1, height: 1 }, hasText: false }, '<script>');");
    renderers = new Renderers({ module, sandbox: await sandbox });
    expect(await renderers.run('prepare', Buffer.alloc(0), 'x')).toBeNull();
    expect(await renderers.run('measurements', Buffer.alloc(0), 'x')).toBeNull();
  });

  test('A drawing whose frames would be served under a foreign media type is refused.', async () => {
    const drawing = { ...undrawable, mediaType: 'text/html' };
    const facts = JSON.stringify({ drawing, tags: [] });
    const module = script(`answer({ prepared: { preview: null, facts: ${facts.length} } }, ${JSON.stringify(facts)});`);
    renderers = new Renderers({ module, sandbox: await sandbox });
    expect(await renderers.run('prepare', Buffer.alloc(0), 'x')).toBeNull();
  });

  test('A renderer that exceeds its memory limit kills itself.', async () => {
    renderers = new Renderers({ rssBytes: 1024 * 1024, sandbox: await sandbox });
    const big = dicomPicture({ rows: 4000, columns: 4000, pixels: Buffer.alloc(32_000_000, 9) });
    await expect(renderers.run('prepare', big, 'application/dicom')).rejects.toBeInstanceOf(RenderCrashed);
  });

  test('A renderer is replaced after its number of files.', async () => {
    const module = script('globalThis.count = (globalThis.count ?? 0) + 1; measurements(globalThis.count);');
    renderers = new Renderers({ module, recycleAfter: 2, sandbox: await sandbox });
    const counts: unknown[] = [];
    for (let i = 0; i < 4; i++) counts.push((await renderers.run('measurements', Buffer.alloc(0), 'x'))?.bitDepth);
    expect(counts).toEqual([1, 2, 1, 2]);
  });
});
