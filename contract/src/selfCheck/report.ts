import { z } from 'zod';
import { Time } from '../ids.js';

/** The checks, in the order in which they are shown. */
export const checkNames = [
  'access',
  'audit',
  'keys',
  'backup',
  'clocks',
  'queues',
  'mail',
  'receiver',
  'room',
  'versions',
  'tls',
] as const;
export type CheckName = (typeof checkNames)[number];

/** `skipped`: there is nothing to check here, such as TLS on one machine. */
export const checkStates = ['ok', 'failed', 'skipped'] as const;
export type CheckState = (typeof checkStates)[number];

/** The faults, at most one for a check: the first that it meets. */
export const checkFaults = [
  'wrongDecision',
  'brokenLog',
  'notNoted',
  'missingKey',
  'noBackup',
  'oldBackup',
  'clockApart',
  'jobsWait',
  'queuePaused',
  'mayForget',
  'receiverAway',
  'nearlyFull',
  'tooOld',
  'inClear',
  'certificateEnds',
  'unreachable',
  /** The check itself did not work; the log of the process has the reason. */
  'error',
] as const;
export type CheckFault = (typeof checkFaults)[number];

/** The values that checks report, with their kinds. */
export const checkFacts = {
  decisions: 'count',
  entries: 'count',
  firstBroken: 'count',
  olderRecords: 'count',
  keyIds: 'text',
  backupAge: 'seconds',
  mongodbApart: 'milliseconds',
  redisApart: 'milliseconds',
  oldestJob: 'seconds',
  failedJobs: 'count',
  answerTime: 'milliseconds',
  devices: 'count',
  receiverSeen: 'seconds',
  freeBytes: 'bytes',
  product: 'text',
  node: 'text',
  mongodb: 'text',
  redis: 'text',
  hosts: 'text',
  certificateDays: 'count',
} as const satisfies Record<string, 'count' | 'text' | 'seconds' | 'milliseconds' | 'bytes'>;
export type CheckFact = keyof typeof checkFacts;

export const Check = z.object({
  name: z.enum(checkNames),
  state: z.enum(checkStates),
  fault: z.enum(checkFaults).optional(),
  /** The values that the check saw. No value names a person or a record. */
  saw: z.array(
    z.object({
      fact: z.enum(Object.keys(checkFacts) as [CheckFact, ...CheckFact[]]),
      value: z.union([z.number(), z.string()]),
    }),
  ),
});
export type Check = z.infer<typeof Check>;

export const SelfCheckReport = z.object({
  at: Time,
  ok: z.boolean(),
  checks: z.array(Check),
});
export type SelfCheckReport = z.infer<typeof SelfCheckReport>;
