import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { adoptAudit, appendAudit } from '@lightbox/core/audit/chain.js';
import { type Draft, GENESIS, place } from '@lightbox/core/audit/entry.js';
import { type Head, keepHead } from '@lightbox/core/audit/head.js';
import { noteHead, verifyAndNote } from '@lightbox/core/audit/noteHead.js';
import { EventSigner } from '@lightbox/core/audit/signing.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import { watchLog } from '@lightbox/core/audit/watch.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildGateway, joinGateway, type TestGateway } from '../testing/gateway.js';

/** The tests act as somebody who may write to the database and holds none of the keys. */
let test: TestGateway;
const started: TestGateway[] = [];
const start = async (running: Promise<TestGateway>): Promise<TestGateway> => {
  started.push(await running);
  return running;
};

beforeAll(async () => {
  test = await start(buildGateway());
});
afterAll(() => Promise.all(started.map(({ stop }) => stop())));

/** Processes and workers do this by themselves within seconds. */
async function settle({ gateway }: TestGateway = test): Promise<void> {
  await gateway.signer.flush();
  await appendAudit(gateway.models, gateway.keys.audit);
}

const person = newId();
const act = ({ gateway }: TestGateway = test) =>
  gateway.events.record({ id: person, ip: '192.0.2.1' }, { type: 'image.content' });

/** The event of something that was just done. */
async function done(): Promise<EventDoc> {
  await act();
  return (await test.gateway.models.Event.findOne({ actor: person }).sort({ _id: -1 }).lean<EventDoc>()) as EventDoc;
}

/** One without timers, whose receipts are written when the test says so. */
function anotherProcess() {
  const { models, keys } = test.gateway;
  const signer = new EventSigner(models, keys.audit, () => undefined);
  const facts = { type: 'image.content', status: 'success', table: 'imagemetadata', ip: '', reason: '' } as const;
  const commit = async (): Promise<ObjectId> => {
    const rest = { recipients: [], refs: {}, pending: false, unaudited: true };
    const event = signer.sign({ _id: newId(), ...facts, at: new Date(), ...rest });
    await models.Event.insertMany([event], { lean: true });
    signer.wasCommitted([event]);
    await signer.flush();
    return event._id;
  };
  return { signer, commit };
}

const events = () => test.gateway.models.Event.collection;
const receipts = () => test.gateway.models.AuditReceipt.collection;
const entryOf = (event: ObjectId) => test.gateway.models.AuditEntry.findOne({ event }).lean<AuditEntryDoc>();
const verify = ({ gateway }: TestGateway = test) => verifyAudit(gateway.models, gateway.keys.audit);

describe('an event in the database', () => {
  let before: number;
  beforeEach(async () => {
    await act();
    await settle();
    before = (await verify()).checked;
  });
  /** The log's own remarks since. */
  async function remarks(): Promise<[string, string, string][]> {
    await settle();
    const rows = await test.gateway.models.AuditEntry.find({ seq: { $gt: before }, type: /^audit\.(foreign|gap)$/ })
      .sort({ seq: 1 })
      .lean<AuditEntryDoc[]>();
    return rows.map(({ type, reason, record }) => [type, reason, String(record)]);
  }

  it('an untouched event is never reported: conflicts, aborted changes, lost answers, another process', async () => {
    const { gateway } = test;
    const { Counter } = gateway.models;
    const add = () =>
      gateway.events.change({ id: person, ip: '' }, async ({ session, record }) => {
        await Counter.updateOne({ _id: 'contended' }, { $inc: { count: 1 } }, { session, upsert: true });
        record({ type: 'setting.add' });
        return person;
      });
    const other = await start(joinGateway(test.config));
    const givenUp = gateway.events.change({ ip: '' }, async ({ record }) => {
      record({ type: 'setting.add' });
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    await Promise.all([...Array.from({ length: 8 }, add), act(other), act(other)]);
    const written = await done();
    gateway.signer.mayBeCommitted([written, { ...written, _id: newId() }]);
    await other.gateway.signer.flush();
    await Promise.all([settle(), settle(other)]);
    expect(await remarks()).toEqual([]);
    expect(await gateway.models.AuditReceipt.countDocuments()).toBe(0);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('that a change stream marks as logged is logged, and the attempt with it', async () => {
    const marking = events().watch([{ $match: { operationType: 'insert' } }]);
    // Opens it.
    await marking.tryNext();
    const marked = marking.next().then((change) => {
      const { _id } = (change as unknown as { documentKey: { _id: ObjectId } }).documentKey;
      return events().updateOne({ _id }, { $set: { unaudited: false } });
    });
    const { _id } = await done();
    await marked;
    await marking.close();
    expect(await remarks()).toEqual([['audit.gap', 'EVENT_SUPPRESSED', String(_id)]]);
    expect(await entryOf(_id)).toMatchObject({ type: 'image.content', ip: '192.0.2.1' });
    expect(await verify()).toMatchObject({ ok: false, firstBroken: before + 1, reason: 'gap' });
  });

  it('a deleted event is reported by its id', async () => {
    const { _id } = await done();
    await events().deleteOne({ _id });
    expect(await remarks()).toEqual([['audit.gap', 'EVENT_DELETED', String(_id)]]);
    expect(await remarks(), 'once').toHaveLength(1);
  });

  it('an event that was deleted with its receipt is reported at the next receipt of the process', async () => {
    const process = anotherProcess();
    await process.commit();
    await receipts().deleteMany({});
    await process.commit();
    expect(await remarks()).toEqual([['audit.gap', 'RECEIPTS_MISSING: 1', 'undefined']]);
  });

  it('that was deleted with each receipt is named too, for the process writes receipts again', async () => {
    const { commit, signer } = anotherProcess();
    const _id = await commit();
    expect(await signer.restoreReceipts()).toBe(0);
    await events().deleteOne({ _id });
    await receipts().deleteMany({});
    expect(await signer.restoreReceipts()).toBe(1);
    expect(await remarks()).toEqual([['audit.gap', 'EVENT_DELETED', String(_id)]]);
    expect(await signer.restoreReceipts(), 'once it was taken up').toBe(0);
  });

  it('an event that no process made, that was changed or that is a copy is not trusted', async () => {
    const genuine = await done();
    const changed = await done();
    await events().updateOne({ _id: changed._id }, { $set: { ip: '203.0.113.66' } });
    const forged = { ...genuine, _id: newId(), actor: newId() };
    const copy = { ...genuine, _id: newId() };
    const { keyId: _, mac: __, ...bare } = { ...forged, _id: newId() };
    await events().insertMany([forged, copy, bare] as never[]);
    await events().insertOne({ ...forged, _id: 'no id of ours', at: 'never' } as never);
    const found = await remarks();
    expect(found.slice(0, 3).map(([type, reason]) => [type, reason])).toEqual(
      Array(3).fill(['audit.foreign', 'EVENT_FOREIGN']),
    );
    const named = found.map(([, , record]) => record);
    expect(named).toHaveLength(5);
    for (const { _id } of [changed, forged, copy, bare]) expect(named).toContain(String(_id));
    expect(named).not.toContain(String(genuine._id));
    expect(
      await test.gateway.models.AuditEntry.exists({ $or: [{ actor: forged.actor }, { ip: '203.0.113.66' }] }),
    ).toBe(null);
    expect(await verify()).toMatchObject({ ok: false, reason: expect.stringMatching(/^(foreign|gap)$/) });
  });

  it('forged receipts and counts do not hide a deleted event', async () => {
    const { _id } = await done();
    await test.gateway.signer.flush();
    const [receipt] = await receipts().find().sort({ n: -1 }).toArray();
    await events().deleteOne({ _id });
    await receipts().updateOne({ _id: receipt?._id as ObjectId }, { $set: { events: [] } });
    await act();
    const found = (await remarks()).map(([type, reason]) => [type, reason]);
    expect(found).toEqual([
      ['audit.foreign', 'RECEIPT_FOREIGN'],
      ['audit.gap', 'RECEIPTS_MISSING: 1'],
    ]);
    await test.gateway.models.AuditRun.collection.updateMany({}, { $set: { n: 1_000_000 } });
    const other = await done();
    await events().deleteOne({ _id: other._id });
    expect(await remarks()).toContainEqual(['audit.gap', 'EVENT_DELETED', String(other._id)]);
  });

  it.each([
    ['of no run', { $unset: { run: '' } }],
    ['of a run that is an empty list', { $set: { run: [] } }],
    ['of a run that reads like a query', { $set: { run: { $gt: '' } } }],
  ])('receipts that were made ones %s do not hide a deleted event', async (_, change) => {
    const process = anotherProcess();
    const event = await process.commit();
    await receipts().updateMany({}, change as object);
    await events().deleteOne({ _id: event });
    expect((await remarks()).map(([type, reason]) => [type, reason])).toEqual([['audit.foreign', 'RECEIPT_FOREIGN']]);
    expect(await process.signer.restoreReceipts()).toBe(1);
    expect(await remarks()).toContainEqual(['audit.gap', 'EVENT_DELETED', String(event)]);
  });

  it('is not kept out by an entry that no worker made, also when that is taken away again', async () => {
    const log = test.gateway.models.AuditEntry.collection;
    const forged = async (event: ObjectId) =>
      (await log.insertOne({ event, seq: -1, type: 'image.content', at: new Date() } as never)).insertedId;
    for (const [mark, remark] of [
      [false, ['audit.foreign', 'ENTRY_FOREIGN']],
      [true, ['audit.gap', 'EVENT_SUPPRESSED']],
    ] as const) {
      const { _id } = await done();
      const entry = await forged(_id);
      if (mark) await events().updateOne({ _id }, { $set: { unaudited: false } });
      await settle();
      await log.deleteOne({ _id: entry });
      expect(await remarks()).toContainEqual([...remark, String(_id)]);
    }
    expect(await verify()).toMatchObject({ ok: false, reason: expect.stringMatching(/^(foreign|gap)$/) });
  });

  it.each([
    ['a place that is no number', { seq: 'last' }],
    ['a place beyond all numbers', { seq: Number.POSITIVE_INFINITY }],
    ['two events', { seq: -2, event: [newId(), newId()] }],
  ])('is logged although somebody planted an entry with %s, and a verification names that', async (_, planted) => {
    const log = test.gateway.models.AuditEntry.collection;
    const { insertedId } = await log.insertOne({ event: newId(), type: 'image.content', ...planted } as never);
    const { _id } = await done();
    await settle();
    expect(await entryOf(_id)).toMatchObject({ type: 'image.content' });
    expect(await verify()).toMatchObject({ ok: false, reason: 'missing' });
    await log.deleteOne({ _id: insertedId });
    expect(await verify()).not.toMatchObject({ reason: 'missing' });
  });

  it('an event cannot be hidden from a search of the log for its people and records', async () => {
    const { _id } = await done();
    await settle();
    const log = test.gateway.models.AuditEntry.collection;
    const { seq, actor, concerns } = (await entryOf(_id)) as AuditEntryDoc;
    for (const [field, kept] of Object.entries({ actor, concerns })) {
      const text = Array.isArray(kept) ? kept.map(String) : String(kept);
      await log.updateOne({ event: _id }, { $set: { [field]: text } });
      expect(await verify(), field).toMatchObject({ firstBroken: seq, reason: 'changed' });
      await log.updateOne({ event: _id }, { $set: { [field]: kept } });
      expect(await verify(), field).not.toMatchObject({ reason: 'changed' });
    }
  });
});

describe('a log whose end was cut off together with its head', () => {
  it('the verification fails in processes that saw the end, and in those that start afterwards', async () => {
    const own = await start(buildGateway());
    for (let i = 0; i < 6; i++) await act(own);
    await settle(own);
    const { checked } = await verify(own);
    const { AuditEntry, AuditHead } = own.gateway.models;
    await AuditEntry.deleteMany({ seq: { $gt: 3 } });
    await AuditHead.deleteMany({});
    expect(await verify(own)).toEqual({ ok: false, checked: 3, firstBroken: 4, reason: 'missing' });
    const lines: object[] = [];
    await watchLog({ ...own.gateway, log: { error: (line: object) => lines.push(line) } as never });
    expect(lines).toEqual([{ remembered: checked, found: 3, head: null }]);

    const later = await start(joinGateway(own.config));
    expect(await verify(later)).toEqual({ ok: false, checked: 3, firstBroken: 4, reason: 'head' });
    await act(later);
    await settle(later);
    expect(await AuditEntry.findOne({ seq: 4 }).lean()).toMatchObject({ type: 'audit.gap', reason: 'HEAD_MISSING' });
    expect(await verify(later)).toMatchObject({ ok: false, firstBroken: 4, reason: 'gap' });
    // The first process goes on where it was, and leaves the hole.
    await act(own);
    await settle(own);
    expect((await AuditEntry.findOne().sort({ seq: -1 }).lean())?.seq).toBeGreaterThan(checked);
    expect(await verify(own)).toMatchObject({ ok: false });
  });
});

/** A chain as it was written before events were signed. */
function chain(of: TestGateway, length: number): AuditEntryDoc[] {
  let last: Head = { seq: 0, hash: GENESIS };
  return Array.from({ length }, () => {
    const facts = { type: 'image.read', status: 'success', table: 'imagemetadata', ip: '', reason: '' } as const;
    const draft: Draft = { event: newId(), ...facts, at: new Date() };
    const entry = place(of.gateway.keys.audit, draft, last);
    last = entry;
    return entry;
  });
}

describe('a log of an older version', () => {
  it('takes that version’s events for an hour, says so, and then no longer until it is asked to', async () => {
    const own = await start(buildGateway());
    const { models, keys } = own.gateway;
    const old = chain(own, 3);
    await models.AuditEntry.insertMany(old);
    await keepHead(models, keys.audit, old.at(-1) as AuditEntryDoc);
    let later = 0;
    const now = () => new Date(Date.now() + later);
    const written = async () => {
      const event = { type: 'image.read', status: 'success', table: 'x', ip: '', reason: '', at: new Date() };
      const { insertedId } = await models.Event.collection.insertOne({ ...event, unaudited: true } as never);
      await appendAudit(models, keys.audit, { now });
      return (await models.AuditEntry.findOne({ event: insertedId }).lean())?.type;
    };
    expect(await written()).toBe('image.read');
    const said = await models.AuditEntry.findOne({ type: 'audit.signed' }).lean();
    expect(said).toMatchObject({ seq: 4, reason: 'UPGRADED' });
    later = 59 * 60_000;
    expect(await written()).toBe('image.read');
    expect(await verify(own)).toEqual({ ok: true, checked: 6 });
    later = 61 * 60_000;
    expect(await written()).toBe('audit.foreign');
    await adoptAudit(models, keys.audit, now());
    expect(await written()).toBe('image.read');
    expect(await models.AuditEntry.countDocuments({ type: 'audit.signed' })).toBe(2);
  });
});

/**
 * The processor time of the thread of the event loop, milliseconds. Other threads, as those that collect garbage, hold up
 * nothing; only Linux tells them apart.
 */
function cpuOfLoop(): number {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  if (existsSync(file)) return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Processor time of each turn of the event loop while something runs, milliseconds. */
async function cpuOfTurns(running: Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  let ended = false;
  void running.finally(() => {
    ended = true;
  });
  while (!ended) {
    const before = cpuOfLoop();
    await setImmediate();
    turns.push(cpuOfLoop() - before);
  }
  return turns;
}

describe('a verification', () => {
  it('of ten thousand entries holds up nothing else, is run once for all who ask, and goes on from its checkpoint', async () => {
    const own = await start(buildGateway());
    const { models, keys } = own.gateway;
    const many = chain(own, 10_000);
    await models.AuditEntry.collection.insertMany(many as never[]);
    await keepHead(models, keys.audit, many.at(-1) as AuditEntryDoc);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const [one, other] = [verify(own), verify(own)];
    const turns = cpuOfTurns(one);
    expect(await one).toEqual({ ok: true, checked: 10_000 });
    delay.disable();
    expect(other).toBe(one);
    // By the clock most turns, by the processor's time every one: a busy machine does other things in between.
    expect(delay.percentile(50) / 1e6).toBeLessThan(whenBusy(20));
    expect(Math.max(...(await turns))).toBeLessThan(50);

    const since = (from: 'start' | 'checkpoint') => verifyAudit(models, keys.audit, { since: from });
    const { AuditEntry, AuditHead } = models;
    await AuditEntry.collection.updateOne({ seq: 5_000 }, { $set: { reason: 'changed' } });
    expect(await since('checkpoint')).toEqual({ ok: true, checked: 10_000 });
    await AuditHead.collection.updateOne({ _id: 'checkpoint' as never }, { $set: { seq: 9_999 } });
    const broken = { ok: false, checked: 4_999, firstBroken: 5_000, reason: 'changed' };
    expect(await since('checkpoint'), 'a checkpoint that no key signed is none').toEqual(broken);
    expect(await since('start')).toEqual(broken);
  });
});

describe('the head of the log', () => {
  it('the head is written to a file, and later verifications compare with it', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lightbox-anchor-')), 'heads');
    const own = await start(buildGateway({ auditAnchor: `file://${file}` }));
    for (let i = 0; i < 2; i++) {
      await act(own);
      await settle(own);
    }
    const { checked } = (await verifyAndNote(own.gateway, 'start')).verdict;
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^\\S+ ${checked}:[0-9a-f]{64}\\n$`));
    const { AuditEntry } = own.gateway.models;
    const entry = (await AuditEntry.findOne({ seq: checked - 1 }).lean<AuditEntryDoc>()) as AuditEntryDoc;
    await AuditEntry.deleteOne({ seq: checked });
    await keepHead(own.gateway.models, own.gateway.keys.audit, entry, true);
    const later = await start(joinGateway(own.config));
    expect(await verify(later)).toMatchObject({ ok: true });
    expect((await verifyAndNote(later.gateway, 'start')).verdict).toMatchObject({ ok: false, firstBroken: checked });
  });

  it('the head is sent to a syslog server', async () => {
    const lines: string[] = [];
    const server = createServer((socket) => socket.setEncoding('utf8').on('data', (line) => lines.push(String(line))));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await act();
    await settle();
    const { checked } = await verify();
    const config = { ...test.config, auditAnchor: `syslog://127.0.0.1:${port}` };
    await noteHead({ ...test.gateway, config });
    await expect
      .poll(() => lines.join(''))
      .toMatch(new RegExp(`^\\d+ <110>1 \\S+Z .* AUDITHEAD - ${checked}:[0-9a-f]{64}$`));
    server.close();
  });
});
