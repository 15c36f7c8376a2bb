import { randomBytes } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { testConfig } from '@lightbox/testkit/config.js';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createKeys } from '../keys/keyring.js';
import { createModels, type Models } from '../models/models.js';
import { Clock } from './clock.js';
import { connectDatabase } from './connect.js';
import { newId } from './ids.js';
import { Pages } from './page.js';

let db: Connection;
let models: Models;
let pages: Pages;

beforeAll(async () => {
  const config = await testConfig();
  db = await connectDatabase(config);
  models = createModels(db);
  pages = new Pages(createKeys(config).cursors, models.Counter, new Clock());
});
afterAll(() => db.close());

it('The first reader of a list that takes long to count gets its page, and a total that says so.', async () => {
  const person = newId();
  const rows = limits.exactTotal + 50;
  await models.Notification.collection.insertMany(
    Array.from({ length: rows }, () => ({ _id: newId(), event: newId(), user: person })) as never[],
  );
  const source = {
    ...{ model: models.Notification, filter: { user: person }, sort: ['_id'] as const, direction: 1 as const },
    counter: randomBytes(8).toString('hex'),
  };
  let counted = () => {};
  const held = new Promise<void>((resolve) => {
    counted = resolve;
  });
  const count = models.Notification.countDocuments.bind(models.Notification);
  const whole = vi.fn();
  vi.spyOn(models.Notification, 'countDocuments').mockImplementation(((filter: object, options?: object) => {
    if (options) return count(filter, options);
    whole();
    return held.then(() => count(filter));
  }) as never);
  const list = async () => (await pages.list(source, { page: 1, limit: 10 })).pagination;
  const [first, second] = await Promise.all([list(), list()]);
  for (const pagination of [first, second]) {
    expect(pagination).toMatchObject({ totalItems: limits.exactTotal, totalItemsCapped: true });
  }
  // Nobody waits again for the count that is under way: each wait takes a second, so these would take a minute.
  const start = performance.now();
  for (let i = 0; i < 60; i++) expect(await list()).toMatchObject({ totalItemsCapped: true });
  expect(performance.now() - start).toBeLessThan(50_000);
  expect(whole).toHaveBeenCalledTimes(1);
  counted();
  await expect.poll(list).toMatchObject({ totalItems: rows });
  expect(await list()).not.toHaveProperty('totalItemsCapped');
});

it('A total above the exact ones is at most a minute old, also after a night in which nobody read the list.', async () => {
  const person = newId();
  const add = (rows: number) =>
    models.Notification.collection.insertMany(
      Array.from({ length: rows }, () => ({ _id: newId(), event: newId(), user: person })) as never[],
    );
  const source = { model: models.Notification, filter: { user: person }, counter: randomBytes(8).toString('hex') };
  const rows = 2 * limits.exactTotal + 3;
  await add(rows);
  expect(await pages.count(source)).toBe(rows);
  await add(5);
  expect(await pages.count(source)).toBe(rows);
  const evening = { $set: { at: new Date(Date.now() - 61_000) } };
  await models.Counter.updateOne({ _id: source.counter }, evening);
  expect(await pages.count(source)).toBe(rows + 5);
});
