import type { QueueName } from '@lightbox/contract/queues.js';
import { z } from 'zod';

const Id = z.string().length(24);

/** `ranked`: its place among the files of others was given already (`workers/src/previews/turns.ts`). */
const File = z.object({ imageId: Id, ranked: z.literal(true).optional() });

interface JobShape<S extends z.ZodType> {
  queue: QueueName;
  data: S;
  attempts: number;
  /** Milliseconds before the first retry; doubled at each. */
  backoff: number;
}
const defineJob = <S extends z.ZodType>(shape: JobShape<S>) => shape;

/** Every job there is. Its data are ids only; whoever works on it reads the truth again. Handlers: `workers/src/handlers.ts`. */
export const jobs = {
  renderPreview: defineJob({ queue: 'previews', data: File, attempts: 3, backoff: 1_000 }),
  // 3 + 6 s: time for a model server to come back.
  analyseImage: defineJob({
    queue: 'analysis',
    data: File,
    attempts: 3,
    backoff: 3_000,
  }),
  // 2 s doubled twelve times is about two hours and a quarter; codes are long expired by then and are not sent late.
  sendMail: defineJob({
    queue: 'mail',
    data: z.object({ eventId: Id, template: z.string() }),
    attempts: 12,
    backoff: 2_000,
  }),
  notify: defineJob({ queue: 'notifications', data: z.object({ eventId: Id }), attempts: 5, backoff: 1_000 }),
  remindUnread: defineJob({
    queue: 'notifications',
    data: z.object({ messageId: Id }),
    attempts: 3,
    backoff: 5_000,
  }),
  pushMessage: defineJob({
    queue: 'notifications',
    data: z.object({ messageId: Id }),
    attempts: 5,
    backoff: 1_000,
  }),
  // 10 s doubled seven times is about twenty minutes: a push service that is down, or asks for patience.
  deliverPush: defineJob({
    queue: 'notifications',
    data: z.object({ subscriptionId: Id, about: z.enum(['notification', 'message']), recordId: Id }),
    attempts: 8,
    backoff: 10_000,
  }),
  appendAudit: defineJob({ queue: 'audit', data: z.object({}), attempts: 3, backoff: 500 }),
  removeBlob: defineJob({ queue: 'maintenance', data: z.object({ blobId: Id }), attempts: 5, backoff: 2_000 }),
  expireShares: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  expireSessions: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  removeOrphanBlobs: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  renewKeys: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  noteAuditHead: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  recountUsage: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  reviveAnalyses: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
  revivePreviews: defineJob({ queue: 'maintenance', data: z.object({}), attempts: 1, backoff: 0 }),
} as const;
export type JobName = keyof typeof jobs;
export type JobData<N extends JobName> = z.infer<(typeof jobs)[N]['data']>;

/** Jobs that come round by themselves, in milliseconds. */
export const schedule: Partial<Record<JobName, number>> = {
  // An open picture goes dark within two seconds of its share's end.
  expireShares: 1_000,
  expireSessions: 15_000,
  // Three looks at indexes that mostly find nothing.
  renewKeys: 15_000,
  reviveAnalyses: 30_000,
  revivePreviews: 10 * 60_000,
  removeOrphanBlobs: 10 * 60_000,
  noteAuditHead: 10 * 60_000,
  recountUsage: 10 * 60_000,
};
