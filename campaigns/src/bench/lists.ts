import { randomBytes } from 'node:crypto';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { onOne } from '@lightbox/core/db/onOne.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { call } from './client.js';
import type { Person } from './people.js';
import { judged, plain, type Row } from './report.js';
import type { Site } from './site.js';
import { median } from './stats.js';

const SMALL = 10_000;
const LARGE = 100_000;
const READS = 60;
const LIMIT = 10;

/** Measures that a page of a long list costs as much as one of a short list: two owners, one with ten times more images. */
export async function benchLists(site: Site, few: Person, many: Person): Promise<Row[]> {
  await insertImages(site, few, SMALL);
  await insertImages(site, many, LARGE);
  const lists = { few: `${site.gateways[0].api}/upload/my-images`, cursor: '' };
  const url = (cursor?: string) =>
    `${lists.few}?limit=${LIMIT}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
  const first = await alternate([few, many].map(({ token }) => ({ url: url(), token })));
  const middle = await alternate([
    { url: url(await middleCursor(lists.few, few, SMALL)), token: few.token },
    { url: url(await middleCursor(lists.few, many, LARGE)), token: many.token },
  ]);
  return [...rows('first page', first), ...rows('middle page, by cursor', middle)];
}

function rows(page: string, [few = [], many = []]: number[][]): Row[] {
  const job = `my-images, ${page}`;
  const growth = median(many) / median(few);
  return [
    plain(job, 'of 10^4, p50 ms', median(few)),
    plain(job, 'of 10^5, p50 ms', median(many)),
    judged(job, 'growth', growth, '<= 1.3', growth <= 1.3),
  ];
}

/** Reads the pages in turn. Returns the milliseconds of each read, by page. */
async function alternate(pages: { url: string; token: string }[]): Promise<number[][]> {
  const times = pages.map(() => [] as number[]);
  for (let i = 0; i < READS; i++) {
    for (const [k, { url, token }] of pages.entries()) {
      const start = performance.now();
      const { status } = await call(url, { token });
      if (status !== 200) throw new Error(`${status} from a list`);
      times[k]?.push(performance.now() - start);
    }
  }
  return times;
}

/** Returns the cursor of the page after the middle one. Reads the middle page by its number, which is slow. */
async function middleCursor(list: string, { token }: Person, total: number): Promise<string> {
  const { body } = await call(`${list}?limit=${LIMIT}&page=${total / LIMIT / 2}`, { token });
  const { pagination } = JSON.parse(body.toString()) as { pagination: { nextCursor: string } };
  return pagination.nextCursor;
}

async function insertImages({ models }: Site, { id }: Person, count: number): Promise<void> {
  const BATCH = 2_000;
  for (let at = 0; at < count; at += BATCH) {
    const images = Array.from({ length: BATCH }, (_, i) => record(id, at + i));
    await models.Image.collection.insertMany(images, { ordered: false, ...onOne });
  }
}

/** Returns the record of an uploaded image, without a file. */
const record = (owner: string, i: number): ImageDoc => ({
  _id: newId(),
  owner: oid(owner),
  caption: `Image ${i}`,
  contentType: 'image/png',
  size: 500_000,
  sha256: randomBytes(32).toString('hex'),
  blob: newId(),
  dataKey: { keyId: 'none', sealed: randomBytes(60) },
  preview: 'none',
  analysis: 'none',
  audience: [],
  shownTo: [],
  isLead: true,
  isShared: false,
  createAt: new Date(Date.now() - i * 1_000),
});
