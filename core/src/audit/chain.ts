import { isDuplicate, newId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { KeyRing } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { EventDoc } from '../models/event.js';
import type { Models } from '../models/models.js';
import { type Draft, GENESIS, isWhole, judge, place, remark } from './entry.js';
import { type Head, keepHead, newestEntry, readHead, rememberedHead, rememberHead } from './head.js';
import { inLog } from './inLog.js';
import { settleReceipts } from './receipts.js';

const BATCH = 500;
/** A place that was lost to another writer this many times in a row is taken by nobody who appends. */
const MOST_RACES = 100;
/** How long after the log began to be signed gateways of an older version may still write events without a signature. */
export const UNSIGNED_MS = 3_600_000;

interface Options {
  /** Hears of each batch that was appended here. */
  told?: (entries: AuditEntryDoc[]) => Promise<void>;
  now?: () => Date;
}

/**
 * Appends every event that is not yet in the log, and what the receipts say is missing. Any number of processes may do so
 * at once: `seq` and `event` are unique, so of two that race for the next place one loses, reads the head again and goes
 * on. One that was frozen and wakes cannot fork the chain.
 */
export async function appendAudit(models: Models, ring: KeyRing, options: Options = {}): Promise<number> {
  const { told = async () => undefined, now = () => new Date() } = options;
  let appended = 0;
  const append = async (drafts: Draft[]) => {
    const entries = await appendDrafts(models, ring, drafts, now());
    appended += entries.length;
    await told(entries);
  };
  for (;;) {
    const events = await models.Event.find({ unaudited: true }).sort({ _id: 1 }).limit(BATCH).lean<EventDoc[]>();
    if (events.length === 0) break;
    await append(await draftsOf(models, ring, events, now()));
    // Past Mongoose, which would refuse an id of another kind.
    const ids = { _id: { $in: events.map((event) => event._id) } };
    await models.Event.collection.updateMany(ids, { $set: { unaudited: false } });
  }
  await settleReceipts(models, ring, {
    now,
    takeUp: async (gaps, events) => append([...gaps, ...(await draftsOf(models, ring, events, now()))]),
  });
  return appended;
}

async function draftsOf(models: Models, ring: KeyRing, events: EventDoc[], now: Date): Promise<Draft[]> {
  const anyUnsigned = events.some((event) => event.mac === undefined);
  const takesUnsigned = anyUnsigned && (await takesUnsignedEvents(models, ring, now));
  return events.map((event) => judge(ring, event, now, takesUnsigned));
}

/** Appends what is not yet there, in one batch. */
export async function appendDrafts(
  models: Models,
  ring: KeyRing,
  drafts: Draft[],
  now: Date,
): Promise<AuditEntryDoc[]> {
  for (let races = 0; ; races++) {
    try {
      return await appendBatch(models, ring, drafts, now);
    } catch (error) {
      if (!isDuplicate(error) || races > MOST_RACES) throw error;
    }
  }
}

async function appendBatch(models: Models, ring: KeyRing, drafts: Draft[], now: Date): Promise<AuditEntryDoc[]> {
  const { last, first, forged } = await endOf(models, ring, now);
  const wanted = [...first, ...drafts];
  const known = await inLog(
    models,
    ring,
    wanted.map(({ event }) => event),
  );
  const isTaken = ({ event }: Draft) => known.forged.has(String(event)) || known.open.has(String(event));
  let previous = last;
  const entries = wanted
    .filter(({ event }) => !known.logged.has(String(event)))
    .map((draft) => {
      const entry = place(ring, isTaken(draft) ? insteadOf(draft, now) : draft, previous);
      previous = entry;
      return entry;
    });
  if (entries.length === 0) return [];
  await models.AuditEntry.insertMany(entries, { lean: true, ordered: true });
  rememberHead(models, previous);
  await keepHead(models, ring, previous, forged);
  return entries;
}

/** The place of an event in the log is taken by an entry that no worker made. The mark is one that nobody can take before. */
const insteadOf = ({ event }: Draft, now: Date): Draft => ({
  ...remark('audit.foreign', now, 'ENTRY_FOREIGN', String(newId())),
  record: event,
});

interface End {
  /** The entry that the next one follows. */
  last: Head;
  /** Remarks of the log itself, which come before anything else. */
  first: Draft[];
  /** No key signed the kept head. */
  forged: boolean;
}

/**
 * The end of the log. When the newest entries were cut off that is the kept head, or the one that this process remembers,
 * so that the gap stays where it is and new entries do not close it.
 */
async function endOf(models: Models, ring: KeyRing, now: Date): Promise<End> {
  // In this order: whoever begins a log keeps its head before its first entry.
  const newest = await newestEntry(models);
  const kept = await readHead(models, ring);
  const remembered = rememberedHead(models);
  const start: Head = { seq: 0, hash: GENESIS };
  const last = [newest, kept?.genuine ? kept : null, remembered].reduce<Head>(
    (furthest, head) => (head && head.seq > furthest.seq ? head : furthest),
    start,
  );
  const fresh = !newest && !remembered && !(await models.AuditRun.exists({}).readConcern(NEWEST));
  if (!kept && fresh) await keepHead(models, ring, start);
  const lost = !kept && !fresh;
  const forged = kept !== null && !kept.genuine;
  return {
    last,
    first: [
      ...(lost ? [remark('audit.gap', now, 'HEAD_MISSING', String(last.seq))] : []),
      ...(forged ? [remark('audit.gap', now, 'HEAD_FOREIGN', String(kept.mac))] : []),
      ...(await beginning(models, now, newest !== null && kept !== null)),
    ],
    forged,
  };
}

/** Logs that are known to say since when their events are signed. */
const begun = new WeakSet<Models>();

/** The first entry of a log, or the first that this version adds to an older one's. */
async function beginning(models: Models, now: Date, upgraded: boolean): Promise<Draft[]> {
  if (begun.has(models)) return [];
  if (!(await models.AuditEntry.exists({ type: 'audit.signed' }).readConcern(NEWEST))) {
    return [remark('audit.signed', now, upgraded ? 'UPGRADED' : 'STARTED')];
  }
  begun.add(models);
  return [];
}

/** For an hour after an upgrade that the log itself tells of, gateways of the older version may still be there. */
async function takesUnsignedEvents(models: Models, ring: KeyRing, now: Date): Promise<boolean> {
  const told = await models.AuditEntry.findOne({ type: 'audit.signed' })
    .sort({ seq: -1 })
    .readConcern(NEWEST)
    .lean<AuditEntryDoc>();
  // The first time that this version appends to an older one's log.
  if (!told)
    return !begun.has(models) && (await readHead(models, ring))?.genuine === true && (await hasEntries(models));
  const before = await models.AuditEntry.findOne({ seq: told.seq - 1 }).lean<AuditEntryDoc>();
  const genuine = isWhole(ring, before?.hash ?? GENESIS, told);
  return genuine && told.reason === 'UPGRADED' && now.getTime() - told.at.getTime() < UNSIGNED_MS;
}

const hasEntries = async (models: Models): Promise<boolean> => (await models.AuditEntry.exists({})) !== null;

/**
 * Says in the log that an older version's gateways may write for another hour, and gives a log from before heads were
 * kept its head. For the command: nobody does it by accident.
 */
export async function adoptAudit(models: Models, ring: KeyRing, now: Date): Promise<void> {
  const newest = await newestEntry(models);
  if (newest && !(await readHead(models, ring))) await keepHead(models, ring, newest);
  await appendDrafts(models, ring, [remark('audit.signed', now, 'UPGRADED', now.toISOString())], now);
}
