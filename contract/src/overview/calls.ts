import { z } from 'zod';
import { call } from '../call.js';
import { doors } from '../doors.js';
import { Id, Time } from '../ids.js';
import { queueNames } from '../queues.js';
import { Email } from '../users/schemas.js';

const QueueName = z.enum(queueNames);

/**
 * The reasons of a failed job. They contain no text of a driver or a mail server; that text stays in the workers' logs.
 */
export const failureReasons = ['unreachable', 'timeout', 'stalled', 'invalid', 'gone', 'other'] as const;
export const FailureReason = z.enum(failureReasons);
export type FailureReason = z.infer<typeof FailureReason>;

export const FailedJob = z.object({
  id: z.string(),
  queue: QueueName,
  name: z.string(),
  attempts: z.int(),
  failedAt: Time,
  reason: FailureReason,
});
export type FailedJob = z.infer<typeof FailedJob>;

export const QueueState = z.object({
  queue: QueueName,
  waiting: z.int(),
  active: z.int(),
  delayed: z.int(),
  failed: z.int(),
});
export type QueueState = z.infer<typeof QueueState>;

export const activityKinds = ['uploads', 'shares', 'signIns', 'analyses'] as const;
export type ActivityKind = (typeof activityKinds)[number];

export const ActivityDay = z.object({
  /** A day in UTC. */
  day: z.iso.date(),
  uploads: z.int(),
  shares: z.int(),
  signIns: z.int(),
  analyses: z.int(),
});
export type ActivityDay = z.infer<typeof ActivityDay>;

/** Counts stop here; the screen then says "or more". */
export const overviewCap = 1000;

export const Overview = z.object({
  /** The time at which the server read these values. */
  at: Time,
  attention: z.object({
    providers: z.object({
      count: z.int(),
      oldest: z.array(z.object({ id: Id, firstname: z.string(), lastname: z.string(), email: Email, since: Time })),
    }),
    /** Emergency accesses without a decision. */
    emergencies: z.object({ count: z.int() }),
    /** Null while Redis is away. */
    failedJobs: z.object({ count: z.int(), newest: z.array(FailedJob) }).nullable(),
    /** Shares that accept no code until a new one is sent. */
    lockedShares: z.object({ count: z.int(), imageIds: z.array(Id) }),
  }),
  service: z.object({
    mongodb: z.enum(['ok', 'away']),
    redis: z.enum(['ok', 'degraded']),
    /** Events that are committed with their change, and not yet handed over to sockets and queues. */
    pendingEvents: z.object({ count: z.int(), oldestMs: z.int().nullable() }),
  }),
  /** Null while Redis is away. */
  queues: z.array(QueueState).nullable(),
  /** Null when it could not be counted in time. */
  storage: z.array(z.object({ contentType: z.string(), images: z.int(), bytes: z.int() })).nullable(),
  liveSessions: z.int(),
  /** The last `limits.activityDays`, the oldest first. */
  activity: z.array(ActivityDay),
});
export type Overview = z.infer<typeof Overview>;

export const overviewCalls = {
  getOverview: call({
    method: 'get',
    path: '/admin/overview',
    who: 'overview.read',
    action: 'overview.read',
    summary: 'What needs an administrator now, and how the service is doing',
    data: Overview,
  }),
  retryJob: call({
    method: 'post',
    path: '/admin/jobs/:queue/:id/retry',
    who: 'job.retry',
    action: 'job.retry',
    summary: 'Run a failed job once more',
    params: z.strictObject({ queue: QueueName, id: z.string().min(1).max(200) }),
    body: z.strictObject({}),
    data: z.object({ id: z.string(), queue: QueueName, name: z.string() }),
    fails: ['CONFLICT'],
  }),
  openQueueBoard: call({
    method: 'post',
    path: `${doors.queues}/session`,
    who: 'job.read',
    action: 'job.watched',
    summary: 'Look at the queues for 15 minutes: sets a cookie for the pages at `path`',
    body: z.strictObject({}),
    data: z.object({ path: z.string() }),
  }),
};
