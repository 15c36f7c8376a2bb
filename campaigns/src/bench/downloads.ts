import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './client.js';
import { noisePng, uploadForm } from './files.js';
import type { Person } from './people.js';
import { judged, plain, type Row, spread } from './report.js';
import type { Site } from './site.js';
import { inParallel, inTurn, median } from './stats.js';
import { productTarget, uploadTo } from './uploads.js';

const COUNT = 120;
const WIDTH = 8;
const ROUNDS = 5;
const SAMPLE = new URL('../../../backend/assets/demo/chest-xray.jpg', import.meta.url);

/** Reads one cached file again and again. Returns files per second. */
export const rate =
  (url: string, token?: string, count = COUNT) =>
  async (): Promise<number> => {
    const seconds = await inParallel(count, WIDTH, async () => {
      const { status } = await call(url, { token });
      if (status !== 200) throw new Error(`${status} from ${url}`);
    });
    return count / seconds;
  };

async function compare(site: Site, provider: Person, job: string, path: string, goal: number): Promise<Row[]> {
  const url = `${site.gateways[0].api}${path}`;
  const { body } = await call(url, { token: provider.token });
  const { id } = await uploadTo({ url: `${site.bare}/files` }, uploadForm(body, 'image/png'));
  const contenders = { product: rate(url, provider.token), bare: rate(`${site.bare}/files/${id}`) };
  await contenders.product();
  await contenders.bare();
  const figures = await inTurn(ROUNDS, contenders);
  const ratio = median(figures.product) / median(figures.bare);
  return [
    plain(job, 'size, KiB', body.length / 1024),
    plain(job, 'product, req/s', spread(figures.product)),
    plain(job, 'bare GridFS stream, req/s', spread(figures.bare)),
    judged(job, 'ratio', ratio, `>= ${goal}`, ratio >= goal),
  ];
}

/** The ids of the images to download. */
export interface Samples {
  noise: string;
  picture: string;
}

/** Must be called first, because a preview is drawn after those of all earlier uploads. */
export async function uploadSamples(site: Site, provider: Person): Promise<Samples> {
  const target = productTarget(site, provider);
  const noise = await uploadTo(target, uploadForm(noisePng(512 * 1024), 'image/png'));
  const picture = await uploadTo(target, uploadForm(readFileSync(SAMPLE), 'image/jpeg'));
  const worker = await site.startPreviews();
  await untilDrawn(site, provider, picture.id);
  await worker.stop();
  return { noise: noise.id, picture: picture.id };
}

export async function benchDownloads(site: Site, provider: Person, { noise, picture }: Samples): Promise<Row[]> {
  return [
    ...(await compare(site, provider, 'original 512 KB, 8 at a time', `/upload/image/${noise}/content`, 0.85)),
    ...(await compare(site, provider, 'preview, 8 at a time', `/upload/image/${picture}/preview`, 1.1)),
  ];
}

export async function untilDrawn(site: Site, { token }: Person, id: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while ((await call(`${site.gateways[0].api}/upload/image/${id}/preview`, { token })).status !== 200) {
    if (Date.now() > deadline) throw new Error('The preview was not drawn in time.');
    await sleep(100);
  }
}
