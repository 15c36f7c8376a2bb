import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { limits } from '@lightbox/contract/limits.js';
import {
  type ActivityDay,
  type ActivityKind,
  activityKinds,
  type Overview,
  overviewCap,
} from '@lightbox/contract/overview/calls.js';
import { readiness } from '@lightbox/core/process/ops.js';
import { DAY_MS, HOUR_MS } from '@lightbox/core/times.js';
import type { Gateway } from '../context.js';

export async function serviceState(gateway: Gateway): Promise<Overview['service']> {
  const { models, clock } = gateway;
  const [{ body }, count, oldest] = await Promise.all([
    readiness(gateway, false),
    models.Event.countDocuments({ pending: true }, { limit: overviewCap }),
    models.Event.findOne({ pending: true }, { at: 1 }).sort({ at: 1 }).lean(),
  ]);
  const oldestMs = oldest ? Math.max(0, clock.now().getTime() - oldest.at.getTime()) : null;
  return { ...body.dependencies, pendingEvents: { count, oldestMs } };
}

export async function countLiveSessions({ models, clock, settings }: Gateway): Promise<number> {
  const now = clock.now();
  const idleSince = new Date(now.getTime() - (await settings.get('session.idleMinutes')) * 60_000);
  return models.Session.countDocuments({
    token: { $exists: false },
    endedAt: { $exists: false },
    lastSeenAt: { $gt: idleSince },
    expiresAt: { $gt: now },
  });
}

const TIMEOUT_MS = 3_000;

/**
 * Sums images and bytes by type with a covered index scan; no image record is read. Returns null when that fails or
 * takes too long.
 */
export async function measureStorage({ models }: Gateway): Promise<Overview['storage']> {
  return models.Image.aggregate<NonNullable<Overview['storage']>[number]>([
    { $sort: { contentType: 1 } },
    { $group: { _id: '$contentType', images: { $sum: 1 }, bytes: { $sum: '$size' } } },
    { $sort: { bytes: -1, _id: 1 } },
    { $project: { _id: 0, contentType: '$_id', images: 1, bytes: 1 } },
  ])
    .hint({ contentType: 1, size: 1 })
    .option({ maxTimeMS: TIMEOUT_MS })
    .catch(() => null);
}

const counted: Record<ActivityKind, AuditAction> = {
  uploads: 'image.upload',
  shares: 'share.create',
  signIns: 'auth.confirm',
  analyses: 'analysis.complete',
};
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/**
 * Counts the activity of each of the last days in the audit log. A finished day is counted only once, an hour after its
 * end, when its last events have surely reached the log.
 */
export function createActivity(gateway: Gateway): () => Promise<ActivityDay[]> {
  const over = new Map<string, ActivityDay>();
  return async () => {
    const now = gateway.clock.now();
    const days = Array.from({ length: limits.activityDays }, (_, i) =>
      dayOf(new Date(now.getTime() - (limits.activityDays - 1 - i) * DAY_MS)),
    );
    const missing = days.filter((day) => !over.has(day));
    const fresh = await countSince(gateway, new Date(missing[0] ?? dayOf(now)));
    const rows = days.map((day) => over.get(day) ?? fresh(day));
    over.clear();
    for (const row of rows) if (Date.parse(row.day) + DAY_MS + HOUR_MS < now.getTime()) over.set(row.day, row);
    return rows;
  };
}

async function countSince({ models }: Gateway, from: Date): Promise<(day: string) => ActivityDay> {
  const counts = await models.AuditEntry.aggregate<{ _id: { type: AuditAction; day: string }; n: number }>([
    { $match: { type: { $in: Object.values(counted) }, status: 'success', at: { $gte: from } } },
    { $group: { _id: { type: '$type', day: { $dateToString: { date: '$at', format: '%Y-%m-%d' } } }, n: { $sum: 1 } } },
  ]).hint({ type: 1, status: 1, at: -1, seq: -1 });
  const countOf = (day: string, kind: ActivityKind) =>
    counts.find(({ _id }) => _id.day === day && _id.type === counted[kind])?.n ?? 0;
  return (day) => ({
    day,
    ...(Object.fromEntries(activityKinds.map((kind) => [kind, countOf(day, kind)])) as Record<ActivityKind, number>),
  });
}

/** Caches the result of `read` for `ms`. Concurrent callers share one read. */
export function remembered<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > ms) {
      const value = read();
      last = { at: performance.now(), value };
      value.catch(() => {
        last = undefined;
      });
    }
    return last.value;
  };
}
