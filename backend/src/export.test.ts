import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildAdmin, buildImage, buildPatient, buildProvider, type Person } from './testing/factories.js';
import { useGateway } from './testing/useGateway.js';

const { test, api } = useGateway();
let admin: Person;
let provider: Person;

beforeAll(async () => {
  [admin, provider] = await Promise.all([
    buildAdmin(test.gateway),
    buildProvider(test.gateway, { firstname: '=HYPERLINK("x")', lastname: 'Khan, "Ali"' }),
  ]);
  const [own, foreign] = [await buildImage(test.gateway, { owner: provider }), await buildImage(test.gateway)];
  await api.as(provider).get('/users/profile').expect(200);
  await api.as(admin).get('/upload/images').expect(200);
  await api.as(admin).get(`/upload/image/${own.id}`).expect(200);
  await api.as(admin).get(`/upload/image/${foreign.id}`).expect(200);
  await api
    .as(await buildPatient(test.gateway))
    .get(`/analyze/${own.id}`)
    .expect(404);
});

const append = () => appendAudit(test.gateway.models, test.gateway.keys.audit);

/** The cells of a CSV file, read as RFC 4180 says. */
function cellsOf(text: string): string[][] {
  expect(text.startsWith('\uFEFF')).toBe(true);
  expect(text.endsWith('\r\n')).toBe(true);
  const lines = [...text.slice(1).matchAll(/((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*)\r\n/g)];
  expect(lines.map(([line]) => line).join('')).toBe(text.slice(1));
  return lines.map(([, line = '']) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, bare]) =>
      quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'),
    ),
  );
}

const rowsOf = (text: string): Record<string, string>[] => {
  const [head = [], ...rows] = cellsOf(text);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
};

interface Bundle {
  resourceType: string;
  type: string;
  entry?: { resource: Record<string, unknown> & { entity?: { what: { identifier: { value: string } } }[] } }[];
}

/** As it came, byte by byte, whatever its type. */
const exported = async (viewer: Person, query: string) => {
  await append();
  const answer = await fetch(`${test.url}/api/audit/export?${query}`, {
    headers: { Authorization: `Bearer ${viewer.token}` },
  });
  expect(answer.status).toBe(200);
  return { headers: Object.fromEntries(answer.headers), body: Buffer.from(await answer.arrayBuffer()).toString() };
};

describe('the audit log as CSV', () => {
  it('the file has the rows of the list, and the export is one entry of the log', async () => {
    await append();
    const { body } = await api.as(provider).get('/audit/logs?limit=100').expect(200);
    const answer = await exported(provider, 'actiontype=profile.read');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const [row, ...none] = rowsOf(answer.body);
    expect(none).toEqual([]);
    const listed = body.data.find((entry: { actiontype: string }) => entry.actiontype === 'profile.read');
    expect(row).toMatchObject({ id: listed.id, hash: listed.hash, createAt: listed.createAt, userId: provider.id });
    expect(row).toMatchObject({ firstname: `'=HYPERLINK("x")`, lastname: 'Khan, "Ali"' });
    const about = rowsOf((await exported(provider, 'actiontype=audit.export')).body);
    expect(about).toMatchObject([{ status: 'success', reason: 'csv', userId: provider.id }]);
  });

  it('a provider gets their own entries and what others did with their images, and no list that others read', async () => {
    const mine = rowsOf((await exported(provider, '')).body);
    const all = rowsOf((await exported(admin, '')).body);
    expect(mine.length).toBeLessThan(all.length);
    expect(mine.every((row) => row.userId === provider.id || row.tablename !== 'users')).toBe(true);
    const lists = (rows: typeof all) => rows.filter((row) => row.actiontype === 'image.list');
    expect(lists(all).length).toBeGreaterThan(0);
    expect(lists(mine)).toEqual([]);
  });

  it('follows the filters and the order of the list', async () => {
    expect(rowsOf((await exported(admin, 'status=denied')).body).map((row) => row.status)).toEqual(['denied']);
    expect(rowsOf((await exported(admin, 'from=2999-01-01')).body)).toEqual([]);
    const times = rowsOf((await exported(admin, 'sort=createAt')).body).map((row) => row.createAt);
    expect(times).toEqual([...times].sort());
    for (const bad of ['format=xlsx', 'status=odd', 'sort=hash', 'page=2', 'from=2026-02-02&to=2026-01-01']) {
      await api.as(admin).get(`/audit/export?${bad}`).expect(422);
    }
  });

  it('no cell is a formula for a spreadsheet', async () => {
    const starts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'];
    const inside = ['two\nlines', 'a;b', 'a;=1', 'a; \t@SUM(A1)', 'a\n=1', 'a;-1;+1'];
    const people = await Promise.all(
      [...starts, ...inside].map((firstname) => buildPatient(test.gateway, { firstname })),
    );
    const { text } = await api.as(admin).get('/users/export?role=patient&sort=createAt').expect(200);
    const cells = new Map(rowsOf(text).map((row) => [row.id, row.firstname]));
    const shown = people.map(({ id }) => cells.get(id));
    expect(shown.slice(0, 5)).toEqual(starts.slice(0, 5).map((start) => `'${start}`));
    expect(shown.slice(5)).toEqual([
      "'\r'=1",
      ...['two\nlines', 'a;b', "a;'=1", "a; \t'@SUM(A1)", "a\n'=1", "a;'-1;'+1"],
    ]);
  });

  it('a log of thousands of entries is read in chunks: complete, in order and in constant memory', async () => {
    const viewer = await buildProvider(test.gateway);
    const head = await test.gateway.models.AuditEntry.findOne().sort({ seq: -1 }).lean<AuditEntryDoc>();
    const many = Array.from({ length: 2345 }, (_, i): AuditEntryDoc => {
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(i / 4)));
      return {
        ...(head as AuditEntryDoc),
        _id: newId(),
        event: newId(),
        seq: 5_000_000 + i,
        at,
        concerns: [viewer._id],
      };
    });
    await test.gateway.models.AuditEntry.collection.insertMany(many);
    const seqs = rowsOf((await exported(viewer, 'sort=createAt')).body).map((row) => Number(row.seq));
    expect(seqs).toEqual(many.map(({ seq }) => seq));
    const bundle = JSON.parse((await exported(viewer, 'format=fhir')).body) as Bundle;
    expect(bundle.entry).toHaveLength(many.length + 1);
    await test.gateway.models.AuditEntry.deleteMany({ concerns: viewer._id });
  });
});

describe('the audit log as FHIR', () => {
  it('the export is a Bundle of AuditEvents with the fields that R4 requires, and ids only', async () => {
    const answer = await exported(admin, 'format=fhir');
    expect(answer.headers['content-type']).toBe('application/fhir+json; charset=utf-8');
    expect(answer.headers['content-disposition']).toMatch(/\.fhir\.json"$/);
    const bundle = JSON.parse(answer.body) as Bundle;
    expect(bundle).toMatchObject({ resourceType: 'Bundle', type: 'collection' });
    const events = (bundle.entry ?? []).map(({ resource }) => resource);
    expect(events.length).toBeGreaterThan(5);
    for (const event of events) {
      expect(event).toMatchObject({
        resourceType: 'AuditEvent',
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        type: { system: 'http://dicom.nema.org/resources/ontology/DCM', code: expect.stringMatching(/^1101\d\d$/) },
        subtype: [{ system: 'urn:lightbox:actiontype', code: expect.any(String) }],
        action: expect.stringMatching(/^[CRUDE]$/),
        recorded: expect.stringMatching(/Z$/),
        outcome: expect.stringMatching(/^[048]$/),
        agent: [{ requestor: expect.any(Boolean) }],
        source: { observer: { identifier: { value: 'lightbox' } } },
      });
      expect(auditActionNames).toContain((event.subtype as { code: string }[])[0]?.code);
    }
    for (const name of [provider.username, admin.username, 'HYPERLINK', 'Khan', '@hospital.test']) {
      expect(answer.body).not.toContain(name);
    }
  });

  it('an AuditEvent has actor, action, record and outcome', async () => {
    const { body } = await exported(provider, 'format=fhir&status=denied');
    const bundle = JSON.parse(body) as Bundle;
    expect(bundle.entry).toBeUndefined();
    const denied = JSON.parse((await exported(admin, 'format=fhir&status=denied')).body) as Bundle;
    expect(denied.entry?.[0]?.resource).toMatchObject({
      subtype: [{ code: 'analysis.read' }],
      action: 'R',
      outcome: '4',
      outcomeDesc: 'NOT_FOUND',
      agent: [{ who: { identifier: { system: 'urn:lightbox:user' } }, requestor: true, network: { type: '2' } }],
      entity: [{ what: { identifier: { system: 'urn:lightbox:analyses' } } }],
    });
  });

  it('a reason that a person wrote is left out', async () => {
    const applicant = await buildProvider(test.gateway, { status: 'pending' });
    await api.as(admin).post('/users/reject-provider', { email: applicant.email, reason: 'No licence' }).expect(200);
    expect((await exported(admin, 'format=fhir&actiontype=user.reject')).body).not.toContain('No licence');
    expect((await exported(admin, 'actiontype=user.reject')).body).toContain('No licence');
  });
});

describe('people as CSV', () => {
  it('administrators, and no others, export all people of the list, with one entry of the log', async () => {
    const { headers, text } = await api.as(admin).get('/users/export?role=healthProvider&sort=-name').expect(200);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="users-/);
    const { body } = await api.as(admin).get('/users?role=healthProvider&sort=-name&limit=100').expect(200);
    expect(rowsOf(text).map((row) => row.id)).toEqual(body.data.map(({ id }: { id: string }) => id));
    expect(text).not.toContain('LIC-77');
    await api.as(provider).get('/users/export').expect(403);
    const log = rowsOf((await exported(admin, 'actiontype=user.export&status=success')).body);
    expect(log[0]).toMatchObject({ userId: admin.id, reason: 'csv' });
  });
});
