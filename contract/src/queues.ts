/** The queues of the workers. `core/src/queues/jobs.ts` lists the jobs of each queue. */
export const queueNames = ['analysis', 'previews', 'mail', 'notifications', 'audit', 'maintenance'] as const;
export type QueueName = (typeof queueNames)[number];
