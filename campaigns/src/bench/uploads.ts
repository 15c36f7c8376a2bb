import { setTimeout as sleep } from 'node:timers/promises';
import { call, data } from './client.js';
import { formType, noisePng, uploadForm } from './files.js';
import { type MemoryUse, memoryDuring } from './memory.js';
import type { Person } from './people.js';
import { judged, plain, type Row, spread } from './report.js';
import type { Site } from './site.js';
import { inParallel, inTurn, median } from './stats.js';

const MB = 1024 * 1024;
export const SMALL = { bytes: 512 * 1024, count: 32, width: 8, rounds: 5 };
/** The longest time until a worker has drawn its first preview. */
const FIRST_MS = 60_000;
export const LARGE = { bytes: 10 * MB, count: 16, width: 16, rounds: 3 };

export interface Target {
  url: string;
  token?: string;
}

export const productTarget = (site: Site, { token }: Person): Target => ({
  url: `${site.gateways[0].api}/upload/image`,
  token,
});
const bareTarget = (site: Site): Target => ({ url: `${site.bare}/files` });

const forms = ({ count, bytes }: { count: number; bytes: number }): Buffer[] =>
  Array.from({ length: count }, () => uploadForm(noisePng(bytes), 'image/png'));

/** Uploads one file. Returns its id. */
export const uploadTo = ({ url, token }: Target, form: Buffer): Promise<{ id: string }> =>
  data<{ id: string }>(call(url, { method: 'POST', token, type: formType, body: form }));

/** Sends all forms, `width` at a time. Returns files per second. Throws when one is rejected. */
const rate = (target: Target, bodies: Buffer[], width: number) => async (): Promise<number> => {
  const seconds = await inParallel(bodies.length, width, async (i) => {
    await uploadTo(target, bodies[i] as Buffer);
  });
  return bodies.length / seconds;
};

/** Sends the forms one at a time. Returns the median milliseconds of one. */
const middle = (target: Target, bodies: Buffer[]) => async (): Promise<number> => {
  const times: number[] = [];
  for (const body of bodies) {
    const begun = performance.now();
    await uploadTo(target, body);
    times.push(performance.now() - begun);
  }
  return median(times);
};

export async function benchOneUpload(site: Site, provider: Person): Promise<Row[]> {
  const job = 'upload 512 KB, one at a time';
  const bodies = forms(SMALL);
  const product = middle(productTarget(site, provider), bodies);
  const bare = middle(bareTarget(site), bodies);
  await product();
  await bare();
  const figures = await inTurn(SMALL.rounds, { product, bare });
  const ratio = median(figures.product) / median(figures.bare);
  return [
    plain(job, 'product, p50 ms', spread(figures.product)),
    plain(job, 'bare GridFS, p50 ms', spread(figures.bare)),
    judged(job, 'ratio of p50', ratio, '<= 1.0', ratio <= 1),
  ];
}

export async function benchSmallUploads(site: Site, provider: Person): Promise<Row[]> {
  const job = 'upload 512 KB, 8 at a time';
  const bodies = forms(SMALL);
  const product = rate(productTarget(site, provider), bodies, SMALL.width);
  const bare = rate(bareTarget(site), bodies, SMALL.width);
  await product();
  await bare();
  const figures = await inTurn(SMALL.rounds, { product, bare });
  const ratio = median(figures.product) / median(figures.bare);
  return [
    plain(job, 'product, uploads/s', spread(figures.product)),
    plain(job, 'bare GridFS, uploads/s', spread(figures.bare)),
    judged(job, 'ratio', ratio, '>= 0.95', ratio >= 0.95),
  ];
}

export async function benchLargeUploads(site: Site, provider: Person): Promise<Row[]> {
  const job = 'upload 10 MB, 16 at once';
  const bodies = forms(LARGE);
  const product = rate(productTarget(site, provider), bodies, LARGE.width);
  const bare = rate(bareTarget(site), bodies, LARGE.width);
  const uses: MemoryUse[] = [];
  const watched = async () => {
    let rateNow = 0;
    const use = await memoryDuring(site.gateways[0].pid, async () => {
      rateNow = await product();
    });
    if (use) uses.push(use);
    return rateNow;
  };
  const figures = await inTurn(LARGE.rounds, { product: watched, bare });
  const toMb = (rates: number[]) => rates.map((files) => (files * LARGE.bytes) / MB);
  const ratio = median(figures.product) / median(figures.bare);
  return [
    plain(job, 'product, MB/s', spread(toMb(figures.product))),
    plain(job, 'bare GridFS, MB/s', spread(toMb(figures.bare))),
    judged(job, 'ratio', ratio, '>= 1.0', ratio >= 1),
    ...memoryRows(job, uses),
  ];
}

/** Compares the first round with the goals, because the gateway has not grown before it. */
function memoryRows(job: string, uses: MemoryUse[]): Row[] {
  const [first] = uses;
  if (!first) return [];
  const added = first.peak - first.before;
  const show = ({ before, peak, after }: MemoryUse) => `${[before, peak, after].map(Math.round).join(' / ')}`;
  return [
    plain(job, 'gateway MiB before / peak / after, by round', uses.map(show).join('; ')),
    judged(job, 'gateway MiB added, first round (required)', added, '< 200', added < 200),
    judged(job, 'gateway MiB added, first round (goal)', added, '<= 40', added <= 40),
  ];
}

/** Measures the same small uploads while a worker draws a backlog of previews, and before and after it. */
export async function benchUploadsBesidePreviews(site: Site, provider: Person): Promise<Row[]> {
  const job = 'upload 512 KB beside a backlog of previews';
  const product = rate(productTarget(site, provider), forms(SMALL), SMALL.width);
  const quiet = [await product(), await product(), await product()];
  const drawn = () => site.models.Image.countDocuments({ preview: 'ready' });
  const before = await drawn();
  const worker = await site.startPreviews();
  // Until then the processor time is that of starting the worker and its renderers.
  for (const end = Date.now() + FIRST_MS; (await drawn()) === before; await sleep(50))
    if (Date.now() > end) throw new Error('No preview was drawn in time.');
  const [first, since] = [await drawn(), Date.now()];
  const busy = [await product(), await product(), await product(), await product(), await product()];
  const speed = ((await drawn()) - first) / ((Date.now() - since) / 1_000);
  await worker.stop();
  quiet.push(await product(), await product());
  const ratio = median(busy) / median(quiet);
  return [
    plain(job, 'without backlog, uploads/s', spread(quiet)),
    plain(job, 'with backlog, uploads/s', spread(busy)),
    plain(job, 'previews drawn meanwhile, a second', speed),
    judged(job, 'ratio', ratio, '>= 0.8', ratio >= 0.8),
  ];
}
