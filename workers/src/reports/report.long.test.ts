import { createHash, randomUUID } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { Client } from '@lightbox/backend/testing/client.js';
import { buildPatient, buildProvider, buildShare, type Person } from '@lightbox/backend/testing/factories.js';
import { buildGateway, type TestGateway } from '@lightbox/backend/testing/gateway.js';
import type { Terms } from '@lightbox/contract/analysis/terms.js';
import { urduTerms } from '@lightbox/contract/analysis/terms.ur.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildImage } from '../testing/buildImage.js';
import { type RunningWorker, startWorker } from '../worker.js';
import { reportDocument } from './document.js';

let test: TestGateway;
let worker: RunningWorker;
let owner: Person;

beforeAll(async () => {
  test = await buildGateway();
  owner = await buildProvider(test.gateway);
  const { config } = test;
  worker = await startWorker({ ...config, worker: { ...config.worker, queues: ['analysis', 'previews'] } });
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await test?.stop();
});

/** Returns the text of each page, and its size in points. */
async function pagesOf(pdf: Buffer): Promise<{ text: string; view: number[] }[]> {
  // The library needs a function that Node 20 does not have.
  Promise.withResolvers ??= function withResolvers<T>() {
    let [resolve, reject] = [(_: T | PromiseLike<T>) => {}, (_?: unknown) => {}];
    const promise = new Promise<T>((done, failed) => {
      [resolve, reject] = [done, failed];
    });
    return { promise, resolve, reject };
  };
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
  const numbers = Array.from({ length: document.numPages }, (_, at) => at + 1);
  return Promise.all(
    numbers.map(async (number) => {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      return { text: items.map((item) => ('str' in item ? item.str : '')).join(' '), view: page.view };
    }),
  );
}

it('A run is a version with provenance, and its report is a PDF document that says DRAFT until somebody signs.', async () => {
  const patient = await buildPatient(test.gateway);
  const file = await sharp({ create: { width: 320, height: 300, channels: 3, background: '#777' } })
    .png()
    .toBuffer();
  const image: ImageDoc = await buildImage(test.gateway, file, {
    contentType: 'image/png',
    owner: owner._id,
    patient: patient._id,
    preview: 'pending',
  });
  const built = { _id: image._id, id: String(image._id), owner };
  await buildShare(test.gateway, { image: built, recipient: patient, verified: true });
  const api = new Client(test.url).as(owner);
  const get = async () => (await api.get(`/analyze/${image._id}`)).body.data;
  await expect.poll(async () => (await get()).status).toBe('completed');
  const draft = await get();
  expect(draft).toMatchObject({ review: { state: 'draft' }, version: 1, modelVersion: '2', stale: false });
  const version = await test.gateway.models.AnalysisVersion.findOne({ image: image._id }).lean<AnalysisVersionDoc>();
  expect(version).toMatchObject({ kind: 'run', by: owner._id });
  expect(version?.run.inputSha256).toBe(createHash('sha256').update(file).digest('hex'));

  /** Asks until the report is drawn: a busy machine takes longer than the call waits. */
  const report = async (as: Person, language = 'en') => {
    const ask = () => new Client(test.url).as(as).get(`/analyze/${image._id}/report?language=${language}`).buffer();
    await expect.poll(async () => (await ask()).status).toBe(200);
    return pagesOf((await ask()).body);
  };
  const pages = await report(owner);
  expect(pages.every(({ text }) => text.includes('DRAFT'))).toBe(true);
  expect(pages[0]?.view.map(Math.round)).toEqual([0, 0, 595, 842]);
  expect(pages.at(-1)?.text).toContain(`Page ${pages.length} of ${pages.length}`);
  expect(pages.map(({ text }) => text).join(' ')).toContain(version?.run.inputSha256);
  // The provider only measures: an empty list does not mean that nothing was found.
  expect(pages.map(({ text }) => text).join(' ')).toContain('Not assessed: no diagnostic model is configured.');
  await new Client(test.url).as(patient).get(`/analyze/${image._id}/report`).expect(404);
  const urdu = (await report(owner, 'ur')).map(({ text }) => text).join(' ');
  expect(urdu).toMatch(/320 × 300/);
  expect(urdu).not.toMatch(/diagnostic model|pixels|Measurements/);

  // On a busy machine the answer comes before the drawing.
  await expect.poll(async () => (await api.get(`/upload/image/${image._id}/frames`)).status).toBe(200);
  // A picture without spacing is measured in pixels: 30 columns and 40 rows.
  const length = {
    id: randomUUID(),
    kind: 'length',
    frame: 1,
    points: [
      [10, 10],
      [40, 50],
    ],
  };
  const arrow = {
    id: randomUUID(),
    kind: 'arrow',
    frame: 1,
    points: [
      [99, 99],
      [150, 150],
    ],
    text: 'Look <b>here</b>',
  };
  const ellipse = {
    id: randomUUID(),
    kind: 'ellipse',
    frame: 1,
    points: [
      [30, 40],
      [30, 20],
      [20, 30],
      [40, 30],
    ],
    pixels: { mean: 61.25, deviation: 4.518 },
  };
  const layer = { version: 0, shared: true, marks: [length, arrow, ellipse] };
  const { version: kept } = (await api.put(`/upload/image/${image._id}/annotations`, layer).expect(200)).body.data;
  await api.post(`/analyze/${image._id}/sign`, { version: 1, comment: 'All is well.' }).expect(200);
  const signed = (await report(patient)).map(({ text }) => text).join(' ');
  const { body: pdf } = await new Client(test.url).as(patient).get(`/analyze/${image._id}/report`).buffer();
  // The preview of the image.
  expect((pdf as Buffer).includes('/DCTDecode')).toBe(true);
  expect(signed).toContain('All is well.');
  expect(signed).toContain('Signed by');
  expect(signed).not.toContain('DRAFT');
  expect(signed).toContain('1. Length: 50 px');
  expect(signed).toContain('2. Arrow: Look <b>here</b>');
  expect(signed).toContain('3. Ellipse: 314.2 px², mean 61.25, SD 4.52');
  await api.put(`/upload/image/${image._id}/annotations`, { ...layer, version: kept, shared: false }).expect(200);
  expect((await report(patient)).map(({ text }) => text).join(' ')).not.toContain('Look');
  await api.post(`/analyze/${image._id}/withdraw`, { reason: 'The wrong hand' }).expect(200);
  await new Client(test.url).as(patient).get(`/analyze/${image._id}/report`).expect(404);
});

const facts = {
  clinic: 'City Clinic',
  image: { caption: 'بایاں ہاتھ', createAt: new Date(0), preview: null },
  findings: {
    description: 'یہ ہڈی ٹوٹی نہیں ہے۔ '.repeat(120),
    differentialDiagnosis: [{ condition: 'موچ (sprain)', confidence: 0.8234567 }],
    treatment: ['<script>alert(1)</script>', '\u202Eabc', '水'],
    followUp: [],
    warnings: [],
    confidence: null,
    assessed: true,
    provider: 'openai',
    model: 'm'.repeat(3_000),
  },
  run: { by: 'Dr Bilal', at: new Date(0), inputSha256: 'a'.repeat(64) },
  version: 1,
};

/** Returns the text that a reader copies. It stands in the document beside the glyphs. */
const streamsOf = (pdf: Buffer): string =>
  pdf
    .toString('latin1')
    .split('stream\n')
    .flatMap((part) => {
      try {
        return [inflateSync(Buffer.from(part, 'latin1')).toString('latin1')];
      } catch {
        return [];
      }
    })
    .join('\n');
/** Returns a text as a string of PDF has it: with a backslash before each bracket among its bytes. */
const written = (text: string): string =>
  Buffer.from(text, 'utf16le')
    .swap16()
    .toString('latin1')
    .replace(/[\\()]/g, '\\$&');

it('Urdu is joined letter by letter, in the right order, and can be copied; numbers are as given; markup is text.', async () => {
  const pdf = await reportDocument({ ...facts, language: 'ur', mark: 'draft' });
  const streams = streamsOf(pdf);
  expect(streams).toContain('ActualText');
  expect(streams).toContain(written('یہ ہڈی ٹوٹی'));
  const pages = await pagesOf(pdf);
  const text = pages.map((page) => page.text).join(' ');
  expect(text).toContain('82.34567%');
  expect(text).toContain('<script>alert(1)</script>');
  expect(pages.length).toBeGreaterThan(1);
});

it('A signature is below the signed text, before its provenance, and the parts of a time keep their order in Urdu.', async () => {
  const signature = { by: 'Dr Bilal', at: new Date('2026-03-04T13:05:06Z'), edited: [], notADiagnosis: false };
  const of = async (language: 'en' | 'ur') => reportDocument({ ...facts, timeZone: 'UTC', language, signature });
  const english = (await pagesOf(await of('en'))).map(({ text }) => text).join(' ');
  const [signed, at, from] = ['Signed by', '13:05:06 UTC', 'Where it comes from'].map((words) =>
    english.indexOf(words),
  );
  expect([signed, at, from]).toEqual([signed, at, from].toSorted((a = 0, b = 0) => a - b));
  expect(signed).toBeGreaterThan(0);
  expect(streamsOf(await of('ur'))).toContain(written('13:05:06 UTC'));
});

it('The preview is in the document as the renderer made it, and bytes that are no picture are left out.', async () => {
  const of = (bytes: Buffer) =>
    reportDocument({ ...facts, image: { ...facts.image, preview: { bytes, width: 30, height: 20 } }, language: 'en' });
  const jpeg = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#345' } })
    .jpeg()
    .toBuffer();
  expect((await of(jpeg)).includes(jpeg)).toBe(true);
  for (const wrong of [jpeg.subarray(0, 3), jpeg.subarray(0, 40), Buffer.from('RIFF....WEBPVP8 '), Buffer.alloc(0)])
    expect((await of(wrong)).subarray(0, 5).toString()).toBe('%PDF-');
});

it('An empty part has the sentence of the screen in the language of the report.', async () => {
  const findings = { ...facts.findings, description: '', differentialDiagnosis: [], treatment: [] };
  const of = async (assessed: boolean) =>
    streamsOf(await reportDocument({ ...facts, findings: { ...findings, assessed }, language: 'ur' }));
  const [assessed, measured] = [await of(true), await of(false)];
  const timesIn = (streams: string, name: keyof Terms) => streams.split(written(urduTerms[name])).length - 1;
  for (const name of ['noWarnings', 'noDescription', 'noDifferential', 'noTreatment', 'noFollowUp'] as const) {
    expect(timesIn(assessed, name), name).toBe(1);
  }
  expect([timesIn(assessed, 'notAssessed'), timesIn(measured, 'notAssessed')]).toEqual([0, 3]);
});
