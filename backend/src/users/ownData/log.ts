import { timelineActions } from '@lightbox/contract/audit/actions.js';
import { auditStatuses } from '@lightbox/contract/audit/calls.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { QueryFilter } from 'mongoose';
import { concerning } from '../../audit/entries.js';
import type { Gateway, Viewer } from '../../context.js';
import { csv } from '../../http/download.js';
import { recordsAbout } from '../disclosures.js';
import { namesOf } from '../names.js';
import { jsonArray } from './json.js';

const columns = ['at', 'action', 'status', 'reason', 'actorId', 'actor', 'table', 'recordId', 'address'] as const;

/**
 * Reads the entries of the log about a person: first their own acts and what others did with their images, then what
 * others did with the account, and with images that show the person as the patient.
 */
async function* entriesAbout(gateway: Gateway, viewer: Viewer, until: Date) {
  const about = [...(await recordsAbout(gateway, viewer)).keys()].map(oid);
  const others = { concerns: { $ne: viewer._id } };
  const filters: QueryFilter<AuditEntryDoc>[] = [
    { $and: [concerning(viewer), { status: { $in: [...auditStatuses] } }] },
    { $and: [others, { record: viewer._id, table: 'users' }] },
    { $and: [others, { record: { $in: about }, type: { $in: timelineActions } }] },
  ];
  for (const filter of filters) {
    const source = {
      model: gateway.models.AuditEntry,
      filter: { $and: [filter, { at: { $lte: until } }] },
      sort: ['at', 'seq'] as const,
      direction: 1 as const,
    };
    for await (const rows of gateway.pages.all<AuditEntryDoc>(source)) yield await presented(gateway, viewer, rows);
  }
}

async function presented({ models }: Gateway, viewer: Viewer, rows: AuditEntryDoc[]) {
  const name = await namesOf(
    models,
    rows.map(({ actor }) => actor),
  );
  return rows.map(({ at, type, status, reason, actor, table, record, ip }) => {
    const by = actor && name(actor);
    return {
      at: at.toISOString(),
      action: type,
      status,
      reason,
      actorId: actor ? String(actor) : '',
      actor: by ? `${by.firstname} ${by.lastname}`.trim() : '',
      table,
      recordId: record ? String(record) : '',
      // The network addresses of other people are theirs.
      address: actor?.equals(viewer._id) ? ip : '',
    };
  });
}

export const logAsJson = (gateway: Gateway, viewer: Viewer, until: Date) =>
  jsonArray(entriesAbout(gateway, viewer, until));

export const logAsCsv = (gateway: Gateway, viewer: Viewer, until: Date) =>
  csv(columns, cells(entriesAbout(gateway, viewer, until)));

async function* cells(chunks: ReturnType<typeof entriesAbout>) {
  for await (const rows of chunks) yield rows.map((row) => columns.map((column) => row[column]));
}
