import { type Core, createCore } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobContext } from '../jobContext.js';
import { takePlaceForAnalysis, takePlaceForPreview } from './turns.js';

let core: Core;
beforeAll(async () => {
  core = await createCore(await testConfig(), 'test');
});
afterAll(() => core.close());

/** Returns the place that each record gets: 0 is the first. */
async function placesOf(take: typeof takePlaceForPreview, ids: unknown[]): Promise<number[]> {
  const places = [];
  for (const id of ids) {
    let place = 0;
    const behind = async (earlier: number) => {
      place = earlier;
    };
    await take(core, String(id), { hasPlace: false, behind } as unknown as JobContext);
    places.push(place);
  }
  return places;
}

it('Files and analyses that arrive at the same moment take one place after the other.', async () => {
  const [person, now] = [newId(), core.clock.now()];
  const ids = [1, 2, 3].map(() => newId());
  const { Image, Analysis } = core.models;
  await Image.collection.insertMany(ids.map((_id) => ({ _id, owner: person, createAt: now })) as never[]);
  await Analysis.collection.insertMany(ids.map((_id) => ({ _id, requestedBy: person, startedAt: now })) as never[]);
  expect(await placesOf(takePlaceForPreview, ids)).toEqual([0, 1, 2]);
  expect(await placesOf(takePlaceForAnalysis, ids)).toEqual([0, 1, 2]);
});
