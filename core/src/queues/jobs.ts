import type { QueueName } from '@lightbox/contract/queues.js';
import { z } from 'zod';
import { eventMails } from '../mail/mailTemplates.js';
import { reminderChannels, reminderSubjects } from '../models/reminder.js';

const Id = z.string().length(24);

/** The records that a push may be about, and a summary of several, which names the person. */
const pushSubjects = [...reminderSubjects, 'summary'] as const;

/** The event that a job follows from. It is marked when the job is done (`Events.settle`). */
const eventId = Id.optional();

interface JobShape<S extends z.ZodType> {
  queue: QueueName;
  data: S;
  attempts: number;
  /** Milliseconds before the first retry; each further retry doubles it. */
  backoff: number;
}
const defineJob = <S extends z.ZodType>(shape: JobShape<S>) => shape;

/**
 * Every job. Its data are ids only; the worker reads the records again. Handlers: `workers/src/handlers.ts`. Attempts
 * count failures of the job itself. When a dependency is away, the job waits for it (`workers/src/runner.ts`).
 */
export const jobs = {
  renderPreview: defineJob({
    queue: 'previews',
    data: z.object({ imageId: Id, eventId }),
    attempts: 3,
    backoff: 1_000,
  }),
  renderFrame: defineJob({ queue: 'previews', data: z.object({ renderingId: Id }), attempts: 2, backoff: 500 }),
  blackOut: defineJob({ queue: 'previews', data: z.object({ blackOutId: Id }), attempts: 2, backoff: 500 }),
  makeReport: defineJob({ queue: 'previews', data: z.object({ reportId: Id }), attempts: 2, backoff: 500 }),
  renderPhoto: defineJob({ queue: 'previews', data: z.object({ photoId: Id, eventId }), attempts: 3, backoff: 500 }),
  // 3 + 6 s: time for a model server to come back.
  analyseImage: defineJob({
    queue: 'analysis',
    data: z.object({ imageId: Id, eventId }),
    attempts: 3,
    backoff: 3_000,
  }),
  // 2 s doubled twelve times is about two hours and a quarter. Codes have expired long before, and are not sent late.
  sendMail: defineJob({
    queue: 'mail',
    data: z.object({ eventId: Id, template: z.enum(eventMails) }),
    attempts: 12,
    backoff: 2_000,
  }),
  notify: defineJob({ queue: 'notifications', data: z.object({ eventId: Id }), attempts: 5, backoff: 1_000 }),
  // As `sendMail`.
  sendReminder: defineJob({
    queue: 'notifications',
    data: z.object({ userId: Id, channel: z.enum(reminderChannels) }),
    attempts: 12,
    backoff: 2_000,
  }),
  sendDigest: defineJob({
    queue: 'notifications',
    data: z.object({ userId: Id, day: z.iso.date() }),
    attempts: 12,
    backoff: 2_000,
  }),
  pushMessage: defineJob({
    queue: 'notifications',
    data: z.object({ messageId: Id }),
    attempts: 5,
    backoff: 1_000,
  }),
  // 10 s doubled seven times is about twenty minutes, for a push service that is down or asks for a delay.
  deliverPush: defineJob({
    queue: 'notifications',
    data: z.object({
      subscriptionId: Id,
      about: z.enum(pushSubjects),
      recordId: Id,
      /** The number of notices in a summary. */
      count: z.int().optional(),
    }),
    attempts: 8,
    backoff: 10_000,
  }),
  // The delivery itself counts its tries and has its times (`WebhookDelivery`). These attempts are about faults of the job.
  deliverWebhook: defineJob({
    queue: 'webhooks',
    data: z.object({ deliveryId: Id, turn: z.int() }),
    attempts: 3,
    backoff: 5_000,
  }),
  appendAudit: defineJob({ queue: 'audit', data: z.object({}), attempts: 3, backoff: 500 }),
  removeBlob: defineJob({ queue: 'maintenance', data: z.object({ blobId: Id, eventId }), attempts: 5, backoff: 2_000 }),
  // All blobs that tombstones list.
  removeBlobs: defineJob({ queue: 'maintenance', data: z.object({ eventId }), attempts: 5, backoff: 2_000 }),
} as const;
export type JobName = keyof typeof jobs;
export type JobData<N extends JobName> = z.infer<(typeof jobs)[N]['data']>;
