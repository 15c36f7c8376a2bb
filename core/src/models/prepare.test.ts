import { testConfig } from '@lightbox/testkit/config.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, createCore } from '../core.js';
import { prepareModels } from './prepare.js';

let core: Core;
const said: string[] = [];
const prepare = () => prepareModels(core.models, (_, text) => said.push(text));

beforeAll(async () => {
  core = await createCore(await testConfig(), 'test');
});
afterAll(() => core?.close());

it('An index that has other options is created again, and the start succeeds.', async () => {
  const { collection } = core.models.SentMail;
  const lives = async () => (await collection.indexes()).find(({ key }) => key.at)?.expireAfterSeconds;
  const meant = await lives();
  await collection.dropIndex({ at: 1 } as never);
  await collection.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  await prepare();
  expect(await lives()).toBe(meant);
  expect(said).toEqual([]);
});

it('A unique index that has other options stays as it is, and the log reports it.', async () => {
  const { collection } = core.models.Setting;
  await collection.dropIndex({ name: 1 } as never);
  await collection.createIndex({ name: 1 }, { unique: true, sparse: true });
  await prepare();
  expect((await collection.indexes()).find(({ key }) => key.name)).toMatchObject({ unique: true, sparse: true });
  expect(said).toEqual(['an index of appsettings has other options than it should; it is left as it is']);
});
