import { type FailureReason, type Overview, overviewCap, type QueueState } from '@lightbox/contract/overview/calls.js';
import { type QueueName, queueNames } from '@lightbox/contract/queues.js';
import { lockedShare } from '@lightbox/core/access/shares.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Gateway } from '../context.js';

const SHOWN = 5;

export async function pendingProviders({ models }: Gateway): Promise<Overview['attention']['providers']> {
  const waiting = { role: 'healthProvider' as const, status: 'pending' as const, deletedAt: { $exists: false } };
  const [count, oldest] = await Promise.all([
    models.User.countDocuments(waiting, { limit: overviewCap }),
    models.User.find(waiting, { firstname: 1, lastname: 1, email: 1, createAt: 1 })
      .sort({ createAt: 1, _id: 1 })
      .limit(SHOWN)
      .lean<UserDoc[]>(),
  ]);
  return {
    count,
    oldest: oldest.map((user) => ({
      id: String(user._id),
      firstname: user.firstname ?? '',
      lastname: user.lastname ?? '',
      email: user.email,
      since: user.createAt.toISOString(),
    })),
  };
}

/** Counts the emergency accesses that no administrator has decided about. */
export const waitingReviews = async ({ models }: Gateway): Promise<Overview['attention']['emergencies']> => ({
  count: await models.Emergency.countDocuments({ waits: true }, { limit: overviewCap }),
});

/** Counts the live shares that are locked until a new code is sent, and lists the newest. */
export async function lockedShares({ models, clock }: Gateway): Promise<Overview['attention']['lockedShares']> {
  const locked = lockedShare(clock.now());
  const [count, shares] = await Promise.all([
    models.Share.countDocuments(locked, { limit: overviewCap }),
    models.Share.find(locked, { image: 1 }).sort({ _id: -1 }).limit(SHOWN).lean<ShareDoc[]>(),
  ]);
  return { count, imageIds: [...new Set(shares.map((share) => String(share.image)))] };
}

interface QueueReport {
  queues: QueueState[];
  failedJobs: NonNullable<Overview['attention']['failedJobs']>;
}

/** Returns null while Redis is unreachable; the overview then shows only facts from MongoDB. */
export async function reportQueues(gateway: Gateway): Promise<QueueReport | null> {
  // BullMQ would wait without end for a Redis that was never connected.
  if (gateway.redis.status !== 'ready') return null;
  try {
    const queues = await Promise.all(queueNames.map((queue) => stateOf(gateway, queue)));
    const newest = await Promise.all(
      queues.filter(({ failed }) => failed > 0).map((row) => newestOf(gateway, row.queue)),
    );
    return {
      queues,
      failedJobs: {
        count: queues.reduce((sum, { failed }) => sum + failed, 0),
        newest: newest
          .flat()
          .sort((a, b) => b.failedAt.localeCompare(a.failedAt))
          .slice(0, SHOWN),
      },
    };
  } catch {
    return null;
  }
}

async function stateOf({ queues }: Gateway, queue: QueueName): Promise<QueueState> {
  const counts = await queues.all[queue].getJobCounts('waiting', 'active', 'delayed', 'failed');
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
  return { queue, waiting, active, delayed, failed };
}

async function newestOf({ queues }: Gateway, queue: QueueName) {
  const jobs = await queues.all[queue].getFailed(0, SHOWN - 1);
  // A job that was retried or removed since the list was read is undefined.
  return jobs.flatMap((job) =>
    job?.id
      ? [
          {
            id: job.id,
            queue,
            name: job.name,
            attempts: job.attemptsMade,
            failedAt: new Date(job.finishedOn ?? job.timestamp).toISOString(),
            reason: reasonOf(job.failedReason ?? ''),
          },
        ]
      : [],
  );
}

const reasonPatterns: readonly [FailureReason, RegExp][] = [
  ['stalled', /stalled/i],
  ['timeout', /ETIMEDOUT|ESOCKET.*time|time[d]?[ -]?out|took too long/i],
  ['unreachable', /ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EPIPE|Connection is closed|cannot be reached|socket/i],
  ['gone', /not found|no longer|is gone/i],
  ['invalid', /There is no job|are not what it takes|invalid|cannot be read/i],
];

/**
 * Returns the kind of a failure for administrators. The report itself, from a driver or a mail server, may name hosts,
 * addresses and people.
 */
export const reasonOf = (report: string): FailureReason =>
  reasonPatterns.find(([, words]) => words.test(report))?.[0] ?? 'other';
