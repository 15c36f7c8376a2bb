import { testConfig } from '@lightbox/testkit/config.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, createCore } from '../core.js';
import { newId } from '../db/ids.js';
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

it('A database of a version without studies: its images stand for themselves, and its shares allow one of a study beside.', async () => {
  const { Image, Share } = core.models;
  const [image, recipient] = [newId(), newId()];
  const old = { owner: newId(), audience: [recipient], isShared: true, createAt: new Date() };
  await Image.collection.insertOne({ _id: image, ...old } as never);
  await Share.collection.createIndex(
    { image: 1, recipient: 1 },
    { unique: true, partialFilterExpression: { live: true } },
  );
  await Share.collection.insertOne({ image, recipient, live: true } as never);
  await prepare();
  expect(await Image.collection.findOne({ _id: image as never })).toMatchObject({ isLead: true, shownTo: [recipient] });
  await Share.collection.insertOne({ image, study: newId(), recipient, live: true } as never);
  await expect(Share.collection.insertOne({ image, recipient, live: true } as never)).rejects.toMatchObject({
    code: 11000,
  });
});
