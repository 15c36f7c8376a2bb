import { type ActionWithRefs, type AuditAction, auditActions, type RefsOf } from '@lightbox/contract/audit/actions.js';
import type { ClientSession, Connection } from 'mongoose';
import type { EventSigner } from '../audit/signing.js';
import { isAway } from '../db/away.js';
import type { Clock } from '../db/clock.js';
import { grouped } from '../db/group.js';
import { isDuplicate, newId, type ObjectId, oid } from '../db/ids.js';
import { NotInTime } from '../db/inTime.js';
import { MAJORITY_MS, majorityHasAll } from '../db/majority.js';
import { onOne } from '../db/onOne.js';
import { AppError, fieldError } from '../errors.js';
import type { EventDoc, EventStatus } from '../models/event.js';
import type { Models } from '../models/models.js';
import type { JobName } from '../queues/jobs.js';
import type { Queues } from '../queues/queues.js';
import { openSpan, traceHere } from '../tracing/traces.js';
import { storeDeliveries } from '../webhooks/deliveries.js';
import { webhookNewsOf } from '../webhooks/news.js';
import { jobsOf, liveUpdatesOf } from './handOver.js';
import { Inserts } from './inserts.js';
import { consequencesOf } from './reactions.js';
import type { Signals } from './signals.js';

/** The person or process that acts, and from where. The gateway makes it for each request, a worker for its job. */
export interface Actor {
  /** Absent when the product itself acts, or nobody is signed in. */
  id?: ObjectId;
  /** The personal token with which a program acts for this person. */
  token?: ObjectId;
  /** The DICOM node that sends files for this person. */
  node?: ObjectId;
  ip: string;
  /**
   * `Idempotency-Key` of the request, bound to caller and call, and keyed hashes of the request: under the first key of
   * the ring, which is stored, and under the older ones, because it may be repeated while keys are rotated.
   */
  idempotency?: { key: string; requests: readonly string[] };
  hold?: Hold;
}

/** The right by which an actor acts, for instance a session. */
export interface Hold {
  /** The same text for all acts of one right: a transaction with many of them checks it once. */
  of: string;
  /**
   * Throws unless the actor may still act. Called inside each transaction, so that a transaction that withdraws the
   * right conflicts with it.
   */
  check: (session: ClientSession) => Promise<void>;
}

export const system: Actor = { ip: '' };

interface Facts {
  record?: ObjectId;
  records?: ObjectId[];
  owners?: ObjectId[];
  recipients?: ObjectId[];
  /** People who learn only that the images change that they see as carers. They get no notice. */
  carers?: ObjectId[];
  reason?: string;
  /** Only when the actor is not the caller of the request. */
  actor?: ObjectId;
  /** The personal token of that actor. */
  token?: ObjectId;
}

interface Refused {
  type: AuditAction;
  status: Exclude<EventStatus, 'success'>;
  refs?: never;
}
type Done =
  | { type: Exclude<AuditAction, ActionWithRefs>; status?: 'success'; refs?: never }
  | { [A in ActionWithRefs]: { type: A; status?: 'success'; refs: RefsOf<A, ObjectId> } }[ActionWithRefs];

/**
 * An event to record. A success names the records that its row of `auditActions` declares, and no other. The row also
 * gives the table.
 */
export type NewEvent = Facts & (Done | Refused);
/** The event of a success of this action. */
export type DoneEvent<A extends ActionWithRefs> = Facts & Extract<Done, { type: A }>;

export interface Transaction {
  session: ClientSession;
  /** Appends the event in the transaction of the change. */
  record: (event: NewEvent) => void;
  /**
   * Makes a decision that has an effect outside of the database, such as a point of a limit. The driver repeats a transaction
   * that conflicts with another one: the decision stays the first one, and its effect happens once.
   */
  once: (name: string, decide: () => Promise<boolean>) => Promise<boolean>;
  inserts: Inserts;
}

interface Change {
  actor: Actor;
  work: (tx: Transaction) => Promise<ObjectId>;
  /** The decisions of `once`, by name. */
  decided: Map<string, Promise<boolean>>;
}

/** Changes in one transaction, at most. Each may take a dozen commands, and a transaction must end within seconds. */
const MOST_TOGETHER = 8;

/**
 * Without it the driver waits two minutes for a majority. Shorter than the time of the write concern: the driver repeats a
 * commit for two minutes when that one ends first.
 */
const commitOptions = { maxCommitTimeMS: MAJORITY_MS - 500 };

/**
 * The one way to record a change: its event is written in the same transaction, and handed over to sockets and queues
 * after the commit. The sweeper repeats a hand-over that was cut short, so everything downstream happens at least once.
 */
export class Events {
  private readonly append: (event: EventDoc) => Promise<void>;
  private readonly together = grouped((changes: Change[]) => this.commitTogether(changes), MOST_TOGETHER);
  private auditRequestedAt = Number.NEGATIVE_INFINITY;
  /** Called after each change of this process with the types of its events, also when its end is not known. */
  onChange: (types: AuditAction[]) => void = () => undefined;

  constructor(
    private readonly db: Connection,
    private readonly models: Models,
    private readonly queues: Queues,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly signer: EventSigner,
    private readonly warn: (error: unknown, text: string) => void,
  ) {
    this.append = grouped(async (events) => {
      try {
        await this.models.Event.collection.insertMany(events, { ignoreUndefined: true });
      } catch (error) {
        this.signer.mayBeCommitted(events);
        throw error;
      }
      this.signer.wasCommitted(events);
      return events.map(() => undefined);
    });
  }

  /**
   * Runs a change and its events in one transaction. A second change with the same idempotency key is undone, and
   * answered with the first one's record.
   */
  change(actor: Actor, work: Change['work']): Promise<ObjectId> {
    return this.commitAlone({ actor, work, decided: new Map() });
  }

  private async commitAlone(change: Change): Promise<ObjectId> {
    const { actor } = change;
    const done = await this.earlier(actor);
    if (done) return done;
    try {
      const [record] = await this.commit([change]);
      return record as ObjectId;
    } catch (error) {
      const isRefused = isDuplicate(error) || (error instanceof AppError && actor.idempotency);
      if (!isRefused) throw error;
      // The same request may have done it since it was looked for, and be the reason: "already shared". Its record may still
      // be undone by a failover. Answer only when a majority has that record.
      await majorityHasAll(this.db);
      const first = await this.earlier(actor);
      if (first) return first;
      throw error;
    }
  }

  /**
   * Does the same for changes of which many come at once. Those that arrive during a commit go into the next transaction
   * together: they share its inserts, do not conflict with each other, for instance on one person's session, and wait for
   * a majority once.
   */
  async changeTogether(actor: Actor, work: Change['work']): Promise<ObjectId> {
    const done = await this.together({ actor, work, decided: new Map() });
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  }

  private async commitTogether(changes: Change[]): Promise<PromiseSettledResult<ObjectId>[]> {
    if (changes.length > 1) {
      try {
        return (await this.commit(changes)).map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        if (isAway(error)) throw error;
      }
    }
    // One of the changes was refused, and nothing was written. Each gets an answer of its own.
    const settled: PromiseSettledResult<ObjectId>[] = [];
    for (const change of changes) settled.push(...(await Promise.allSettled([this.commitAlone(change)])));
    return settled;
  }

  /**
   * Runs the changes one after the other in one transaction. Returns their records. The driver repeats a transaction that
   * conflicts with another for two minutes, and waits for a majority each time it undoes one. This gives up when it has
   * waited in vain: what refused the changes may itself be undone by a failover.
   */
  private async commit(changes: Change[]): Promise<ObjectId[]> {
    let events: EventDoc[] = [];
    let failedAt = Number.POSITIVE_INFINITY;
    const isUndoneInVain = () => performance.now() - failedAt >= MAJORITY_MS;
    const session = await this.db.startSession();
    try {
      const records = await session.withTransaction(async () => {
        if (isUndoneInVain()) throw new NotInTime(MAJORITY_MS);
        failedAt = Number.POSITIVE_INFINITY;
        events = [];
        return this.write(changes, session, events).catch((error) => {
          failedAt = performance.now();
          throw error;
        });
      }, commitOptions);
      this.signer.wasCommitted(events);
      this.dispatchSoon(events);
      return records;
    } catch (thrown) {
      const error = isUndoneInVain() ? new NotInTime(MAJORITY_MS) : thrown;
      if (isAway(error)) this.signer.mayBeCommitted(events);
      throw error;
    } finally {
      this.onChange(events.map(({ type }) => type));
      await session.endSession();
    }
  }

  /** Makes the writes of a transaction, and adds its events to `events`. */
  private async write(changes: Change[], session: ClientSession, events: EventDoc[]): Promise<ObjectId[]> {
    const inserts = new Inserts(session);
    const holds = new Map(changes.flatMap(({ actor: { hold } }) => (hold ? [[hold.of, hold]] : [])));
    for (const hold of holds.values()) await hold.check(session);
    const ids: ObjectId[] = [];
    for (const { actor, work, decided } of changes) {
      const once: Transaction['once'] = (name, decide) => {
        const decision = decided.get(name) ?? decide();
        decided.set(name, decision);
        return decision;
      };
      ids.push(await work({ session, inserts, once, record: (event) => events.push(this.make(actor, event)) }));
    }
    changes.forEach(({ actor: { idempotency } }, i) => {
      if (!idempotency) return;
      const { key: _id, requests } = idempotency;
      const [request = ''] = requests;
      const record = ids[i] as ObjectId;
      inserts.add(this.models.Idempotency, { _id, record, request, createAt: this.clock.now() });
    });
    for (const event of events) inserts.add(this.models.Event, event);
    await inserts.write();
    return ids;
  }

  /**
   * Records an act that changed nothing else: a read, a denial, a failure. Durable when it resolves; concurrent ones
   * share a write.
   */
  async record(actor: Actor, event: NewEvent): Promise<void> {
    const made = this.make(actor, event);
    await this.append(made);
    this.dispatchSoon([made]);
  }

  /** Returns the record that this same request made before. Throws when its key was used for another request. */
  async earlier({ idempotency }: Actor): Promise<ObjectId | null> {
    if (!idempotency) return null;
    const known = await this.models.Idempotency.findById(idempotency.key).lean();
    if (!known) return null;
    if (!idempotency.requests.includes(known.request)) throw usedKey();
    return known.record;
  }

  /** True when the key was used before, for any request. */
  async isKeyUsed({ idempotency }: Actor): Promise<boolean> {
    return idempotency !== undefined && (await this.models.Idempotency.exists({ _id: idempotency.key })) !== null;
  }

  private make(actor: Actor, event: NewEvent): EventDoc {
    const follows = event.status && event.status !== 'success' ? null : consequencesOf(event.type);
    const actorId = event.actor ?? actor.id;
    const token = event.actor ? event.token : actor.token;
    const at = this.clock.now();
    const made: EventDoc = {
      // The log appends events in the order of their ids.
      _id: newId(at),
      type: event.type,
      status: event.status ?? 'success',
      ...(actorId ? { actor: actorId } : {}),
      ...(token ? { token } : {}),
      ...(actor.node && !event.actor ? { node: actor.node } : {}),
      table: auditActions[event.type].table,
      ...(event.record ? { record: event.record } : {}),
      ...(event.records ? { records: event.records } : {}),
      ...(event.owners ? { owners: event.owners } : {}),
      recipients: unique(event.recipients ?? []),
      ...(event.carers && event.carers.length > 0 ? { carers: unique(event.carers) } : {}),
      ip: actor.ip,
      reason: event.reason ?? '',
      at,
      refs: Object.fromEntries(Object.entries(event.refs ?? {}).filter(([, id]) => id)) as Record<string, ObjectId>,
      pending: follows !== null,
      unaudited: true,
    };
    const here = traceHere();
    if (here) made.trace = here;
    const owed = follows ? jobsOf(made).map(({ name }) => name) : [];
    return this.signer.sign(owed.length > 0 ? { ...made, owed } : made);
  }

  private dispatchSoon(events: EventDoc[]): void {
    this.dispatch(events).catch((error) => this.warn(error, 'hand-over put off to the sweeper'));
  }

  /** Hands events over to sockets and queues, then marks them. It may be repeated. */
  async dispatch(events: EventDoc[]): Promise<void> {
    const pending = events.filter((event) => event.pending);
    if (pending.length > 0) await this.handOver(pending);
    await this.requestAudit();
  }

  private async handOver(pending: EventDoc[]): Promise<void> {
    const spans = pending.map(({ type, trace }) => (trace ? openSpan(`hand over ${type}`, { parent: trace }) : null));
    let failed = true;
    try {
      const events = pending.map(
        (event, i): EventDoc => (spans[i]?.trace ? { ...event, trace: spans[i].trace } : event),
      );
      await this.signals.send(events.flatMap(liveUpdatesOf));
      const deliveries = await storeDeliveries(this.models, this.clock, events.flatMap(webhookNewsOf));
      await this.queues.add([...events.flatMap(jobsOf), ...deliveries]);
      await this.models.Event.updateMany(
        { _id: { $in: events.map((event) => event._id) } },
        { $set: { pending: false } },
        onOne,
      );
      failed = false;
    } finally {
      for (const span of spans) span?.end(failed);
    }
  }

  /**
   * Adds the jobs again that are not done. Jobs that still wait in Redis, or failed there for good, stay as they are.
   */
  async enterOwed(events: EventDoc[]): Promise<void> {
    await this.queues.add(events.flatMap((event) => jobsOf(event).filter(({ name }) => event.owed?.includes(name))));
  }

  /** Marks a job that followed from an event as done, so that it is not added again. */
  async settle(eventId: string, job: JobName): Promise<void> {
    await this.models.Event.updateOne({ _id: oid(eventId) }, { $pull: { owed: job } }, onOne);
  }

  /**
   * Adds a job that appends to the audit log. One waiting job appends everything, so a few requests a second are
   * enough.
   */
  private async requestAudit(): Promise<void> {
    const now = performance.now();
    if (now - this.auditRequestedAt < 200) return;
    this.auditRequestedAt = now;
    await this.queues.add([{ name: 'appendAudit', data: {}, once: 'append', delayMs: 200 }]);
  }
}

/** The refusal of an `Idempotency-Key` that came with another request before. */
export const usedKey = () => fieldError('Idempotency-Key', 'This key was used for another request.');

const unique = (ids: ObjectId[]): ObjectId[] => [...new Set(ids.map(String))].map(oid);
