import { randomBytes, randomUUID } from 'node:crypto';
import { newId } from '@lightbox/core/db/ids.js';
import { testConfig } from '@lightbox/testkit/config.js';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { RECENT_MS } from './auth/recent.js';
import { closeInspectors } from './files/inspectionPool.js';
import { createKnownChats, createMessageWriter, hearMessage } from './messages/messageWriter.js';
import { Client } from './testing/client.js';
import { buildPatient, buildProvider, PASSWORD, type Person } from './testing/factories.js';
import { files } from './testing/files.js';
import { firstAdmin, joinGateway, type TestGateway } from './testing/gateway.js';
import { profiled } from './testing/profiled.js';
import { slice } from './testing/slices.js';

/** The parts of a command that these tests read. */
interface Sent {
  updates?: unknown[];
  documents?: unknown[];
  filter?: { _id?: unknown };
  /** Is false in a transaction. */
  autocommit?: boolean;
}

let test: TestGateway;
let provider: Person;
let sent: { name: string; on: string; statements: number }[] = [];
/** The last reads of sessions and accounts by their ids, milliseconds. */
const readAt = new Map<string, number>();

beforeAll(async () => {
  const config = await testConfig({ admin: firstAdmin, rateLimits: false });
  const uri = new URL(config.mongodbUri);
  uri.searchParams.set('monitorCommands', 'true');
  test = await joinGateway({ ...config, mongodbUri: uri.href });
  test.gateway.db.getClient().on('commandStarted', ({ commandName, command }: mongo.CommandStartedEvent) => {
    const { updates, documents, filter, autocommit } = command as Sent;
    const on = String(command[commandName]);
    // The session and the account of a caller may be read again when they were kept for half a second.
    if (autocommit === undefined && /^(sessions|users)$/.test(on) && filter?._id) {
      const key = `${on} ${String(filter._id)}`;
      const before = readAt.get(key) ?? Number.NEGATIVE_INFINITY;
      readAt.set(key, performance.now());
      if (performance.now() - before >= RECENT_MS) return;
    }
    sent.push({ name: commandName, on, statements: updates?.length ?? documents?.length ?? 1 });
  });
  // Time stands still: the activity of a session is noted when ten seconds have passed, in a command of its own.
  void test.clock.still(() => new Promise(() => {}));
  provider = await buildProvider(test.gateway);
});
afterAll(() => test.stop());
afterAll(closeInspectors);

const allHandedOver = () => expect.poll(() => test.gateway.models.Event.countDocuments({ pending: true })).toBe(0);

/** Returns the commands to MongoDB during the work and the hand-over of its events, without those that have a clock. */
async function commandsOf(work: () => Promise<unknown>): Promise<typeof sent> {
  await allHandedOver();
  sent = [];
  await work();
  await allHandedOver();
  const byClock = ['hello', 'dbStats', 'aggregate', 'getMore', 'endSessions'];
  return sent.filter(
    ({ name, on }) => !byClock.includes(name) && !/^(appsettings|audit(receipts|heads|runs))$/.test(on),
  );
}

const names = (commands: typeof sent): string[] => commands.map(({ name, on }) => `${name} ${on}`).sort();
const count = (commands: typeof sent, name: string, on: string): number =>
  commands.filter((one) => one.name === name && one.on === on).length;

const api = (person: Person) => new Client(test).as(person);
const draftTo = (recipient: Person['_id']) => ({
  sender: provider._id,
  recipient,
  content: 'Hello',
  clientId: randomUUID(),
});
const upload = () => api(provider).upload(files.png).expect(201);

// A signal that comes late, on a busy machine, ends what is kept of sessions and accounts.
it('An upload takes a small number of commands, and none reads what it has just written.', { retry: 2 }, async () => {
  await upload();
  const expected = [
    'find usages',
    'insert blobs.chunks',
    'insert blobs.files',
    'update usages',
    // The transaction.
    'findAndModify sessions',
    'find users',
    'insert imagemetadata',
    'insert cards',
    'insert events',
    'commitTransaction 1',
    // The hand-over.
    'find webhooks',
    'update events',
  ];
  expect(names(await commandsOf(upload))).toEqual(expected.toSorted());
});

it('Uploads of one person at once share transactions, and none is repeated.', async () => {
  await upload();
  const commands = await commandsOf(() => Promise.all(Array.from({ length: 8 }, upload)));
  const inserted = commands.filter(({ name, on }) => name === 'insert' && on === 'imagemetadata');
  expect(inserted.reduce((sum, { statements }) => sum + statements, 0)).toBe(8);
  expect(count(commands, 'abortTransaction', '1')).toBe(0);
  // One check of the session for each transaction: no try was in vain.
  expect(count(commands, 'findAndModify', 'sessions')).toBe(inserted.length);
  expect(inserted.length).toBeLessThan(8);
});

let uids = 0;
const uploadScan = () =>
  api(provider)
    .upload(slice({ study: `1.2.826.0.9.${++uids}`, instance: 1 }))
    .expect(201);

it('A DICOM file that begins a study takes two commands more than a picture.', async () => {
  await uploadScan();
  const more = names(await commandsOf(uploadScan));
  for (const name of names(await commandsOf(upload))) more.splice(more.indexOf(name), 1);
  // Its study is looked for before the transaction, and inserted in it.
  expect(more).toEqual(['find studies', 'insert studies']);
});

it('DICOM files at once that begin a study each share their commands, and none is repeated.', async () => {
  await uploadScan();
  const commands = await commandsOf(() => Promise.all(Array.from({ length: 8 }, uploadScan)));
  const transactions = count(commands, 'commitTransaction', '1');
  for (const on of ['studies', 'imagemetadata', 'cards']) expect(count(commands, 'insert', on), on).toBe(transactions);
  const studies = commands.filter(({ name, on }) => name === 'insert' && on === 'studies');
  expect(studies.reduce((sum, { statements }) => sum + statements, 0)).toBe(8);
  expect(count(commands, 'abortTransaction', '1')).toBe(0);
  expect(count(commands, 'findAndModify', 'studies')).toBe(0);
  expect(count(commands, 'find', 'shares')).toBe(0);
  expect(transactions).toBeLessThan(8);
});

const signIn = ({ email }: Person) => new Client(test).post('/auth/login', { email, password: PASSWORD }).expect(200);

it('A sign-in takes a small number of commands before its mail.', async () => {
  const patient = await buildPatient(test.gateway);
  expect(names(await commandsOf(() => signIn(patient)))).toEqual(
    [
      'find users',
      // The transaction.
      'update users',
      'insert codes',
      'insert events',
      'commitTransaction 1',
      // The hand-over.
      'update events',
    ].sort(),
  );
});

it('Sign-ins at once share transactions, and each gets a code of its own.', async () => {
  const people = await Promise.all(Array.from({ length: 16 }, () => buildPatient(test.gateway)));
  const commands = await commandsOf(() => Promise.all(people.map(signIn)));
  const inserted = commands.filter(({ name, on }) => name === 'insert' && on === 'codes');
  expect(inserted.reduce((sum, { statements }) => sum + statements, 0)).toBe(16);
  expect(count(commands, 'commitTransaction', '1')).toBe(inserted.length);
  expect(count(commands, 'abortTransaction', '1')).toBe(0);
  expect(inserted.length).toBeLessThan(16);
  const { Code } = test.gateway.models;
  expect(await Code.countDocuments({ user: { $in: people.map(({ _id }) => _id) }, purpose: 'signIn' })).toBe(16);
});

it('Of uploads at once, one that is refused does not take the others with it.', async () => {
  const patient = await buildPatient(test.gateway);
  const gone = { studyId: String(newId()) };
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => api(provider).upload(files.png)),
    api(provider).upload(files.png, { caption: 'No study', ...gone }),
    api(provider).upload(files.png, { caption: 'Of a patient', patientId: patient.id }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 422, 201]);
  const ids = answers.flatMap(({ status, body }) => (status === 201 ? [body.data.id] : []));
  const { Event, Image, Card } = test.gateway.models;
  expect(await Event.countDocuments({ type: 'image.upload', record: { $in: ids } })).toBe(ids.length);
  expect(await Image.countDocuments({ _id: { $in: ids } })).toBe(ids.length);
  expect(await Card.countDocuments({ image: { $in: ids }, own: true })).toBe(ids.length);
});

it('However many uploads arrive, the chunks of three are written at the same time.', async () => {
  const client = test.gateway.db.getClient();
  const running = new Set<number>();
  let most = 0;
  const started = ({ requestId, commandName, command }: mongo.CommandStartedEvent) => {
    if (commandName === 'insert' && command.insert === 'blobs.chunks') running.add(requestId);
    most = Math.max(most, running.size);
  };
  const ended = ({ requestId }: mongo.CommandSucceededEvent) => running.delete(requestId);
  client.on('commandStarted', started).on('commandSucceeded', ended);
  const { blobs } = test.gateway;
  async function* bytes() {
    yield files.png;
  }
  const written = await Promise.all(Array.from({ length: 16 }, () => blobs.write(newId(), randomBytes(32), bytes())));
  client.off('commandStarted', started).off('commandSucceeded', ended);
  expect(written).toHaveLength(16);
  expect(most).toBe(3);
});

it('A message takes one command before its answer, and two after its delivery.', async () => {
  const { id: recipientId } = await buildPatient(test.gateway);
  const { Message } = test.gateway.models;
  const send = async () => {
    await api(provider).post('/message/send', { recipientId, content: 'Hello', clientId: randomUUID() }).expect(201);
    await expect.poll(() => Message.countDocuments({ pending: true })).toBe(0);
  };
  await send();
  await send();
  const client = test.gateway.db.getClient();
  const steps: string[] = [];
  const begun = new Set<number>();
  const started = ({ commandName, requestId }: mongo.CommandStartedEvent) => {
    if (!['insert', 'update'].includes(commandName)) return;
    begun.add(requestId);
    steps.push('begins');
  };
  // The last answer to the message before may still be on its way to this process.
  const ended = ({ requestId }: mongo.CommandSucceededEvent) => {
    if (begun.delete(requestId)) steps.push('ends');
  };
  client.on('commandStarted', started).on('commandSucceeded', ended);
  const commands = await commandsOf(send);
  client.off('commandStarted', started).off('commandSucceeded', ended);
  expect(names(commands)).toEqual(['find webhooks', 'insert messages', 'update messages']);
  expect(steps).toEqual(['begins', 'ends', 'begins', 'ends']);
});

it('Messages at once to many people are one command, also when another gateway wrote to some of them.', async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => buildPatient(test.gateway)));
  const { Message } = test.gateway.models;
  const writeAll = () => Promise.all(people.map(({ _id }) => test.gateway.writeMessage(draftTo(_id))));
  await writeAll();
  expect(await commandsOf(writeAll)).toEqual([{ name: 'insert', on: 'messages', statements: 20 }]);

  const [first] = people as [Person];
  await createMessageWriter(test.gateway, createKnownChats())(draftTo(first._id));
  const sentNow = await writeAll();
  expect(sentNow.map(({ created }) => created)).toEqual(people.map(() => true));
  expect(await Message.distinct('seq', { recipient: first._id })).toEqual([1, 2, 3, 4]);
});

it('A message to a chat whose time is a minute old writes its time too, and at the same time.', async () => {
  const { _id } = await buildPatient(test.gateway);
  const { Conversation } = test.gateway.models;
  const lastAt = async () => (await Conversation.findOne({ members: _id }))?.lastAt.getTime() ?? 0;
  await test.gateway.writeMessage(draftTo(_id));
  const first = await lastAt();
  await test.gateway.writeMessage(draftTo(_id));
  expect(await lastAt()).toBe(first);
  test.clock.forward({ minutes: 1 });
  const commands = await commandsOf(() => test.gateway.writeMessage(draftTo(_id)));
  expect(names(commands)).toEqual(['insert messages', 'update conversations']);
  expect(await lastAt()).toBeGreaterThanOrEqual(first + 60_000);
});

it('A gateway that begins with a chat numbers its messages after the last one that no failover can undo.', async () => {
  const { _id } = await buildPatient(test.gateway);
  const commands = await profiled(test.gateway.db, () => test.gateway.writeMessage(draftTo(_id)));
  const looks = commands.filter(({ command }) => command.find === 'messages');
  expect(looks.map(({ command }) => command.readConcern)).toEqual([{ level: 'linearizable' }]);
});

it('Two gateways that write to one chat at once keep the order in which its messages were acknowledged.', async () => {
  const { _id: recipient } = await buildPatient(test.gateway);
  const writers = [test.gateway.writeMessage, createMessageWriter(test.gateway, createKnownChats())];
  let highest = 0;
  for (let round = 0; round < 20; round++) {
    const written = await Promise.all(
      [...writers, ...(round % 3 ? [] : writers)].map((write) => write(draftTo(recipient))),
    );
    const messages = written.map(({ message }) => message);
    const seqs = messages.map(({ seq }) => seq);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(Math.min(...seqs)).toBeGreaterThan(highest);
    highest = Math.max(...seqs);
    const stored = await test.gateway.models.Message.find({ _id: { $in: messages.map(({ _id }) => _id) } }).lean();
    expect(stored.map(({ seq }) => seq).sort()).toEqual(seqs.sort());
  }
});

it('Messages that one person sends at once keep their order when another gateway uses a seq of theirs.', async () => {
  const { _id: recipient } = await buildPatient(test.gateway);
  const { Message } = test.gateway.models;
  const { message } = await test.gateway.writeMessage(draftTo(recipient));
  const used = { ...message, _id: newId(), seq: message.seq + 2, clientId: randomUUID() };
  await Message.collection.insertOne(used);
  const sent = await Promise.all(Array.from({ length: 4 }, () => draftTo(recipient)).map(test.gateway.writeMessage));
  expect(sent.map(({ created }) => created)).toEqual([true, true, true, true]);
  const seqs = sent.map(({ message: { seq } }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  const stored = await Message.find({ conversation: message.conversation, _id: { $ne: used._id } }).sort({ seq: 1 });
  expect(stored.map(({ seq }) => seq)).toEqual([message.seq, ...seqs]);
});

it('Gateways that write to one chat without a pause all get their messages into it, in one order without gaps.', async () => {
  const { _id } = await buildPatient(test.gateway);
  const acknowledged: number[] = [];
  const writers = [1, 2, 3].map(() => createMessageWriter(test.gateway, createKnownChats()));
  await Promise.all(
    writers.map(async (write) => {
      for (let i = 0; i < 30; i++) {
        const before = Math.max(0, ...acknowledged);
        const written = await Promise.all([write(draftTo(_id)), write(draftTo(_id))]);
        for (const { message } of written) {
          expect(message.seq).toBeGreaterThan(before);
          acknowledged.push(message.seq);
        }
      }
    }),
  );
  expect(acknowledged.sort((a, b) => a - b)).toEqual(Array.from({ length: 180 }, (_, i) => i + 1));
});

it('A repeated message among others of its chat leaves no gap, also when it is repeated at once.', async () => {
  const { _id } = await buildPatient(test.gateway);
  const repeated = draftTo(_id);
  const first = await test.gateway.writeMessage(repeated);
  const later = draftTo(_id);
  const sent = await Promise.all([draftTo(_id), repeated, later, later, draftTo(_id)].map(test.gateway.writeMessage));
  expect(sent.map(({ created }) => created)).toEqual([true, false, true, false, true]);
  expect(sent.map(({ message: { seq } }) => seq)).toEqual([2, first.message.seq, 3, 3, 4]);
  expect(sent[1]?.message._id).toEqual(first.message._id);
  expect(sent[3]?.message._id).toEqual(sent[2]?.message._id);
  const next = await createMessageWriter(test.gateway, createKnownChats())(draftTo(_id));
  expect(next.message.seq).toBe(5);
});

it('Repeated messages to many chats at once wait for one majority, and keep none of the others from its write.', async () => {
  const people = await Promise.all([1, 2, 3].map(() => buildPatient(test.gateway)));
  const drafts = people.flatMap(({ _id }) => Array.from({ length: 6 }, () => draftTo(_id)));
  const first = await Promise.all(drafts.map(test.gateway.writeMessage));
  let sent: typeof first = [];
  const more = people.flatMap(({ _id }) => [draftTo(_id), draftTo(_id)]);
  const commands = await commandsOf(async () => {
    sent = await Promise.all([...drafts, ...more].map(test.gateway.writeMessage));
  });
  expect(sent.map(({ created }) => created)).toEqual([...drafts.map(() => false), ...more.map(() => true)]);
  expect(sent.slice(0, drafts.length).map(({ message }) => message._id)).toEqual(
    first.map(({ message }) => message._id),
  );
  expect(sent.slice(drafts.length).map(({ message }) => message.seq)).toEqual([7, 8, 7, 8, 7, 8]);
  expect(count(commands, 'find', 'counters')).toBe(1);
  expect(count(commands, 'insert', 'messages')).toBe(2);
});

it('A chat that another gateway keeps busy at each try is answered as away, and the others of its group are written.', async () => {
  const [busy, free] = (await Promise.all([1, 2].map(() => buildPatient(test.gateway)))) as [Person, Person];
  const writeMessage = createMessageWriter(test.gateway, createKnownChats());
  await writeMessage(draftTo(busy._id));
  const { collection } = test.gateway.models.Message;
  const insert = collection.insertMany.bind(collection);
  const rival = createMessageWriter(test.gateway, createKnownChats());
  const spy = vi.spyOn(collection, 'insertMany').mockImplementation(async (...given) => {
    const [messages] = given as unknown as [{ recipient: unknown; content: string }[]];
    if (messages.some(({ recipient, content }) => String(recipient) === busy.id && content !== 'Rival')) {
      await rival({ ...draftTo(busy._id), content: 'Rival' });
    }
    return insert(...(given as Parameters<typeof insert>));
  });
  onTestFinished(() => spy.mockRestore());
  const [refused, written] = await Promise.allSettled([busy, free].map(({ _id }) => writeMessage(draftTo(_id))));
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
  expect(written).toMatchObject({ status: 'fulfilled', value: { created: true } });
});

it('A signal of another gateway during a write does not change the seqs of the write.', async () => {
  const people = await Promise.all([1, 2].map(() => buildPatient(test.gateway)));
  const known = createKnownChats();
  const writeMessage = createMessageWriter(test.gateway, known);
  await Promise.all(people.map(({ _id }) => writeMessage(draftTo(_id))));
  const { collection } = test.gateway.models.Message;
  const insert = collection.insertMany.bind(collection);
  vi.spyOn(collection, 'insertMany').mockImplementationOnce((...given) => {
    const to = [people[0]?.id, provider.id].map(String);
    hearMessage(known, { name: 'message:new', to, refs: { seq: 7 } });
    return insert(...(given as Parameters<typeof insert>));
  });
  const sent = await Promise.all([...people, ...people].map(({ _id }) => writeMessage(draftTo(_id))));
  expect(sent.map(({ message }) => message.seq)).toEqual([2, 2, 3, 3]);
  const next = await Promise.all(people.map(({ _id }) => writeMessage(draftTo(_id))));
  expect(next.map(({ message }) => message.seq)).toEqual([8, 4]);
});
