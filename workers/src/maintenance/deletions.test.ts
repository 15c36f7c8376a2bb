import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Client } from '@lightbox/backend/testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildStudy,
  PASSWORD,
  type Person,
} from '@lightbox/backend/testing/factories.js';
import { webmRecording } from '@lightbox/backend/testing/recordings.js';
import { useGateway } from '@lightbox/backend/testing/useGateway.js';
import type { LegalHolds } from '@lightbox/contract/legalHolds/calls.js';
import { mayBeDeleted } from '@lightbox/contract/legalHolds/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { removeLeftovers } from '@lightbox/core/requests/removeHeld.js';
import { finishClosing } from '@lightbox/core/users/closing.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { finishClosings } from './finishClosings.js';
import { removeUnfinishedCopies } from './leftStudies.js';
import { removeOldImages, removeOldMessages } from './retention.js';

const { test, api } = useGateway();
const reason = 'Letter of the court of 3 May';
let admin: Person;
const settings: Partial<Record<string, string>> = {};

beforeAll(async () => {
  admin = await buildAdmin(test.gateway);
});

const hold = (patient: Person, held: boolean, by: Person = admin) =>
  api.as(by).put(`/users/${patient.id}/legal-hold`, { held, reason });
const stateOf = async (patient: Person): Promise<LegalHolds> =>
  (await api.as(admin).get(`/users/${patient.id}/legal-hold`).expect(200)).body.data;

/** Moves the clock to the moment at which a changed retention time takes effect. */
async function afterOneDay(): Promise<void> {
  test.clock.forward({ hours: limits.retentionWaitsHours });
  // Sessions do not last as long.
  admin = await buildAdmin(test.gateway);
}

async function keepFor(name: 'retention.imagesDays' | 'retention.messagesDays', days: number): Promise<void> {
  const [id, value] = [settings[name], String(days)];
  if (id) await api.as(admin).put(`/appsetting/edit/${id}`, { value }).expect(200);
  else settings[name] = (await api.as(admin).post('/appsetting/add', { name, value }).expect(201)).body.data.id;
}

const daysAgo = (days: number) => new Date(test.clock.now().getTime() - days * 24 * 3_600_000);
const until = () => new Date(test.clock.now().getTime() + 60_000);
const exists = async (model: 'Image' | 'Study' | 'Message' | 'Voice' | 'Annotation', filter: object) =>
  (await test.gateway.models[model].collection.countDocuments(filter, { readConcern: { level: NEWEST } })) > 0;

interface World {
  patient: Person;
  owner: Person;
  image: BuiltImage;
}

async function arrange(): Promise<World> {
  const [patient, owner] = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
  return { patient, owner, image: await buildImage(test.gateway, { owner, patient: patient._id }) };
}

const write = async (from: Person, to: Person): Promise<Message> =>
  (await api.as(from).post('/message/send', { recipientId: to.id, content: 'How is the hand?' }).expect(201)).body.data;

const speak = async (from: Person, to: Person): Promise<Message> =>
  (
    await api
      .as(from)
      .form({
        path: '/message/voice',
        parts: [
          { name: 'recipientId', value: to.id },
          { name: 'file', file: webmRecording },
        ],
      })
      .expect(201)
  ).body.data;

const handedOver = (id: string) =>
  expect
    .poll(async () => (await test.gateway.models.Message.findById(id).readConcern(NEWEST).lean())?.pending)
    .toBe(false);

interface Deletion {
  act: () => Promise<unknown>;
  /** True while everything is there that the deletion would remove. */
  kept: () => Promise<boolean>;
  /** The deletion leaves out what is held, in place of an answer that refuses. */
  skips?: true;
}

interface Path {
  name: string;
  /** The files whose deletion this is. */
  files: string[];
  of: (world: World) => Promise<Deletion>;
}

const MARK = {
  ...{ id: randomUUID(), kind: 'arrow', frame: 1, text: 'Fracture' },
  points: [
    [1, 1],
    [2, 1],
  ],
};

const imageFile = 'core/src/images/removeImage.ts';
const studyFiles = ['core/src/studies/removeStudy.ts', 'core/src/studies/leaveStudy.ts'];
const refusing = (call: PromiseLike<{ status: number; body: { error?: string; message?: string } }>) =>
  Promise.resolve(call).then(({ status, body }) => {
    if (status >= 400) throw Object.assign(new Error(body.message), { status, code: body.error });
  });

const paths: Path[] = [
  ...(['owner', 'administrator'] as const).map(
    (who): Path => ({
      name: `an image, by its ${who}`,
      files: [imageFile],
      of: async ({ owner, image }) => ({
        act: () =>
          refusing(api.as(who === 'owner' ? owner : admin).del(`/upload/image/${image.id}`, { reason: 'A mistake' })),
        kept: () => exists('Image', { _id: image._id }),
      }),
    }),
  ),
  {
    name: 'the last image of a study',
    files: [imageFile, ...studyFiles],
    of: async ({ owner, patient }) => {
      const image = await buildStudy(test.gateway, { owner, patient: patient._id });
      await test.gateway.models.Image.updateOne({ _id: image._id }, { patient: patient._id });
      return {
        act: () => refusing(api.as(owner).del(`/upload/image/${image.id}`, { reason: 'A mistake' })),
        kept: async () => (await exists('Image', { _id: image._id })) && exists('Study', { _id: image.study }),
      };
    },
  },
  {
    name: 'a study',
    files: studyFiles,
    of: async ({ owner, patient }) => {
      const image = await buildStudy(test.gateway, { owner, patient: patient._id });
      await test.gateway.models.Image.updateOne({ _id: image._id }, { patient: patient._id });
      return {
        act: () => refusing(api.as(owner).del(`/studies/${image.study}`, { reason: 'A mistake' })),
        kept: async () => (await exists('Image', { _id: image._id })) && exists('Study', { _id: image.study }),
      };
    },
  },
  {
    name: 'a study of copies that somebody left',
    files: studyFiles,
    of: async ({ owner, patient }) => {
      const image = await buildStudy(test.gateway, { owner, patient: patient._id });
      const begun = { planned: 2, createAt: daysAgo(2) };
      await test.gateway.models.Study.collection.updateOne({ _id: image.study }, { $set: begun });
      return {
        skips: true,
        act: () => removeUnfinishedCopies(test.gateway),
        kept: async () => (await exists('Image', { _id: image._id })) && exists('Study', { _id: image.study }),
      };
    },
  },
  {
    name: 'the files of a request',
    files: [imageFile],
    of: async ({ image }) => {
      const request = newId();
      await test.gateway.models.Image.updateOne({ _id: image._id }, { held: { request } });
      return {
        act: () => removeLeftovers(test.gateway, { ip: '' }, request),
        kept: () => exists('Image', { _id: image._id }),
      };
    },
  },
  {
    name: 'the own marks on an image',
    files: ['backend/src/annotations/saveLayer.ts'],
    of: async ({ owner, image }) => {
      const body = { version: 0, shared: false, marks: [] };
      await api.as(owner).put(`/upload/image/${image.id}/annotations`, body).expect(200);
      return {
        act: () => refusing(api.as(owner).del(`/upload/image/${image.id}/annotations`)),
        kept: () => exists('Annotation', { image: image._id }),
      };
    },
  },
  ...(
    [
      ['left out', []],
      ['changed', [{ ...MARK, text: 'Nothing' }]],
    ] as const
  ).map(
    ([how, marks]): Path => ({
      name: `a mark that is ${how} in the next version of its layer`,
      files: ['backend/src/annotations/saveLayer.ts'],
      of: async ({ owner, image }) => {
        const path = `/upload/image/${image.id}/annotations`;
        const save = (version: number, after: readonly object[]) =>
          api.as(owner).put(path, { version, shared: false, marks: after });
        const first = (await save(0, [MARK]).expect(200)).body.data;
        const further = { ...MARK, id: randomUUID(), text: 'Another' };
        const marksNow = async () => (await api.as(owner).get(path).expect(200)).body.data.layers[0];
        return {
          act: async () => {
            const { version } = await marksNow();
            // A hold keeps nobody from adding marks.
            if (version === first.version) await save(version, [MARK, further]).expect(200);
            await refusing(save((await marksNow()).version, [...marks, further]));
          },
          kept: async () => (await marksNow()).marks.some(({ text }: { text?: string }) => text === MARK.text),
        };
      },
    }),
  ),
  {
    name: 'the account, by the patient',
    files: ['backend/src/users/closeAccount.ts'],
    of: async ({ patient }) => ({
      act: () => refusing(api.as(patient).del('/users/profile', { password: PASSWORD })),
      kept: () => isOpen(patient),
    }),
  },
  {
    name: 'the account, by an administrator',
    files: ['backend/src/users/closeAccount.ts'],
    of: async ({ patient }) => ({
      act: () => refusing(api.as(admin).del(`/users/${patient.id}`)),
      kept: () => isOpen(patient),
    }),
  },
  {
    name: 'marks and recordings, with the account of the provider who made them',
    files: ['backend/src/users/closeAccount.ts', 'core/src/messages/removeVoice.ts'],
    of: async ({ owner, patient, image }) => {
      const [author, message] = [owner, await speak(owner, patient)];
      const body = { version: 0, shared: false, marks: [] };
      await api.as(author).put(`/upload/image/${image.id}/annotations`, body).expect(200);
      let closed = false;
      return {
        skips: true,
        act: async () => {
          if (!closed) await refusing(api.as(admin).del(`/users/${owner.id}`));
          // The lifting of the hold lets the closing go on.
          if (closed) expect((await userOf(owner))?.closing).toBeDefined();
          closed = true;
          await finishClosing(test.gateway, { ip: '' }, owner._id, until());
          expect(await exists('Annotation', { image: image._id })).toBe(true);
        },
        // Marks that stayed behind in a closed account go with their image.
        kept: async () => exists('Voice', { _id: oid(message.voice?.id ?? '') }),
      };
    },
  },
  {
    name: 'images whose retention time is over',
    files: [imageFile],
    of: async ({ image }) => {
      await test.gateway.models.Image.updateOne({ _id: image._id }, { createAt: daysAgo(31) });
      await keepFor('retention.imagesDays', 30);
      await afterOneDay();
      return {
        skips: true,
        act: () => removeOldImages(test.gateway),
        kept: () => exists('Image', { _id: image._id }),
      };
    },
  },
  {
    name: 'messages whose retention time is over',
    files: ['core/src/messages/removeMessages.ts'],
    of: async ({ owner, patient }) => {
      const [sent, received] = [await write(patient, owner), await speak(owner, patient)];
      for (const { id } of [sent, received]) await handedOver(id);
      await keepFor('retention.messagesDays', 30);
      test.clock.forward({ hours: 31 * 24 });
      // Sessions do not last as long as messages.
      admin = await buildAdmin(test.gateway);
      return {
        skips: true,
        act: () => removeOldMessages(test.gateway),
        kept: async () =>
          (await exists('Message', { _id: oid(sent.id) })) &&
          (await exists('Message', { _id: oid(received.id) })) &&
          exists('Voice', { _id: oid(received.voice?.id ?? '') }),
      };
    },
  },
];

const userOf = ({ _id }: Person) => test.gateway.models.User.findById(_id).readConcern(NEWEST).lean<UserDoc>();
const isOpen = async (person: Person) => (await userOf(person))?.deletedAt === undefined;

describe('while the patient is under a legal hold, nobody deletes', () => {
  it.each(paths)('$name; and after it, it is deleted', async ({ of }) => {
    const world = await arrange();
    const { act, kept, skips } = await of(world);
    await hold(world.patient, true).expect(200);
    if (skips) await act();
    else await expect(act()).rejects.toMatchObject({ code: 'LEGAL_HOLD' });
    expect(await kept()).toBe(true);
    await hold(world.patient, false).expect(200);
    await act();
    expect(await kept()).toBe(false);
  });

  it('every place that deletes an image, a study, a message, a recording or an account asks, and is in the table above', () => {
    const root = resolve(import.meta.dirname, '../../..');
    const files = ['backend', 'core', 'workers'].flatMap((workspace) =>
      readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true })
        .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
        .filter((file) => !file.includes('/testing/')),
    );
    const removes =
      /\b(Image|Study|Message|Voice|Annotation|AnalysisVersion)\b(\.collection)?\s*\.(deleteOne|deleteMany|findOneAndDelete|findByIdAndDelete|bulkWrite)\(|\bdelete(One|Many): \{|deletedAt: now/;
    const found = files.filter((file) => removes.test(readFileSync(join(root, file), 'utf8')));
    const asking = [...new Set(paths.flatMap((path) => path.files))];
    const others: Record<string, string> = {
      'core/src/selfCheck/planted.ts': 'removes the objects that the self-check planted',
    };
    expect([...asking, ...Object.keys(others)]).toEqual(expect.arrayContaining(found));
    for (const file of asking) {
      // The study ends in the transaction that asked about its last image.
      const asks =
        file === 'core/src/studies/leaveStudy.ts' ||
        readFileSync(join(root, file), 'utf8').includes('await refuseHeld(');
      expect(asks, file).toBe(true);
    }
  });

  it('the rule looks at everybody whom a deletion names', () => {
    expect(mayBeDeleted({ named: [] }, new Set(['a']))).toBe(true);
    expect(mayBeDeleted({ named: ['b'] }, new Set(['a']))).toBe(true);
    expect(mayBeDeleted({ named: ['b', 'a'] }, new Set(['a']))).toBe(false);
  });
});

it('A chat whose messages were all removed keeps its numbering.', async () => {
  const { owner, patient } = await arrange();
  await write(patient, owner);
  const last = await write(owner, patient);
  await handedOver(last.id);
  await keepFor('retention.messagesDays', 30);
  test.clock.forward({ hours: 31 * 24 });
  await removeOldMessages(test.gateway);
  expect(await exists('Message', { _id: oid(last.id) })).toBe(false);
  test.gateway.knownChats.clear();
  admin = await buildAdmin(test.gateway);
  const draft = { sender: owner._id, recipient: patient._id, content: 'And today?', clientId: undefined };
  expect((await test.gateway.writeMessage(draft)).message.seq).toBe(last.seq + 1);
});

describe('a legal hold', () => {
  it('is set and lifted once, with the reasons, which are sealed and not in the log', async () => {
    const { patient, image } = await arrange();
    await Promise.all([hold(patient, true).expect(200), hold(patient, true).expect(200)]);
    expect(await stateOf(patient)).toMatchObject({ held: true, holds: [{ by: { id: admin.id }, reason }] });
    const refused = await api.as(image.owner).del(`/upload/image/${image.id}`, { reason: 'x' }).expect(409);
    expect(refused.body).toMatchObject({ error: 'LEGAL_HOLD', message: expect.stringContaining('legal hold') });
    await hold(patient, false).expect(200);
    await hold(patient, false).expect(200);
    const after = await stateOf(patient);
    expect(after).toMatchObject({ held: false, holds: [{ reason, lifted: { by: { id: admin.id }, reason } }] });
    expect(after.holds).toHaveLength(1);
    const events = await test.gateway.models.Event.find({ record: patient._id, type: /^user\.hold(Set|Lifted)$/ })
      .sort({ _id: 1 })
      .lean<EventDoc[]>();
    expect(events.map(({ type, reason: said }) => [type, said])).toEqual([
      ['user.holdSet', ''],
      ['user.holdLifted', ''],
    ]);
    expect(JSON.stringify(await test.gateway.models.LegalHold.find().lean())).not.toContain(reason);
  });

  it('is for patients alone, and needs a reason and a recent proof', async () => {
    const { patient, owner } = await arrange();
    await hold(owner, true).expect(404);
    await api.as(owner).get(`/users/${owner.id}/legal-hold`).expect(403);
    await api.as(admin).put(`/users/${patient.id}/legal-hold`, { held: true, reason: ' ' }).expect(422);
    const session = await test.gateway.models.Session.findById(admin.sessionId).lean();
    await test.gateway.models.Session.updateOne({ _id: admin.sessionId }, { createAt: daysAgo(1) });
    expect((await hold(patient, true)).body.error).toBe('STEP_UP_REQUIRED');
    await test.gateway.models.Session.updateOne({ _id: admin.sessionId }, { createAt: session?.createAt });
    expect(await stateOf(patient)).toEqual({ held: false, holds: [] });
  });

  it('of a deletion and a hold at the same moment one wins, and the other sees it', async () => {
    for (let round = 0; round < 5; round++) {
      const { patient, owner, image } = await arrange();
      const [deleted] = await Promise.all([
        api.as(owner).del(`/upload/image/${image.id}`, { reason: 'x' }),
        new Client(test).as(admin).put(`/users/${patient.id}/legal-hold`, { held: true, reason }).expect(200),
      ]);
      expect([200, 409]).toContain(deleted.status);
      expect(await exists('Image', { _id: image._id })).toBe(deleted.status === 409);
    }
  });
});

describe('an image that a transaction of a dead gateway holds does not hold up', () => {
  it.each<{ name: string; begin: (owners: Person[]) => Promise<void>; work: () => Promise<unknown> }>([
    {
      name: 'other images whose retention time is over',
      begin: async (owners) => {
        const filter = { owner: { $in: owners.map(({ _id }) => _id) } };
        await test.gateway.models.Image.collection.updateMany(filter, { $set: { createAt: daysAgo(31) } });
        await keepFor('retention.imagesDays', 30);
        await afterOneDay();
      },
      work: () => removeOldImages(test.gateway),
    },
    {
      name: 'the closing of other accounts',
      begin: async (owners) => {
        await test.gateway.models.User.collection.updateMany(
          { _id: { $in: owners.map(({ _id }) => _id) } },
          { $set: { closing: { at: daysAgo(1), by: admin._id } } },
        );
      },
      work: () => finishClosings(test.gateway),
    },
  ])('$name', async ({ begin, work }) => {
    const { models, db } = test.gateway;
    const [blocked, free] = [await buildImage(test.gateway), await buildImage(test.gateway)];
    await begin([blocked.owner, free.owner]);
    const session = await db.startSession();
    session.startTransaction();
    await models.Image.updateOne({ _id: blocked._id }, { $inc: { touched: 1 } }, { session });
    const round = work().catch(() => undefined);
    await expect.poll(() => exists('Image', { _id: free._id })).toBe(false);
    expect(await exists('Image', { _id: blocked._id })).toBe(true);
    // MongoDB has not ended the transaction.
    await session.commitTransaction();
    await session.endSession();
    await round;
    await expect.poll(() => work().then(() => exists('Image', { _id: blocked._id }))).toBe(false);
  });
});

describe('retention', () => {
  it.each([25, -25])('removes nothing while MongoDB’s clock is %i hours ahead of the machine’s', async (hours) => {
    await keepFor('retention.imagesDays', 300);
    await afterOneDay();
    const { _id } = await buildImage(test.gateway, {
      owner: await buildProvider(test.gateway),
      createAt: daysAgo(301),
    });
    const ahead = vi.spyOn(test.clock, 'aheadOfMachine').mockReturnValue(hours * 3_600_000);
    await removeOldImages(test.gateway);
    expect(await exists('Image', { _id })).toBe(true);
    ahead.mockRestore();
    while (await removeOldImages(test.gateway));
    expect(await exists('Image', { _id })).toBe(false);
    await keepFor('retention.imagesDays', 0);
  });

  it('keeps everything by default and what is younger, removes in batches, and notes each act in the log', async () => {
    await keepFor('retention.imagesDays', 0);
    const owner = await buildProvider(test.gateway);
    const old = [];
    for (let n = 0; n < 25; n++) old.push(await buildImage(test.gateway, { owner, createAt: daysAgo(400 - n) }));
    const young = await buildImage(test.gateway, { owner, createAt: daysAgo(360) });
    const left = () => test.gateway.models.Image.countDocuments({ owner: owner._id }).readConcern(NEWEST);
    expect(await removeOldImages(test.gateway)).toBe(false);
    expect(await left()).toBe(26);
    await keepFor('retention.imagesDays', 3);
    test.clock.forward({ hours: limits.retentionWaitsHours - 0.5 });
    admin = await buildAdmin(test.gateway);
    expect(await removeOldImages(test.gateway), 'a mistake in typing').toBe(false);
    await keepFor('retention.imagesDays', 365);
    test.clock.forward({ hours: limits.retentionWaitsHours - 0.5 });
    expect(await removeOldImages(test.gateway), 'a day since the first change is not enough').toBe(false);
    expect(await left()).toBe(26);
    test.clock.forward({ hours: 0.5 });
    admin = await buildAdmin(test.gateway);
    // Two workers at once, as after an interruption: each image goes once.
    while ((await Promise.all([removeOldImages(test.gateway), removeOldImages(test.gateway)])).includes(true));
    expect(await left()).toBe(1);
    expect(await exists('Image', { _id: young._id })).toBe(true);
    const ids = old.map(({ _id }) => _id);
    const log = await test.gateway.models.Event.find({ type: 'image.delete', record: { $in: ids } }).lean<EventDoc[]>();
    expect(log).toHaveLength(25);
    expect(new Set(log.map(({ reason: said, actor }) => `${said} ${actor}`))).toEqual(
      new Set(['RETENTION_OVER undefined']),
    );
    await keepFor('retention.imagesDays', 0);
  });

  it.each([
    ['retention.auditDays', '2189', 422],
    ['retention.auditDays', '1', 422],
    ['retention.imagesDays', '-1', 422],
    ['retention.messagesDays', '36501', 422],
    ['retention.auditDays', '2190', 201],
  ])('%s of %s is answered %d', async (name, value, status) => {
    await api.as(admin).post('/appsetting/add', { name, value }).expect(status);
  });
});
