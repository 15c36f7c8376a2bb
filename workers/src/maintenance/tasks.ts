import type { Core } from '@lightbox/core/core.js';
import { indexInstances } from '@lightbox/core/dicomWeb/indexInstances.js';
import { system } from '@lightbox/core/events/events.js';
import { uproot } from '@lightbox/core/selfCheck/planted.js';
import { runSelfCheck } from '@lightbox/core/selfCheck/selfCheck.js';
import { DAY_MS } from '@lightbox/core/times.js';
import { enterDigests } from '../notifications/digest.js';
import { enterReminders, remindOfMessages } from '../notifications/reminders.js';
import { enterDeliveries } from '../webhooks/enterDeliveries.js';
import { removeDeliveries } from '../webhooks/removeDeliveries.js';
import { completeStudies } from './completeStudies.js';
import { endLooks } from './endLooks.js';
import { enterOwed } from './enterOwed.js';
import {
  expireCarers,
  expireEmergencies,
  expireGuestLinks,
  expireInvites,
  expireRequests,
  expireSessions,
  expireShares,
} from './expire.js';
import { finishClosings } from './finishClosings.js';
import { removeEmptyStudies, removeUnfinishedCopies } from './leftStudies.js';
import { noteAuditHead } from './noteAuditHead.js';
import { removeOrphanBlobs } from './orphans.js';
import { redrawOld } from './redrawOld.js';
import { removeUploads } from './removeUploads.js';
import { renewKeys } from './renewKeys.js';
import { recountUsage, reviveAnalyses, revivePreviews } from './repair.js';
import { removeOldImages, removeOldMessages } from './retention.js';

export interface Task {
  /** Milliseconds from one start to the next. */
  every: number;
  /** Milliseconds from the first start of an installation to the first run. */
  startsAfter?: number;
  /** Resolves to true when there is more to do at once. */
  work: (core: Core) => Promise<unknown>;
}

/** Maintenance that repeats. Each task may run twice or be interrupted without harm. */
export const tasks = {
  // An open picture disappears within two seconds of its share's end, also on a busy machine.
  expireShares: { every: 500, work: expireShares },
  expireEmergencies: { every: 500, work: expireEmergencies },
  expireGuestLinks: { every: 5_000, work: expireGuestLinks },
  expireRequests: { every: 5_000, work: expireRequests },
  expireSessions: { every: 15_000, work: expireSessions },
  expireCarers: { every: 15_000, work: expireCarers },
  expireInvites: { every: 15_000, work: expireInvites },
  completeStudies: { every: 5_000, work: completeStudies },
  endLooks: { every: 15_000, work: endLooks },
  finishClosings: { every: 15_000, work: finishClosings },
  enterOwed: { every: 10_000, work: enterOwed },
  remindOfMessages: { every: 30_000, work: remindOfMessages },
  enterDeliveries: { every: 30_000, work: enterDeliveries },
  enterReminders: { every: 15_000, work: enterReminders },
  enterDigests: { every: 30_000, work: enterDigests },
  // A few queries that mostly find nothing.
  renewKeys: { every: 15_000, work: renewKeys },
  reviveAnalyses: { every: 30_000, work: reviveAnalyses },
  revivePreviews: { every: 10 * 60_000, work: revivePreviews },
  // Mostly one query that finds nothing. After an upgrade at most forty pictures a minute.
  redrawOld: { every: 15_000, work: redrawOld },
  // Mostly one query that finds nothing.
  removeOldImages: { every: 5 * 60_000, work: removeOldImages },
  removeOldMessages: { every: 5 * 60_000, work: removeOldMessages },
  removeUploads: { every: 60_000, work: removeUploads },
  // Mostly two short queries that find nothing.
  removeDeliveries: { every: 60_000, work: removeDeliveries },
  removeOrphanBlobs: { every: 10 * 60_000, work: removeOrphanBlobs },
  removeEmptyStudies: { every: 10 * 60_000, work: removeEmptyStudies },
  removeUnfinishedCopies: { every: 10 * 60_000, work: removeUnfinishedCopies },
  noteAuditHead: { every: 60_000, work: noteAuditHead },
  // Not while the product starts: its parts may still be on their way up.
  selfCheck: {
    every: DAY_MS,
    startsAfter: 10 * 60_000,
    work: (core) => runSelfCheck(core, system).then(() => false),
  },
  // A self-check that was killed may have left records behind.
  removePlanted: { every: 10 * 60_000, work: (core) => uproot(core) },
  recountUsage: { every: 10 * 60_000, work: recountUsage },
  // After an upgrade. Later it finds nothing.
  indexInstances: { every: 10 * 60_000, work: indexInstances },
} satisfies Record<string, Task>;
export type TaskName = keyof typeof tasks;
