import { isDuplicate, newId } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { KeyRing } from '../keys/keyring.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { EventDoc } from '../models/event.js';
import type { Models } from '../models/models.js';
import { HOUR_MS } from '../times.js';
import { beganEarlier, readBase } from './base.js';
import { type Draft, GENESIS, isWhole, judge, place, remark } from './entry.js';
import { type Head, keepHead, newestEntry, readHead, rememberedHead, rememberHead } from './head.js';
import { inLog } from './inLog.js';
import { settleReceipts } from './receipts.js';

const BATCH = 500;
/** Lost races in a row after which appending gives up: the place is then held by a record that no process appended. */
const MOST_RACES = 100;
/**
 * Milliseconds after the log began to be signed in which gateways of an older version may still write unsigned events.
 */
const UNSIGNED_MS = HOUR_MS;

interface Options {
  /** Called with each batch that was appended here. */
  onAppended?: (entries: AuditEntryDoc[]) => Promise<void>;
  now?: () => Date;
}

/**
 * Appends every event that is not in the log yet, and an entry for each event or receipt that is missing. Any number of
 * processes may append at once: `seq` and `event` are unique, so of two that race for the next place one loses, reads
 * the head again and continues. A process that was frozen and wakes cannot fork the chain.
 */
export async function appendAudit(models: Models, ring: KeyRing, options: Options = {}): Promise<number> {
  const { onAppended = async () => undefined, now = () => new Date() } = options;
  let appended = 0;
  const append = async (drafts: Draft[]) => {
    const entries = await appendDrafts(models, ring, drafts, now());
    appended += entries.length;
    await onAppended(entries);
  };
  for (;;) {
    const events = await models.Event.find({ unaudited: true }).sort({ _id: 1 }).limit(BATCH).lean<EventDoc[]>();
    if (events.length === 0) break;
    await append(await draftsOf(models, ring, events, now()));
    // Through the driver: Mongoose would refuse an id of another type.
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
  const base = await readBase(models, ring);
  const archivedUntil = base?.genuine ? base.until : null;
  return events.map((event) => judge(ring, event, now, { takesUnsigned, archivedUntil }));
}

/** Appends the drafts that are not in the log yet, in one batch. */
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

/**
 * Makes an entry for an event whose place in the log is occupied by an entry that no worker made. The mark is new, so
 * that nobody can occupy it in advance.
 */
const insteadOf = ({ event }: Draft, now: Date): Draft => ({
  ...remark('audit.foreign', now, 'ENTRY_FOREIGN', String(newId(now))),
  record: event,
});

interface End {
  /** The entry that the next one follows. */
  last: Head;
  /** Remarks of the log itself, which come before all other entries. */
  first: Draft[];
  /** True when no key of the ring signed the stored head. */
  forged: boolean;
}

/**
 * Returns the end of the log. If the newest entries were cut off, that is the stored head, or the head that this
 * process remembers. So the gap stays where it is, and new entries do not close it.
 */
async function endOf(models: Models, ring: KeyRing, now: Date): Promise<End> {
  // Read in this order: a process that begins a log stores its head before its first entry.
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

/** Connections whose log is known to record the start of signing (`audit.signed`). */
const begun = new WeakSet<Models>();

/** Returns the first entry of a log, or the first one that this version adds to an older version's log. */
async function beginning(models: Models, now: Date, upgraded: boolean): Promise<Draft[]> {
  if (begun.has(models)) return [];
  const said = await models.AuditEntry.exists({ type: 'audit.signed' }).readConcern(NEWEST);
  // Archived entries said it.
  if (!said && !(await beganEarlier(models))) {
    return [remark('audit.signed', now, upgraded ? 'UPGRADED' : 'STARTED')];
  }
  begun.add(models);
  return [];
}

/** True for an hour after an upgrade that the log records: gateways of the older version may still run. */
async function takesUnsignedEvents(models: Models, ring: KeyRing, now: Date): Promise<boolean> {
  const signedSince = await models.AuditEntry.findOne({ type: 'audit.signed' })
    .sort({ seq: -1 })
    .readConcern(NEWEST)
    .lean<AuditEntryDoc>();
  // This version appends to an older version's log for the first time.
  if (!signedSince)
    return (
      !begun.has(models) &&
      !(await beganEarlier(models)) &&
      (await readHead(models, ring))?.genuine === true &&
      (await hasEntries(models))
    );
  const before = await models.AuditEntry.findOne({ seq: signedSince.seq - 1 }).lean<AuditEntryDoc>();
  const genuine = isWhole(ring, before?.hash ?? GENESIS, signedSince);
  return genuine && signedSince.reason === 'UPGRADED' && now.getTime() - signedSince.at.getTime() < UNSIGNED_MS;
}

const hasEntries = async (models: Models): Promise<boolean> => (await models.AuditEntry.exists({})) !== null;

/**
 * Records in the log that gateways of an older version may write for another hour, and stores a head for a log from
 * before heads were stored. Only a command calls it, so that nobody does it by accident.
 */
export async function adoptAudit(models: Models, ring: KeyRing, now: Date): Promise<void> {
  const newest = await newestEntry(models);
  if (newest && !(await readHead(models, ring))) await keepHead(models, ring, newest);
  await appendDrafts(models, ring, [remark('audit.signed', now, 'UPGRADED', now.toISOString())], now);
}
