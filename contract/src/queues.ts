/** The queues of the workers; which jobs go where is `core/src/queues/jobs.ts`. */
export const queueNames = ['analysis', 'previews', 'mail', 'notifications', 'audit', 'maintenance'] as const;
export type QueueName = (typeof queueNames)[number];
