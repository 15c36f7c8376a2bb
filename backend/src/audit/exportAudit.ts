import type { AuditEntry, auditCalls } from '@lightbox/contract/audit/calls.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { Context } from '../context.js';
import { attached, type Cell, csv } from '../http/download.js';
import { stream } from '../http/stream.js';
import { presentEntries } from './audit.js';
import { entriesOf } from './entries.js';
import { fhirBundle } from './fhir.js';

/**
 * Exports the list as a file, with the same filters and the same policy, read in chunks. The export itself is one entry
 * of the log.
 */
export async function exportAudit(context: Context<typeof auditCalls.exportAudit>): Promise<undefined> {
  const { gateway, actor, viewer, query } = context;
  const { format, ...wanted } = query;
  const now = gateway.clock.now();
  const source = await entriesOf(gateway, viewer, wanted);
  // Only entries up to now: with new ones, an export that begins with the oldest could run without end.
  const upToNow = { ...source, filter: { $and: [source.filter, { at: { $lte: now } }] } };
  const entries = presented(gateway.pages.all<AuditEntryDoc>(upToNow), (rows) => presentEntries(gateway, viewer, rows));
  const [chunks, ending, contentType] =
    format === 'csv'
      ? [csv(columns, cells(entries)), 'csv', 'text/csv; charset=utf-8']
      : [fhirBundle(entries, now), 'fhir.json', 'application/fhir+json; charset=utf-8'];
  await stream(context, {
    chunks,
    headers: attached(`audit-log-${now.toISOString().slice(0, 10)}.${ending}`, contentType),
    record: () => gateway.events.record(actor, { type: 'audit.export', reason: format }),
  });
  return undefined;
}

async function* presented<A, B>(chunks: AsyncIterable<A[]>, present: (rows: A[]) => Promise<B[]>) {
  for await (const rows of chunks) yield await present(rows);
}

const columns = [
  'seq',
  'createAt',
  'actiontype',
  'status',
  'reason',
  'userId',
  'username',
  'firstname',
  'lastname',
  'ipaddress',
  'tablename',
  'recordId',
  'recordIds',
  'id',
  'hash',
  'tokenId',
  'nodeId',
];

async function* cells(chunks: AsyncIterable<AuditEntry[]>): AsyncGenerator<Cell[][]> {
  for await (const entries of chunks) yield entries.map(cellsOf);
}

const cellsOf = (entry: AuditEntry): Cell[] => [
  entry.seq,
  entry.createAt,
  entry.actiontype,
  entry.status,
  entry.reason,
  entry.user?.id,
  entry.user?.username,
  entry.user?.firstname,
  entry.user?.lastname,
  entry.ipaddress,
  entry.tablename,
  entry.recordId,
  entry.recordIds?.join(' '),
  entry.id,
  entry.hash,
  entry.tokenId,
  entry.nodeId,
];
