import { randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dicomPicture } from '@lightbox/testkit/part10.js';
import { call } from './client.js';
import { noisePng, uploadForm } from './files.js';
import type { Person } from './people.js';
import { judged, plain, type Row, spread } from './report.js';
import type { Site } from './site.js';
import { inParallel, inTurn, median } from './stats.js';
import { LARGE, productTarget, SMALL, uploadTo } from './uploads.js';

const COUNT = 120;
const WIDTH = 8;
const ROUNDS = 5;
const SAMPLE = new URL('../../../backend/assets/demo/chest-xray.jpg', import.meta.url);

/** 64 KB that begin in the second of its sealed pieces. */
const PART = 'bytes=2000000-2065535';

/** A frame of noise, of 16 bits. */
const frame = () => ({ rows: 512, columns: 512, pixels: randomFillSync(Buffer.alloc(512 * 512 * 2)) });

/** How a file is read. */
interface Reading {
  count?: number;
  width?: number;
  range?: string;
}

/** Reads one cached file again and again. Returns files per second. */
export const rate =
  (url: string, token?: string, { count = COUNT, width = WIDTH, range }: Reading = {}) =>
  async (): Promise<number> => {
    const seconds = await inParallel(count, width, async () => {
      const { status } = await call(url, { token, range });
      if (status !== (range ? 206 : 200)) throw new Error(`${status} from ${url}`);
    });
    return count / seconds;
  };

/** A file of the product that is compared with the same bytes at the bare target. */
interface Compared extends Reading {
  job: string;
  path: string;
  /** The lowest ratio; without one the ratio is measured alone. */
  goal?: number;
}

async function compare(site: Site, provider: Person, { job, path, goal, ...reading }: Compared): Promise<Row[]> {
  const url = `${site.gateways[0].api}${path}`;
  const { body } = await call(url, { token: provider.token });
  const { id } = await uploadTo({ url: `${site.bare}/files` }, uploadForm(body, 'image/png'));
  const contenders = {
    product: rate(url, provider.token, reading),
    bare: rate(`${site.bare}/files/${id}`, undefined, reading),
  };
  await contenders.product();
  await contenders.bare();
  const figures = await inTurn(ROUNDS, contenders);
  const ratio = median(figures.product) / median(figures.bare);
  return [
    plain(job, 'size, KiB', body.length / 1024),
    plain(job, 'product, req/s', spread(figures.product)),
    plain(job, 'bare GridFS stream, req/s', spread(figures.bare)),
    goal ? judged(job, 'ratio', ratio, `>= ${goal}`, ratio >= goal) : plain(job, 'ratio', ratio),
  ];
}

/** The ids of the images to download. */
export interface Samples {
  noise: string;
  picture: string;
  /** A DICOM file. */
  scan: string;
}

/** Must be called first, because a preview is drawn after those of all earlier uploads. */
export async function uploadSamples(site: Site, provider: Person): Promise<Samples> {
  const target = productTarget(site, provider);
  const noise = await uploadTo(target, uploadForm(noisePng(SMALL.bytes), 'image/png'));
  const picture = await uploadTo(target, uploadForm(readFileSync(SAMPLE), 'image/jpeg'));
  const scan = await uploadTo(target, uploadForm(dicomPicture(frame()), 'application/dicom'));
  const worker = await site.startPreviews();
  for (const { id } of [picture, scan]) await untilDrawn(site, provider, id);
  await worker.stop();
  return { noise: noise.id, picture: picture.id, scan: scan.id };
}

export async function benchDownloads(site: Site, provider: Person, samples: Samples): Promise<Row[]> {
  const { noise, picture, scan } = samples;
  // Not among the samples: it would make the gateway grow before its memory is measured.
  const { id: large } = await uploadTo(productTarget(site, provider), uploadForm(noisePng(LARGE.bytes), 'image/png'));
  const originals = (id: string) => `/upload/image/${id}/content`;
  const all: Compared[] = [
    { job: 'original 512 KB, 8 at a time', path: originals(noise), goal: 0.85 },
    { job: 'original 10 MB, 4 at a time', path: originals(large), goal: 0.7, count: 24, width: 4 },
    { job: '64 KB of an original of 10 MB, 8 at a time', path: originals(large), range: PART },
    { job: 'preview, 8 at a time', path: `/upload/image/${picture}/preview`, goal: 1.1 },
    { job: 'frame of DICOM, 512 x 512, 8 at a time', path: `/upload/image/${scan}/frames/1` },
  ];
  const rows: Row[] = [];
  for (const one of all) rows.push(...(await compare(site, provider, one)));
  return rows;
}

export async function untilDrawn(site: Site, { token }: Person, id: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while ((await call(`${site.gateways[0].api}/upload/image/${id}/preview`, { token })).status !== 200) {
    if (Date.now() > deadline) throw new Error('The preview was not drawn in time.');
    await sleep(100);
  }
}
