import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { isAway } from '@lightbox/core/db/away.js';
import { undrawable } from '@lightbox/core/imaging/drawing.js';
import { jobs } from '@lightbox/core/queues/jobs.js';
import {
  dicomPicture,
  element,
  imageModule,
  item,
  partTen,
  picture,
  sequenceEnd,
  syntaxes,
  UNDEFINED,
} from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { childScript } from '../testing/renderer.js';
import { openPictures } from './preview.js';
import { timesOf } from './processorTime.js';
import { RenderCrashed } from './renderer.js';
import { patience, Renderers } from './renderers.js';
import { findSandbox } from './sandbox.js';

const pictures = await openPictures(null);
afterAll(pictures.close);
const preview = async (bytes: Buffer, type: string) =>
  (await pictures.prepare(bytes, type, async () => undefined))?.preview ?? null;

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#345', noise: { type: 'gaussian', mean: 128, sigma: 20 } },
  });

const onePagePdf = (stream: string) => {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 600] /Contents 4 0 R >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ].map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.4\n${objects.join('')}trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`);
};

async function pixelAt(webp: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(webp).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

describe('previews', () => {
  test('The preview of a JPEG is small and upright, and keeps nothing but the pixels.', async () => {
    const secret = 'GPS and a name';
    const jpeg = await noise(1200, 600)
      .withExif({ IFD0: { Artist: secret }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const result = await preview(Buffer.concat([jpeg, Buffer.from(secret)]), 'image/jpeg');
    expect(result).toMatchObject({ width: 256, height: 512 });
    const webp = result?.bytes ?? Buffer.alloc(0);
    expect(webp.includes(secret)).toBe(false);
    expect(await sharp(webp).metadata()).toMatchObject({ format: 'webp', width: 256, height: 512 });
    expect((await sharp(webp).metadata()).exif).toBeUndefined();
  });

  test('Pictures of all kinds get a preview.', async () => {
    const small = await noise(30, 20).png().toBuffer();
    expect(await preview(small, 'image/png')).toMatchObject({ width: 30, height: 20 });
    const cmyk = await noise(30, 20).toColourspace('cmyk').jpeg().toBuffer();
    expect(await preview(cmyk, 'image/jpeg')).toMatchObject({ width: 30, height: 20 });
    const deep = await noise(30, 20).toColourspace('rgb16').png().toBuffer();
    expect(await preview(deep, 'image/png')).toMatchObject({ width: 30, height: 20 });
  });

  test('The preview of a PDF shows its first page in its own colours.', async () => {
    const result = await preview(onePagePdf('1 0 0 rg 0 0 300 300 re f'), 'application/pdf');
    expect(result).toMatchObject({ width: 256, height: 512 });
    const [r, g, b] = await pixelAt(result?.bytes ?? Buffer.alloc(0), 128, 400);
    expect([r, g, b].map((value) => Math.round((value ?? 0) / 100))).toEqual([3, 0, 0]);
    expect(await pixelAt(result?.bytes ?? Buffer.alloc(0), 128, 100)).toEqual([255, 255, 255]);
  });

  test('DICOM pictures get a preview: grey, deflated, with many frames, big.', async () => {
    const ramp = Buffer.alloc(512);
    for (let i = 0; i < 256; i++) ramp.writeUInt16LE(i * 16, i * 2);
    const grey = await preview(dicomPicture({ pixels: ramp }), 'application/dicom');
    expect(grey).toMatchObject({ width: 16, height: 16 });
    const [dark] = await pixelAt(grey?.bytes ?? Buffer.alloc(0), 8, 0);
    const [light] = await pixelAt(grey?.bytes ?? Buffer.alloc(0), 8, 15);
    expect(light).toBeGreaterThan((dark ?? 255) + 150);
    const body = Buffer.concat([imageModule(picture()), element(0x7fe00010, 'OW', ramp)]);
    expect(await preview(partTen(deflateRawSync(body), syntaxes.deflated), 'application/dicom')).toMatchObject({
      width: 16,
    });
    const film = dicomPicture({ frames: '3', pixels: Buffer.concat([ramp, ramp, ramp]) });
    expect(await preview(film, 'application/dicom')).toMatchObject({ width: 16 });
    const big = dicomPicture({ rows: 2000, columns: 1000, pixels: Buffer.alloc(4_000_000, 9) });
    expect(await preview(big, 'application/dicom')).toMatchObject({ width: 256, height: 512 });
  });

  test('A DICOM picture with RLE colours keeps its colours.', async () => {
    // PS3.5 §G: a header of 64 bytes, then per colour runs of one value: 16 × 16 is two runs of 128.
    const planes = [250, 20, 90].map((value) => Buffer.from([0x81, value, 0x81, value]));
    const header = Buffer.alloc(64);
    for (const [index, value] of [3, 64, 68, 72].entries()) header.writeUInt32LE(value, index * 4);
    const fragment = item(Buffer.concat([header, ...planes]));
    const shape = picture({ bits: 8, samples: 3 });
    const pixels = Buffer.concat([
      element(0x7fe00010, 'OB', Buffer.alloc(0), UNDEFINED),
      item(Buffer.alloc(0)),
      fragment,
      sequenceEnd(),
    ]);
    const module = Buffer.concat([imageModule(shape).subarray(0, -10), element(0x00280103, 'US', 0)]);
    const file = partTen(Buffer.concat([module, pixels]), '1.2.840.10008.1.2.5');
    const result = await preview(file, 'application/dicom');
    const [r = 0, g = 0, b = 0] = await pixelAt(result?.bytes ?? Buffer.alloc(0), 8, 8);
    for (const [value, wanted] of [
      [r, 250],
      [g, 20],
      [b, 90],
    ] as const)
      expect(Math.abs(value - wanted)).toBeLessThan(12);
  });

  test('A file that cannot be drawn has the preview null, without an error.', async () => {
    const png = await noise(30, 20).png().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const [bytes, type] of [
      [png.subarray(0, png.length / 2), 'image/png'],
      [png, 'image/jpeg'],
      [svg, 'image/png'],
      [Buffer.from('%PDF-1.4\nnothing\n%%EOF'), 'application/pdf'],
      [Buffer.from('not DICOM'), 'application/dicom'],
      [png, 'text/html'],
    ] as const) {
      expect(await preview(bytes, type)).toBeNull();
    }
  });

  test('A picture for a model is a plain PNG of at most 1024 pixels a side.', async () => {
    const jpeg = await noise(2000, 1000)
      .withExif({ IFD0: { Artist: 'a name' } })
      .jpeg()
      .toBuffer();
    const rendered = await pictures.forModel(jpeg, 'image/jpeg');
    const metadata = await sharp(rendered?.bytes).metadata();
    expect(metadata).toMatchObject({ format: 'png', width: 1024, height: 512 });
    expect(metadata.exif).toBeUndefined();
  });
});

describe('measurements', () => {
  const flat = (value: number) =>
    sharp({ create: { width: 64, height: 64, channels: 3, background: { r: value, g: value, b: value } } });

  test('Brightness and clipping are measured.', async () => {
    const white = await pictures.measure(await flat(255).png().toBuffer(), 'image/png');
    expect(white).toMatchObject({ mean: 255, sd: 0, min: 255, max: 255, white: 1, black: 0, sharpness: 0, noise: 0 });
    const grey = await pictures.measure(await flat(100).png().toBuffer(), 'image/png');
    expect(grey).toMatchObject({ mean: 100, white: 0, black: 0, bitDepth: 8 });
  });

  test('The estimate of the noise equals the noise that was added.', async () => {
    const pixels = Buffer.alloc(128 * 128);
    let state = 1;
    const uniform = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    for (let i = 0; i < pixels.length; i++) {
      const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
      pixels[i] = Math.round(128 + 10 * normal);
    }
    const png = await sharp(pixels, { raw: { width: 128, height: 128, channels: 1 } })
      .png()
      .toBuffer();
    const measured = await pictures.measure(png, 'image/png');
    expect(measured?.noise).toBeGreaterThan(9);
    expect(measured?.noise).toBeLessThan(11);
    expect(measured?.sd).toBeGreaterThan(9);
  });

  test('A CT is measured in Hounsfield units.', async () => {
    const ramp = Buffer.alloc(512);
    for (let i = 0; i < 256; i++) ramp.writeUInt16LE(i * 8, i * 2);
    const rescale = Buffer.concat([element(0x00281052, 'DS', '-1024'), element(0x00281053, 'DS', '1')]);
    const file = partTen(Buffer.concat([imageModule(picture()), rescale, element(0x7fe00010, 'OW', ramp)]));
    const measured = await pictures.measure(file, 'application/dicom');
    expect(measured).toMatchObject({
      values: { min: -1024, max: 1016 },
      bitDepth: 16,
      colour: false,
      min: 0,
      max: 255,
    });
  });
});

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
    // A good file takes a tenth of a second, like a real picture.
    const module = script(`
      if (header.contentType === 'bad') process.kill(process.pid, 'SIGKILL');
      for (const until = Date.now() + 100; Date.now() < until; );
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
    60_000,
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
