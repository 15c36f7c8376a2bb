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

/** Receipts of one run that are processed together. */
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

/** Returns the number of receipts of a run that the log has taken up. A number that no key signed counts as none. */
export async function takenUp(models: Models, audit: KeyRing, run: string): Promise<number> {
  const kept = await models.AuditRun.findById(run).readConcern(NEWEST).lean<AuditRunDoc>();
  if (!kept || isSigned(receiptKeys(audit), kept, ...runParts(run, kept.n))) return kept?.n ?? 0;
  const none = sign(receiptKeys(audit), ...runParts(run, 0));
  await models.AuditRun.updateOne({ _id: run, n: kept.n }, { $set: { n: 0, ...none } });
  return 0;
}

/** Stores that number. Of several processes that settle, the furthest number stays. */
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
  /** Appends to the log: entries for what is missing, and the events that exist but were kept out of the log. */
  takeUp: (gaps: Draft[], events: EventDoc[]) => Promise<void>;
}

/**
 * Compares the log with the receipts, in which each process states the events that it committed. A receipt is taken up,
 * and removed, when all of its events are in the log. An event that is neither in the log nor in the database, and a
 * missing receipt, become entries `audit.gap`.
 */
export async function settleReceipts(models: Models, audit: KeyRing, settling: Settling): Promise<void> {
  const runs: unknown[] = await models.AuditReceipt.collection.distinct('run');
  for (const run of [...runs.filter((one) => typeof one === 'string'), null]) {
    while (await settleRun(models, audit, run, settling));
  }
}

/**
 * Settles one batch of a run; true when there may be more. Null stands for every `run` that is not text: no process
 * made such a receipt.
 */
async function settleRun(models: Models, audit: KeyRing, run: string | null, settling: Settling): Promise<boolean> {
  const { collection } = models.AuditReceipt;
  const found = await collection
    .find<AuditReceiptDoc>({ run: run ?? { $not: { $type: 'string' } } } as object)
    .sort({ n: 1 })
    .limit(BATCH)
    .toArray();
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
  // An event is written and not appended yet: settle it with the next batch.
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
  /** Events that exist and are marked as if the log had them. */
  kept: EventDoc[];
  gone: ObjectId[];
}

/** Reads the primary's newest state: right after a failover a majority's view may lack events that a receipt states. */
async function notInLog(models: Models, audit: KeyRing, ids: ObjectId[]): Promise<NotInLog> {
  const { absent, open: unclear } = await withoutEntry(models, audit, ids);
  // To be judged when the entry before is back. Until then a verification reports that entry as missing.
  if (unclear) return { waiting: true, kept: [], gone: [] };
  if (absent.length === 0) return { waiting: false, kept: [], gone: [] };
  const events = await models.Event.find({ _id: { $in: absent } })
    .readConcern(NEWEST)
    .lean<EventDoc[]>();
  // Read the log again after the events: an event that was appended in between is in the log and marked.
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
