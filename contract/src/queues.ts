/** The queues of the workers. `core/src/queues/jobs.ts` lists the jobs of each queue. */
export const queueNames = [
  'analysis',
  'previews',
  'mail',
  'notifications',
  'webhooks',
  'audit',
  'maintenance',
] as const;
export type QueueName = (typeof queueNames)[number];
