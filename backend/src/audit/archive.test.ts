import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveAudit } from '@lightbox/core/audit/archive.js';
import { readArchive, writeArchive } from '@lightbox/core/audit/archiveFile.js';
import { faultOfArchives } from '@lightbox/core/audit/archives.js';
import { type Base, keepBase, readBase } from '@lightbox/core/audit/base.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { type Draft, GENESIS, place, remark } from '@lightbox/core/audit/entry.js';
import { type Head, keepHead, readHead } from '@lightbox/core/audit/head.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import { newId } from '@lightbox/core/db/ids.js';
import { system } from '@lightbox/core/events/events.js';
import { createKeys } from '@lightbox/core/keys/keyring.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { Refused } from '@lightbox/core/process/refused.js';
import { checks } from '@lightbox/core/selfCheck/checks.js';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { buildGateway, type TestGateway } from '../testing/gateway.js';

/** Entries that are older than the least time for which a log is kept. */
const OLD = 8;
const DAYS = 2_190;
const HOURS = 24;

let test: TestGateway;
let old: AuditEntryDoc[];
let file: string;
const folder = mkdtempSync(join(tmpdir(), 'lightbox-archive-'));
const files = [0];
const nextFile = () => join(folder, `${files.push(0)}.jsonl`);
const { signal } = new AbortController();

/** The chain of an installation that is seven years old. */
function oldChain({ gateway }: TestGateway): AuditEntryDoc[] {
  const at = new Date(gateway.clock.now().getTime() - 7 * 366 * HOURS * 3_600_000);
  const facts = { type: 'image.read', status: 'success', table: 'imagemetadata', ip: '', reason: '' } as const;
  let last: Head = { seq: 0, hash: GENESIS };
  return Array.from({ length: OLD }, (_, i) => {
    const draft: Draft = i === 0 ? remark('audit.signed', at, 'STARTED') : { event: newId(), ...facts, at };
    const entry = place(gateway.keys.audit, draft, last);
    last = entry;
    return entry;
  });
}

const archive = (to = file) => archiveAudit(test.gateway, to, signal);
const verify = () => verifyAudit(test.gateway.models, test.gateway.keys.audit);
const entries = () => test.gateway.models.AuditEntry.collection;
const heads = () => test.gateway.models.AuditHead.collection;
const base = async () => (await readBase(test.gateway.models, test.gateway.keys.audit)) as Base;
const archives = (...all: string[]) => faultOfArchives(test.gateway, all);
const keep = (value: string) =>
  test.gateway.models.Setting.updateOne({ name: 'retention.auditDays' }, { $set: { value } }, { upsert: true }).then(
    () => test.gateway.settings.forget(),
  );

async function act(): Promise<void> {
  const { events, signer, models, keys, clock } = test.gateway;
  await events.record(system, { type: 'image.content' });
  await signer.flush();
  await appendAudit(models, keys.audit, { now: () => clock.now() });
}

/** One database for all tests: each begins with an old log and an act of today. */
const started = buildGateway();
beforeEach(async () => {
  const running = await started;
  // A process remembers facts of a log together with its models: with others, each test has a process of its own.
  test = { ...running, gateway: { ...running.gateway, models: { ...running.gateway.models } } };
  const { models, keys } = test.gateway;
  // So that no receipt of the test before is open.
  await test.gateway.signer.flush();
  await appendAudit(models, keys.audit);
  for (const { collection } of [models.AuditEntry, models.AuditHead, models.Event]) await collection.deleteMany({});
  old = oldChain(test);
  await models.AuditEntry.collection.insertMany(old as never[]);
  await keepHead(models, keys.audit, old.at(-1) as AuditEntryDoc, true);
  await keep(String(DAYS));
  await act();
  file = nextFile();
});
afterAll(async () => (await started).stop());

describe('an archive of the audit log', () => {
  it.each([1, 2, 3, 4])('is whole when two runs write one file at once, and one of them refuses (%i)', async () => {
    const both = await Promise.allSettled([archive(), archive()]);
    const errors = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const error of errors) expect(error).toBeInstanceOf(Refused);
    expect(errors.length).toBeLessThan(2);
    expect(await entries().countDocuments({ seq: { $lte: OLD } })).toBe(0);
    expect(await archives(file)).toBeNull();
    expect((await verify()).ok).toBe(true);
  });

  it('holds the old entries; the log goes on after them, says so, and does not begin again', async () => {
    expect(await archive()).toEqual({ entries: OLD, upTo: OLD, removed: OLD });
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(OLD + 2);
    expect(await entries().countDocuments({ seq: { $lte: OLD } })).toBe(0);
    expect(await entries().findOne({ type: 'audit.archived' })).toMatchObject({
      reason: `ARCHIVED: ${OLD} entries, 1 to ${OLD}`,
      status: 'success',
    });
    await act();
    expect(await entries().countDocuments({ type: 'audit.signed' })).toBe(0);
    expect(await verify()).toMatchObject({ ok: true, checked: OLD + 3 });
    expect(await archives(file)).toBe(null);
    expect(await checks.audit(test.gateway)).toMatchObject({ state: 'ok' });
    const head = await readHead(test.gateway.models, test.gateway.keys.audit);
    const noted = [old[2] as Head, head as Head];
    expect(await verifyAudit(test.gateway.models, test.gateway.keys.audit, { noted })).toMatchObject({ ok: true });
    expect(await archive(nextFile()), 'nothing else is old').toEqual({ entries: 0, upTo: OLD, removed: 0 });
  });

  it('is continued by the next one, and all of them are needed', async () => {
    await archive();
    const { clock } = test.gateway;
    test.clock.forward({ hours: (DAYS + 1) * HOURS });
    await act();
    const second = nextFile();
    expect(await archive(second)).toMatchObject({ entries: 2, upTo: OLD + 2 });
    test.clock.forward({ hours: -(DAYS + 1) * HOURS });
    expect(clock.now().getTime()).toBeLessThan(Date.now() + 3_600_000);
    expect(await verify()).toMatchObject({ ok: true });
    expect(await archives(file, second)).toBe(null);
    expect(await archives(second)).toContain(`begins after entry ${OLD}`);
    expect(await archives(file)).toContain(`end at entry ${OLD}`);
  });

  it('is not made without end, of a broken log, or over a file', async () => {
    await keep('0');
    await expect(archive()).rejects.toThrow('is 0');
    await keep(String(DAYS));
    writeFileSync(file, 'something else');
    await expect(archive()).rejects.toThrow('not JSON');
    expect(readFileSync(file, 'utf8')).toBe('something else');
    await entries().updateOne({ seq: 3 }, { $set: { ip: '203.0.113.66' } });
    const other = nextFile();
    await expect(archive(other)).rejects.toThrow('broken at entry 3 (changed)');
    expect(existsSync(other)).toBe(false);
    expect(await entries().countDocuments({ seq: { $lte: OLD } })).toBe(OLD);
  });

  it('that was stopped goes on with the same file, before and after the base was stored', async () => {
    const { models, keys } = test.gateway;
    const after = { seq: 0, hash: GENESIS };
    await writeArchive(
      file,
      keys.audit,
      after,
      (async function* () {
        yield* old;
      })(),
    );
    expect(await archive()).toEqual({ entries: OLD, upTo: OLD, removed: OLD });
    await entries().insertMany(old.slice(3) as never[]);
    const stored = await base();
    expect(await keepBase(models, keys.audit, stored, { ...stored, removed: false })).toBe(true);
    expect(await verify(), 'leftovers are no fault').toMatchObject({ ok: true });
    expect(await archive()).toEqual({ entries: 0, upTo: OLD, removed: OLD - 3 });
    expect(await entries().countDocuments({ type: 'audit.archived' })).toBe(1);
    expect(await verify()).toMatchObject({ ok: true });
    const stopped = AbortSignal.abort();
    await expect(archiveAudit(test.gateway, file, stopped)).rejects.toThrow();
  });
});

describe('somebody who may write to the database and holds no key', () => {
  const first = OLD + 1;
  it.each<[string, () => Promise<unknown>, object]>([
    ['removes the base', () => heads().deleteOne({ _id: 'base' as never }), { firstBroken: 1, reason: 'base' }],
    [
      'moves the base',
      () => heads().updateOne({ _id: 'base' as never }, { $set: { seq: first } }),
      { firstBroken: 1, reason: 'base' },
    ],
    [
      'makes the base one of an interrupted removal',
      () => heads().updateOne({ _id: 'base' as never }, { $set: { removed: false } }),
      { firstBroken: 1, reason: 'base' },
    ],
    ['removes the first entry', () => entries().deleteOne({ seq: first }), { firstBroken: first, reason: 'missing' }],
    [
      'puts an archived entry back, changed',
      () => entries().insertOne({ ...old[4], ip: '203.0.113.66' } as never),
      { firstBroken: first, reason: 'missing' },
    ],
    [
      'changes the first entry',
      () => entries().updateOne({ seq: first }, { $set: { ip: '203.0.113.66' } }),
      { firstBroken: first, reason: 'changed' },
    ],
  ])('%s: a verification names it, and the log does not begin again', async (_, tamper, verdict) => {
    await archive();
    await tamper();
    expect(await verify()).toMatchObject({ ok: false, ...verdict });
    await act();
    expect(await entries().countDocuments({ type: 'audit.signed' })).toBe(0);
    expect(await verify()).toMatchObject({ ok: false, ...verdict });
    await expect(archive(nextFile())).rejects.toThrow('broken at entry');
  });

  it('cannot log a copy of an event whose entry is archived', async () => {
    const { events, models } = test.gateway;
    await events.record(system, { type: 'image.content' });
    const copy = (await models.Event.findOne().sort({ _id: -1 }).lean<EventDoc>()) as EventDoc;
    await act();
    test.clock.forward({ hours: (DAYS + 1) * HOURS });
    await act();
    await archive();
    await models.Event.collection.deleteMany({});
    await models.Event.collection.insertOne({ ...copy, unaudited: true } as never);
    await act();
    test.clock.forward({ hours: -(DAYS + 1) * HOURS });
    expect(await entries().findOne({ event: copy._id })).toMatchObject({ type: 'audit.foreign' });
  });

  it.each<[string, (lines: string[]) => string[], string]>([
    ['an entry', (lines) => lines.with(3, (lines[3] ?? '').replace('image.read', 'image.list')), 'Entry 3 was changed'],
    ['a line', (lines) => lines.toSpliced(3, 1), 'Entry 3 is missing'],
    ['its end', (lines) => lines.slice(0, -1), 'end is missing'],
    ['its last entry', (lines) => lines.toSpliced(-2, 1), `names entry ${OLD}, and the file ends at entry ${OLD - 1}`],
    ['its end’s entry', (lines) => lines.with(-1, (lines.at(-1) ?? '').replace('"seq":8', '"seq":7')), 'not signed'],
    ['its first line', (lines) => lines.slice(1), 'not an archive'],
  ])('an archive that lost or changed %s is named', async (_, change, fault) => {
    await archive();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    writeFileSync(file, `${change(lines).join('\n')}\n`);
    expect(await archives(file)).toContain(fault);
  });

  it('an archive of another installation is named', async () => {
    await archive();
    const appKeys = `${test.config.appKeys.split(':')[0]}:${Buffer.alloc(32, 7).toString('base64')}`;
    await expect(readArchive(file, createKeys({ ...test.config, appKeys }).audit)).rejects.toThrow(
      'Entry 1 was changed',
    );
  });
});
