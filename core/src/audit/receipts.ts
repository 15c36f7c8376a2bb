import type { AuditRemark } from '@lightbox/contract/audit/faults.js';
import { isDuplicate, newId, type ObjectId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import { isSigned, type KeyRing, sign } from '../keys/keyring.js';
import type { AuditReceiptDoc } from '../models/auditReceipt.js';
import type { AuditRunDoc } from '../models/auditRun.js';
import type { EventDoc } from '../models/event.js';
import type { Models } from '../models/models.js';
import { type Draft, remark } from './entry.js';
import { inLog } from './inLog.js';

/** Receipts of one run that are looked at together. */
const BATCH = 100;

const receiptKeys = (audit: KeyRing): KeyRing => audit.derive('receipts');
const receiptParts = ({ run, n, events }: Pick<AuditReceiptDoc, 'run' | 'n' | 'events'>) => [
  ...['receipt', String(run), String(n)],
  ...events.map(String),
];
const runParts = (run: string, n: number) => ['run', run, String(n)];

export function makeReceipt(audit: KeyRing, run: string, n: number, events: ObjectId[]): AuditReceiptDoc {
  const stated = { run, n, events };
  return { _id: newId(), ...stated, ...sign(receiptKeys(audit), ...receiptParts(stated)) };
}

function isGenuine(audit: KeyRing, receipt: AuditReceiptDoc): boolean {
  try {
    return isSigned(receiptKeys(audit), receipt, ...receiptParts(receipt));
  } catch {
    return false;
  }
}

/** How many receipts of a run were taken up; a number that no key signed counts as none. */
export async function takenUp(models: Models, audit: KeyRing, run: string): Promise<number> {
  const kept = await models.AuditRun.findById(run).readConcern(NEWEST).lean<AuditRunDoc>();
  if (!kept || isSigned(receiptKeys(audit), kept, ...runParts(run, kept.n))) return kept?.n ?? 0;
  const none = sign(receiptKeys(audit), ...runParts(run, 0));
  await models.AuditRun.updateOne({ _id: run, n: kept.n }, { $set: { n: 0, ...none } });
  return 0;
}

/** Of several that settle, the furthest stays. */
async function keepTakenUp(models: Models, audit: KeyRing, run: string, n: number): Promise<void> {
  try {
    const signature = sign(receiptKeys(audit), ...runParts(run, n));
    await models.AuditRun.updateOne({ _id: run, n: { $lt: n } }, { $set: { n, ...signature } }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

interface Settling {
  now: () => Date;
  /** Writes into the log which events are missing, and those that were there and kept from it. */
  takeUp: (gaps: Draft[], events: EventDoc[]) => Promise<void>;
}

/**
 * Holds the log against what each process states that it committed. A receipt is taken up, and removed, when all of its
 * events are in the log; an event that is in neither place, and a receipt that is missing, become entries `audit.gap`.
 */
export async function settleReceipts(models: Models, audit: KeyRing, settling: Settling): Promise<void> {
  const runs: unknown[] = await models.AuditReceipt.collection.distinct('run');
  for (const run of [...runs.filter((one) => typeof one === 'string'), null]) {
    while (await settleRun(models, audit, run, settling));
  }
}

/** Whether there may be more of this run. Null stands for whatever is none: no process made a receipt of it. */
async function settleRun(models: Models, audit: KeyRing, run: string | null, settling: Settling): Promise<boolean> {
  const { collection } = models.AuditReceipt;
  const found = (await collection
    .find({ run: run ?? { $not: { $type: 'string' } } } as object)
    .sort({ n: 1 })
    .limit(BATCH)
    .toArray()) as unknown as AuditReceiptDoc[];
  const [genuine, foreign] = [found.filter(isOf(audit)), found.filter((one) => !isOf(audit)(one))];
  const gaps = foreign.map(({ _id }) =>
    remark('audit.foreign', settling.now(), 'RECEIPT_FOREIGN', 'receipt', String(_id)),
  );
  const before = run !== null && genuine.length > 0 ? await takenUp(models, audit, run) : 0;
  let last = before;
  for (const { n } of genuine.filter((receipt) => receipt.n > before)) {
    if (n > last + 1) gaps.push(gapOfReceipts(settling.now(), String(run), last + 1, n - 1));
    last = Math.max(last, n);
  }
  const missing = await notInLog(
    models,
    audit,
    genuine.filter(({ n }) => n > before).flatMap(({ events }) => events),
  );
  // Written, and not yet appended: its turn comes with the next batch.
  if (missing.waiting) return false;
  const eventGaps = [
    ...missing.gone.map((id) => gapOfEvent(settling.now(), 'EVENT_DELETED', id)),
    ...missing.kept.map(({ _id }) => gapOfEvent(settling.now(), 'EVENT_SUPPRESSED', _id)),
  ];
  if (gaps.length + eventGaps.length > 0) await settling.takeUp([...gaps, ...eventGaps], missing.kept);
  if (run !== null && last > before) await keepTakenUp(models, audit, run, last);
  await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return found.length === BATCH;
}

const isOf = (audit: KeyRing) => (receipt: AuditReceiptDoc) => isGenuine(audit, receipt);

const gapOfReceipts = (now: Date, run: string, from: number, to: number): Draft => ({
  ...remark('audit.gap', now, 'RECEIPTS_MISSING', run, String(from)),
  reason: `RECEIPTS_MISSING: ${to - from + 1}`,
});

const gapOfEvent = (now: Date, reason: AuditRemark, id: ObjectId): Draft => ({
  ...remark('audit.gap', now, reason, String(id)),
  record: id,
});

interface NotInLog {
  waiting: boolean;
  /** There, and marked as if the log had them. */
  kept: EventDoc[];
  gone: ObjectId[];
}

/** Asked of the primary's newest state: right after a failover a majority's view may lack what a receipt states. */
async function notInLog(models: Models, audit: KeyRing, ids: ObjectId[]): Promise<NotInLog> {
  const { absent, open: unclear } = await withoutEntry(models, audit, ids);
  // Judged when the entry before is back; until then a verification finds it missing.
  if (unclear) return { waiting: true, kept: [], gone: [] };
  if (absent.length === 0) return { waiting: false, kept: [], gone: [] };
  const events = await models.Event.find({ _id: { $in: absent } })
    .readConcern(NEWEST)
    .lean<EventDoc[]>();
  // Asked again after the events were read: one that was appended in between is in the log and marked.
  const still = new Set((await withoutEntry(models, audit, absent)).absent.map(String));
  const there = new Set(events.map(({ _id }) => String(_id)));
  const open = events.filter(({ _id }) => still.has(String(_id)));
  return {
    waiting: open.some(({ unaudited }) => unaudited === true),
    kept: open,
    gone: absent.filter((id) => still.has(String(id)) && !there.has(String(id))),
  };
}

async function withoutEntry(models: Models, audit: KeyRing, ids: ObjectId[]) {
  if (ids.length === 0) return { absent: [], open: false };
  const { logged, open } = await inLog(models, audit, ids);
  return { absent: ids.filter((id) => !logged.has(String(id))), open: open.size > 0 };
}
