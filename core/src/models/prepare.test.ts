import { testConfig } from '@lightbox/testkit/config.js';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { refreshCards } from '../access/cards.js';
import { type Core, createCore } from '../core.js';
import { newId } from '../db/ids.js';
import { DAY_MS } from '../times.js';
import { prepareModels } from './prepare.js';
import { begunSteps, repeatStep, usedByLaterVersion } from './upgrade.js';
import { bySearch } from './user.js';

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
  const old = {
    owner: newId(),
    caption: '',
    contentType: 'image/png',
    audience: [recipient],
    isShared: true,
    createAt: new Date(),
  };
  await Image.collection.insertOne({ _id: image, ...old } as never);
  await Share.collection.createIndex(
    { image: 1, recipient: 1 },
    { unique: true, partialFilterExpression: { live: true } },
  );
  await Share.collection.insertOne({ image, recipient, live: true, createAt: new Date() } as never);
  await prepare();
  expect(await Image.collection.findOne({ _id: image as never })).toMatchObject({ isLead: true, shownTo: [recipient] });
  await Share.collection.insertOne({ image, study: newId(), recipient, live: true } as never);
  await expect(Share.collection.insertOne({ image, recipient, live: true } as never)).rejects.toMatchObject({
    code: 11000,
  });
});

it('The indexes of a version before go where another one has their place.', async () => {
  const { User, Image } = core.models;
  await User.collection.createIndex({ words: 1 });
  await Image.collection.createIndex({ owner: 1, 'instance.sop': 1 });
  await prepare();
  const bySop = (await Image.collection.indexes()).filter(({ key }) => 'instance.sop' in key);
  expect(bySop.map(({ key }) => key)).toEqual([{ 'instance.sop': 1, owner: 1 }]);
  const byWord = (await User.collection.indexes()).filter(({ key }) => Object.keys(key)[0] === 'words');
  expect(byWord.map(({ key }) => key)).toEqual([bySearch]);
});

it('An emergency access that an older version left answered waits for the administrators again.', async () => {
  const { Emergency } = core.models;
  const states = ['questioned', 'answered', 'approved'];
  const old = states.map((state) => ({ _id: newId(), provider: newId(), patient: newId(), state, waits: false }));
  await Emergency.collection.insertMany(old as never[]);
  await prepare();
  const ids = old.map(({ _id }) => _id);
  const waiting = await Emergency.find({ _id: { $in: ids }, waits: true }, { state: 1 }).lean();
  expect(waiting.map(({ state }) => state)).toEqual(['answered']);
});

it('A database of a version without cards gets them once, by one of the processes, which continue after a stop.', async () => {
  const { Image, Card, Task, Position, User } = core.models;
  const [owner, recipient] = [newId(), newId()];
  const sample = { owner, contentType: 'image/png', audience: [], shownTo: [], isShared: false, isLead: true };
  const images = Array.from({ length: 450 }, (_, i) => ({
    ...sample,
    _id: newId(),
    caption: `n${i}`,
    createAt: new Date(i),
  }));
  await Image.collection.insertMany(images as never[]);
  await core.models.Share.collection.insertOne({
    image: images[0]?._id,
    recipient,
    live: true,
    createAt: new Date(7),
  } as never);
  await Image.collection.updateOne(
    { _id: images[0]?._id as never },
    { $set: { shownTo: [recipient, owner], isShared: true } },
  );
  const names = { firstname: 'كريم', lastname: '', username: 'k', email: 'k@x.test' };
  const old = {
    _id: newId(),
    ...names,
    usernameKey: 'k',
    words: ['كريم'],
    role: 'patient',
    status: 'active',
    active: true,
  };
  await User.collection.insertOne(old as never);
  await Task.deleteMany({ _id: /^upgrade:/ });
  await Position.collection.insertOne({ _id: 'upgrade:cards', after: images[99]?._id } as never);

  await Promise.all([prepare(), prepare()]);
  expect(await Card.countDocuments({ person: owner })).toBe(350);
  expect((await User.findById(old._id).lean())?.words).toContain('کریم');
  expect(await Position.countDocuments()).toBe(0);

  await Task.deleteMany({ _id: /^upgrade:/ });
  await prepare();
  expect(await Card.countDocuments({ person: owner })).toBe(450);
  expect(await Card.findOne({ person: recipient }).lean()).toMatchObject({ at: new Date(7), waiting: true, words: [] });
});

it('The cards of a database without cards know the shares that last, whatever the clock of the machine.', async () => {
  const { Image, Share, Card, Task } = core.models;
  const [image, owner, recipient] = [newId(), newId(), newId()];
  const lists = { owner, contentType: 'image/png', audience: [], shownTo: [recipient, owner], isShared: true };
  await Image.collection.insertOne({ ...lists, _id: image, isLead: true, caption: '', createAt: new Date() } as never);
  const expiresAt = new Date(Date.now() + 3_600_000);
  await Share.collection.insertOne({ image, recipient, live: true, createAt: new Date(), expiresAt } as never);
  await Task.deleteMany({ _id: 'upgrade:cards' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await prepare();
  expect(await Card.countDocuments({ image, person: recipient })).toBe(1);
});

it('Cards of a version without the names of patients get them.', async () => {
  const { Image, Card, Task, User } = core.models;
  const people = ['Amina', 'Bilal', ''].map((firstname) => {
    const username = String(newId());
    const account = { _id: newId(), username, usernameKey: username, email: `${username}@x.test`, words: [username] };
    return { ...account, ...(firstname ? { firstname } : {}), role: 'patient' };
  });
  const lists = { owner: newId(), contentType: 'image/png', audience: [], shownTo: [], isShared: false, isLead: true };
  const images = people.flatMap(({ _id: patient }) => [
    { ...lists, _id: newId(), patient, caption: '', createAt: new Date() },
    { ...lists, _id: newId(), patient, caption: '', createAt: new Date() },
  ]);
  await User.collection.insertMany(people as never[]);
  await Image.collection.insertMany(images as never[]);
  const person = newId();
  await Card.collection.insertMany(
    images.map(({ _id: image, patient }) => ({ _id: newId(), person, image, patient, words: ['hand'] })) as never[],
  );
  // A recipient who has not entered the code.
  const outline = { _id: newId(), person: newId(), image: images[0]?._id };
  await Card.collection.insertOne({ ...outline, words: [] } as never);
  await Task.deleteMany({ _id: 'upgrade:names' });
  await Promise.all([prepare(), prepare()]);
  const namesOf = () =>
    Promise.all(
      people.map(async ({ _id: patient }) => (await Card.find({ person, patient }).lean()).map((card) => card.names)),
    );
  expect(await namesOf()).toEqual([
    [['amina'], ['amina']],
    [['bilal'], ['bilal']],
    [[], []],
  ]);
  expect((await Card.findById(outline._id).lean())?.names).toBeUndefined();

  // A process of the older version writes a card without a name, and removes the name of an account.
  await Card.collection.updateOne({ person, image: images[0]?._id } as never, { $unset: { names: 1 } });
  await User.collection.updateOne({ _id: people[1]?._id } as never, { $unset: { firstname: 1 } });
  await prepare();
  expect(await namesOf()).not.toEqual([
    [['amina'], ['amina']],
    [[], []],
    [[], []],
  ]);
  // It begins with the first record, also with the position of a process that stood still for longer than its claim.
  await core.models.Position.collection.insertOne({ _id: 'upgrade:names', after: people[2]?._id } as never);
  await repeatStep(core.models, 'names');
  expect(await namesOf()).toEqual([
    [['amina'], ['amina']],
    [[], []],
    [[], []],
  ]);
  await expect(repeatStep(core.models, 'name')).rejects.toThrow('The changes are: cards, words, names.');
});

it('The changes of this version are made once, also when many processes start at the same moment.', async () => {
  const { Task, Position } = core.models;
  await Task.deleteMany({ _id: /^upgrade:/ });
  await Promise.all(Array.from({ length: 4 }, () => prepare()));
  expect((await begunSteps(core.models)).sort()).toEqual(['cards', 'names', 'words']);
  expect(await Task.countDocuments({ _id: /^upgrade:/, doneAt: { $exists: true } })).toBe(3);
  expect(await Position.countDocuments({ _id: /^upgrade:/ })).toBe(0);
});

it('A change whose process died goes on once its claim has ended.', async () => {
  const { Task } = core.models;
  const _id = 'upgrade:words';
  await Task.updateOne(
    { _id },
    { $set: { nextAt: new Date(Date.now() + 1_500), begunAt: new Date(0) }, $unset: { doneAt: 1 } },
  );
  await prepare();
  expect(await Task.exists({ _id, doneAt: { $exists: true } })).not.toBeNull();
  expect((await Task.findById(_id).lean())?.begunAt?.getTime()).toBeGreaterThan(0);
});

it('A claim from before the clock of MongoDB was set back holds up no start.', async () => {
  const { Task } = core.models;
  const _id = 'upgrade:words';
  const [nextAt, begunAt] = [new Date(Date.now() + DAY_MS), new Date(Date.now() + DAY_MS - 30_000)];
  await Task.updateOne({ _id }, { $set: { nextAt, begunAt }, $unset: { doneAt: 1 } });
  await prepare();
  expect(await Task.exists({ _id, doneAt: { $exists: true } })).not.toBeNull();
});

it('A process that has lost its claim leaves the change to the process that has it.', async () => {
  const { Card, Image, Task } = core.models;
  const _id = 'upgrade:cards';
  expect(await Image.countDocuments()).toBeGreaterThan(400);
  await Task.updateOne({ _id }, { $unset: { doneAt: 1 }, $set: { nextAt: new Date(0) } });
  const write = Card.collection.bulkWrite.bind(Card.collection) as (...args: unknown[]) => Promise<never>;
  const spy = vi.spyOn(Card.collection, 'bulkWrite').mockImplementation((async (...args: unknown[]) => {
    await Task.updateOne({ _id }, { $set: { begunAt: new Date(0), doneAt: new Date() } });
    return write(...args);
  }) as never);
  await prepare();
  expect(spy).toHaveBeenCalledOnce();
  spy.mockRestore();
});

it('The cards of an upgrade have the words that every later change gives them, beside a study of a thousand pictures.', async () => {
  const { Card, Image, Study, Task } = core.models;
  const owner = newId();
  const [big, small] = [newId(), newId()];
  const lists = { owner, contentType: 'image/png', audience: [], shownTo: [], isShared: false, createAt: new Date() };
  const picture = (study: object, caption: string, isLead: boolean) => ({
    ...lists,
    _id: newId(),
    study,
    caption,
    isLead,
  });
  const [first, second] = [picture(big, 'alpha', true), picture(small, 'beta', true)];
  const others = [...Array.from({ length: 1_000 }, () => picture(big, 'alpha', false)), picture(small, 'gamma', false)];
  await Study.collection.insertMany(
    [first, second].map(({ _id: lead, study: _id }) => ({
      _id,
      owner,
      kind: 'pictures',
      title: 'Hand',
      lead,
    })) as never[],
  );
  await Image.collection.insertMany([first, second, ...others] as never[]);
  await Task.deleteMany({ _id: 'upgrade:cards' });
  await prepare();
  const wordsNow = async () => (await Card.findOne({ study: small }).lean())?.words.toSorted();
  expect(await wordsNow()).toEqual(['beta', 'gamma', 'hand']);
  await core.db.transaction((session) =>
    refreshCards(core.models, { image: second._id, study: small }, new Date(), session),
  );
  expect(await wordsNow()).toEqual(['beta', 'gamma', 'hand']);
});

it('A database that a later version has used is refused in a sentence, and nothing is changed.', async () => {
  const { Task, SentMail } = core.models;
  await Task.collection.insertOne({ _id: 'upgrade:later', nextAt: new Date() } as never);
  await SentMail.collection.dropIndex({ at: 1 } as never);
  await expect(prepare()).rejects.toThrow('A later version of Lightbox has used this database (later).');
  expect((await SentMail.collection.indexes()).some(({ key }) => key.at)).toBe(false);
  await Task.deleteOne({ _id: 'upgrade:later' });
  await prepare();
});

it('A change of a later version that is declared compatible does not stop a start.', async () => {
  const { Task } = core.models;
  await Task.collection.insertOne({ _id: 'upgrade:beside', nextAt: new Date(), compatible: true } as never);
  await prepare();
  expect(await usedByLaterVersion(core.models)).toBe(true);
  await Task.deleteOne({ _id: 'upgrade:beside' });
  expect(await usedByLaterVersion(core.models)).toBe(false);
  // The changes of this version say of themselves whether an older one may start after them.
  expect(await Task.countDocuments({ _id: /^upgrade:/, compatible: { $exists: false } })).toBe(0);
});
