import type { Core } from '@lightbox/core/core.js';
import { onOne } from '@lightbox/core/db/onOne.js';
import type { TaskDoc } from '@lightbox/core/models/task.js';
import { pause } from '../pause.js';
import { type Task, type TaskName, tasks } from './tasks.js';

/** The least time for which a claim holds. A worker that died in a task blocks it for this time or for its period. */
const LEAST_CLAIM_MS = 5_000;
const MOST_PAUSE_MS = 5_000;

/**
 * Runs all maintenance on schedule until the worker stops. Each task has its own loop, so none waits for another. A task that is
 * due more often than a claim lasts runs in every worker: to look for work costs less than to claim it.
 */
export const keepSchedule = (core: Core, signal: AbortSignal): Promise<void>[] =>
  (Object.keys(tasks) as TaskName[]).map((name) => repeat(core, name, tasks[name], signal));

async function repeat(core: Core, name: string, task: Task, signal: AbortSignal): Promise<void> {
  let entered = false;
  while (!signal.aborted) {
    let wait = task.every;
    try {
      if (task.every < LEAST_CLAIM_MS) await core.elections.steady(() => task.work(core));
      else {
        if (!entered) await enter(core, name, task.startsAfter);
        entered = true;
        wait = await takeTurn(core, name, task);
      }
    } catch (error) {
      core.warn(error, `${name} failed; trying again`);
    }
    if (wait > 0) await pause(Math.min(wait, MOST_PAUSE_MS), signal);
  }
}

export const enter = ({ models, clock }: Core, name: string, startsAfter?: number): Promise<unknown> => {
  const nextAt = startsAfter ? new Date(clock.now().getTime() + startsAfter) : new Date(0);
  return models.Task.updateOne({ _id: name }, { $setOnInsert: { nextAt } }, { upsert: true });
};

/**
 * Runs the task if it is due and no other worker runs it. Returns the milliseconds until it is due again: 0 when more is to be
 * done at once. When another worker has its turn, that moment is not known, and a quarter of the period is returned.
 */
export async function takeTurn(core: Core, name: string, { every, startsAfter = 0, work }: Task): Promise<number> {
  const since = performance.now();
  const claimMs = Math.max(every, LEAST_CLAIM_MS);
  const begunAt = await claim(core, name, claimMs, Math.max(claimMs, startsAfter));
  if (!begunAt) return every / 4;
  let next = every;
  try {
    if ((await core.elections.steady(() => work(core))) === true) next = 0;
    return Math.max(0, next - (performance.now() - since));
  } catch (error) {
    next = Math.min(every, MOST_PAUSE_MS);
    throw error;
  } finally {
    const nextAt = new Date(begunAt.getTime() + next);
    await core.models.Task.updateOne({ _id: name, begunAt }, { $set: { nextAt } }, onOne);
  }
}

/**
 * Claims the task with one atomic update by MongoDB's clock, so only one worker gets it. Returns its start, or null. If a
 * failover rolls a claim back, two workers do the task once, which is harmless.
 *
 * The task is also due when its next time is further away than `mostMs`: MongoDB's clock was set back since it was written,
 * or the new primary's clock is behind.
 */
async function claim({ models }: Core, name: string, forMs: number, mostMs: number): Promise<Date | null> {
  const isDue = { $or: [{ $lte: ['$nextAt', '$$NOW'] }, { $gt: ['$nextAt', { $add: ['$$NOW', mostMs] }] }] };
  const due = { _id: name, $expr: isDue };
  const taken = [{ $set: { begunAt: '$$NOW', nextAt: { $add: ['$$NOW', forMs] } } }];
  const options = { returnDocument: 'after', updatePipeline: true, ...onOne } as const;
  const task = await models.Task.findOneAndUpdate(due, taken, options).lean<TaskDoc>();
  return task?.begunAt ?? null;
}
