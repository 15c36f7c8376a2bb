import type { DataOf } from '@lightbox/contract/call.js';
import { type Overview, overviewCalls } from '@lightbox/contract/overview/calls.js';
import type { QueueName } from '@lightbox/contract/queues.js';
import { selfCheckCalls } from '@lightbox/contract/selfCheck/calls.js';
import { oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import { lastSelfCheck, runSelfCheck } from '@lightbox/core/selfCheck/selfCheck.js';
import type { Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Answer, Context, Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { lockedShares, pendingProviders, reportQueues, waitingReviews } from './attention.js';
import { openQueueBoard } from './queueBoard.js';
import { countLiveSessions, createActivity, measureStorage, remembered, serviceState } from './service.js';

type GetCall = typeof overviewCalls.getOverview;
type RetryCall = typeof overviewCalls.retryJob;

/** Totals of storage change slowly and are the most expensive to count. */
const STORAGE_MS = 60_000;
const ACTIVITY_MS = 1_000;
const SAME_READ_MS = 10 * 60_000;

function createOverview(gateway: Gateway) {
  const storage = remembered(STORAGE_MS, () => measureStorage(gateway));
  const activity = remembered(ACTIVITY_MS, createActivity(gateway));
  // An open screen polls: the same people shown to the same session make one entry in ten minutes.
  const recorded = new LRUCache<string, true>({ max: 1_000, ttl: SAME_READ_MS });

  return async ({ actor, viewer }: Context<GetCall>): Promise<Answer<Overview>> => {
    const [providers, emergencies, queues, locked, service, stored, liveSessions, days] = await Promise.all([
      pendingProviders(gateway),
      waitingReviews(gateway),
      reportQueues(gateway),
      lockedShares(gateway),
      serviceState(gateway),
      storage(),
      countLiveSessions(gateway),
      activity(),
    ]);
    const shown = providers.oldest.map(({ id }) => id);
    const key = [viewer.sessionId, ...shown].join();
    if (!recorded.has(key)) {
      await gateway.events.record(actor, { type: 'overview.read', records: shown.map(oid) });
      recorded.set(key, true);
    }
    return {
      data: {
        at: gateway.clock.now().toISOString(),
        attention: { providers, emergencies, failedJobs: queues?.failedJobs ?? null, lockedShares: locked },
        service,
        queues: queues?.queues ?? null,
        storage: stored,
        liveSessions,
        activity: days,
      },
    };
  };
}

async function retryJob({ gateway, actor, params }: Context<RetryCall>): Promise<Answer<DataOf<RetryCall>>> {
  const { queue, id } = params;
  if (gateway.redis.status !== 'ready') throw new AppError('UNAVAILABLE', { retryAfterSeconds: 5 });
  if (!(await isJob(gateway, queue, id))) throw new AppError('NOT_FOUND');
  const job = await gateway.queues.all[queue].getJob(id);
  if (!job) throw new AppError('NOT_FOUND');
  if (!(await job.isFailed()))
    throw new AppError('CONFLICT', { message: 'This job is no longer in the failed state.' });
  await job.retry('failed').catch((error) => {
    // Another administrator has just retried the job.
    throw error?.code < 0 ? new AppError('CONFLICT', { message: 'This job is no longer in the failed state.' }) : error;
  });
  const { imageId } = job.data as { imageId?: string };
  await gateway.events.record(actor, {
    type: 'job.retry',
    reason: `${queue} ${job.name} ${id}`,
    ...(imageId ? { record: oid(imageId) } : {}),
  });
  return { data: { id, queue, name: job.name } };
}

/**
 * True when the id is a job's. BullMQ also stores lists and streams, under keys that an id from a client could name.
 */
async function isJob({ redis, queues }: Gateway, queue: QueueName, id: string): Promise<boolean> {
  const key = queues.all[queue].toKey(id);
  return (await redis.type(key)) === 'hash' && (await redis.hexists(key, 'name')) === 1;
}

export function overviewRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, overviewCalls, {
    getOverview: createOverview(gateway),
    retryJob,
    openQueueBoard,
  });
  bindAll(router, gateway, selfCheckCalls, {
    getSelfCheck: async ({ actor }) => {
      await gateway.events.record(actor, { type: 'overview.read' });
      return { data: await lastSelfCheck(gateway) };
    },
    runSelfCheck: async ({ actor }) => ({ data: await runSelfCheck(gateway, actor) }),
  });
}
