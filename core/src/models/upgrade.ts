import { setTimeout as pause } from 'node:timers/promises';
import { addCards, addNames } from '../access/cards.js';
import { ConfigError } from '../config/env.js';
import { Clock } from '../db/clock.js';
import type { ObjectId } from '../db/ids.js';
import { searchFields } from '../users/search.js';
import type { Models } from './models.js';
import type { TaskDoc } from './task.js';
import type { UserDoc } from './user.js';

/** Changes the records after this id, some at a time. Returns the last of them; null when none was left. */
type Work = (models: Models, after: ObjectId | null, now: Date) => Promise<ObjectId | null>;

interface Step {
  work: Work;
  /**
   * True when versions from before this change may also be started after it. They read this from the database. False: what
   * an older version writes after the change would lack something.
   */
  compatible: boolean;
}

/**
 * The changes of records that an older version left, each made once for a database, in this order. A change is only
 * forward, and an older version can work with its result: both run while an installation is upgraded. A step that was
 * released is never renamed or removed, because its name in the database says which version has used it.
 */
const steps: Record<string, Step> = {
  cards: { work: addCards, compatible: false },
  /** Accounts whose words were stored before the letters and digits of Arabic and Urdu were folded. */
  words: { work: foldWords, compatible: false },
  /** Cards without the names of their patients. */
  names: { work: addNames, compatible: false },
};

/** The names of the changes of this version. */
export const stepNames: readonly string[] = Object.keys(steps);

/** A process that died in a step blocks the others for this time. */
const CLAIM_MS = 30_000;
const PAUSE_MS = 250;

const PREFIX = 'upgrade:';
const nameOf = (task: Pick<TaskDoc, '_id'>) => task._id.slice(PREFIX.length);
const begun = { _id: { $gte: PREFIX, $lt: 'upgrade;' } };

/** Returns the names of the changes that were begun in this database. */
export async function begunSteps({ Task }: Pick<Models, 'Task'>): Promise<string[]> {
  return (await Task.find(begun, { _id: 1 }).lean<TaskDoc[]>()).map(nameOf);
}

const isUnknown = (name: string): boolean => !Object.hasOwn(steps, name);

/** True when a later version has used this database. It may store records that this version does not know. */
export const usedByLaterVersion = async (models: Pick<Models, 'Task'>): Promise<boolean> =>
  (await begunSteps(models)).some(isUnknown);

/**
 * Throws when a later version has changed the records of this database in a way that this version does not know, unless it
 * declared that this version may work with them.
 */
export async function refuseLaterVersion({ Task }: Models): Promise<void> {
  const found = await Task.find({ ...begun, compatible: { $ne: true } }, { _id: 1 }).lean<TaskDoc[]>();
  const unknown = found.map(nameOf).filter(isUnknown);
  if (unknown.length === 0) return;
  throw new ConfigError(
    `A later version of Lightbox has used this database (${unknown.join(', ')}). Start that version, or restore a backup from before it (docs/operations/upgrades.md).`,
  );
}

/** Makes all changes. One process makes a change and the others wait; after a stop the next one continues. */
export async function upgradeRecords(models: Models): Promise<void> {
  for (const [name, step] of Object.entries(steps)) await once(models, PREFIX + name, step);
}

/**
 * Makes one change again, for records that processes of the older version wrote after it. Throws a ConfigError for an
 * unknown name.
 */
export async function repeatStep(models: Models, name: string): Promise<void> {
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (!step) throw new ConfigError(`There is no change "${name}". The changes are: ${stepNames.join(', ')}.`);
  // Nobody has a claim of a change that is done.
  const done = { _id: PREFIX + name, doneAt: { $exists: true } };
  // It begins with the first record. A process that stood still may have left its position.
  if (await models.Task.exists(done)) await models.Position.deleteOne({ _id: PREFIX + name });
  await models.Task.updateOne(done, { $unset: { doneAt: 1 }, $set: { nextAt: new Date(0) } });
  await once(models, PREFIX + name, step);
}

async function once(models: Models, _id: string, { work, compatible }: Step): Promise<void> {
  const { Task, Position } = models;
  while (!(await Task.exists({ _id, doneAt: { $exists: true } }))) {
    await Task.updateOne({ _id }, { $setOnInsert: { nextAt: new Date(0), compatible } }, { upsert: true });
    const before = performance.now();
    const begunAt = await claim(models, _id);
    if (!begunAt) {
      await pause(PAUSE_MS);
      continue;
    }
    const mine = { _id, begunAt };
    // The changes are made before the process has read MongoDB's clock; the claim is of its time.
    const clock = new Clock();
    clock.adjust(begunAt, before, performance.now());
    let after = (await Position.findById(_id).lean())?.after ?? null;
    const next = () => work(models, after, clock.now());
    for (let last = await next(); last; last = await next()) {
      after = last;
      // A process that stood still for longer than its claim leaves the change to the one that has it now.
      if ((await Task.updateOne(mine, [claimed], { updatePipeline: true })).matchedCount === 0) break;
      await Position.updateOne({ _id }, { $set: { after } }, { upsert: true });
    }
    const ended = await Task.updateOne(mine, { $set: { doneAt: clock.now() } });
    if (ended.matchedCount > 0) await Position.deleteOne({ _id });
  }
}

const claimed = { $set: { nextAt: { $add: ['$$NOW', CLAIM_MS] } } };

/**
 * Claims the change by MongoDB's clock. Returns the start of the claim; null while another process has it. A claim that
 * ends later than one that begins now is of a time before MongoDB's clock was set back, and nobody waits for its end.
 */
async function claim({ Task }: Models, _id: string): Promise<Date | null> {
  const isOver = { $or: [{ $lte: ['$nextAt', '$$NOW'] }, { $gt: ['$nextAt', { $add: ['$$NOW', CLAIM_MS] }] }] };
  const due = { _id, $expr: isOver };
  const taken = [{ $set: { begunAt: '$$NOW' } }, claimed];
  const options = { returnDocument: 'after', updatePipeline: true } as const;
  return (await Task.findOneAndUpdate(due, taken, options).lean<TaskDoc>())?.begunAt ?? null;
}

const ACCOUNTS = 500;

async function foldWords({ User }: Models, after: ObjectId | null): Promise<ObjectId | null> {
  const fields = { firstname: 1, lastname: 1, username: 1, email: 1, words: 1, deletedAt: 1 };
  const users = await User.find(after ? { _id: { $gt: after } } : {}, fields)
    .sort({ _id: 1 })
    .limit(ACCOUNTS)
    .lean<UserDoc[]>();
  const changes = users
    .filter(({ deletedAt }) => !deletedAt)
    .map((user) => ({ user, words: searchFields(user).words }))
    .filter(({ user, words }) => words.join() !== user.words.join());
  if (changes.length > 0) {
    await User.bulkWrite(
      changes.map(({ user, words }) => ({
        // A change of the name at the same moment has folded its words already.
        updateOne: { filter: { _id: user._id, words: user.words }, update: { $set: { words } } },
      })),
    );
  }
  return users.at(-1)?._id ?? null;
}
