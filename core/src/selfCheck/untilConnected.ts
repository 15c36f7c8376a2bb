import { once } from 'node:events';
import type { Core } from '../core.js';
import { inTime } from '../db/inTime.js';

/** Commands are faster than their connections. Without Redis, the checks that need it report that. */
export async function untilConnected({ redis, queues }: Core): Promise<void> {
  const connected = [redis.status === 'ready' ? null : once(redis, 'ready'), queues.all.mail.waitUntilReady()];
  await inTime(Promise.all(connected), 5_000).catch(() => undefined);
}
