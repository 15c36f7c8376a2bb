import { z } from 'zod';
import { call } from '../call.js';
import { flag, PageQuery, sortBy } from '../envelope.js';
import { Id, Time, text } from '../ids.js';
import { auditActionNames } from './actions.js';
import { auditFaults, auditStarts } from './faults.js';
import { auditGroups } from './groups.js';

/** The outcome: done, refused, or failed. */
export const auditStatuses = ['success', 'denied', 'failed'] as const;
export const AuditStatus = z.enum(auditStatuses);
export type AuditStatus = z.infer<typeof AuditStatus>;

export const AuditEntry = z.object({
  id: Id,
  createAt: Time,
  user: z.object({ id: Id, firstname: z.string(), lastname: z.string(), username: z.string() }).nullable(),
  /** The personal token with which a program acted for the person. */
  tokenId: Id.optional(),
  /** The DICOM node that sent files for the person. */
  nodeId: Id.optional(),
  actiontype: z.enum(auditActionNames),
  tablename: z.string(),
  /** The record that was acted on. For reading, verifying and sharing an image, it is the image. */
  recordId: Id.optional(),
  recordIds: z.array(Id).optional(),
  /** The record by name, while the viewer may see it: an image's caption, a study's title, a person. */
  object: z.object({ kind: z.enum(['image', 'study', 'user']), name: z.string() }).optional(),
  /** Empty for acts of the product itself, and for viewers who may not read network addresses. */
  ipaddress: z.string(),
  status: AuditStatus,
  reason: z.string(),
  seq: z.int(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const auditSorts = ['createAt'] as const;
export const auditFormats = ['csv', 'fhir'] as const;
export type AuditFormat = (typeof auditFormats)[number];

export const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], 'Must be an ISO 8601 time.');

const filter = {
  search: text(100).optional(),
  from: Moment.optional(),
  /** A date without a time includes that whole day. */
  to: Moment.optional(),
  actiontype: z.enum(auditActionNames).optional(),
  status: AuditStatus.optional(),
  /** Entries of this person's acts; for administrators only. */
  user: Id.optional(),
  /** Entries about this image, study or account. */
  record: Id.optional(),
  group: z.enum(auditGroups).optional(),
  /** False leaves out reads of lists, unless one of them is asked for by name. */
  lists: flag.default(true),
  sort: sortBy(auditSorts, '-createAt'),
};

interface Range {
  from?: string | undefined;
  to?: string | undefined;
}
export const forwards = ({ from, to }: Range) => !from || !to || new Date(from) <= new Date(to);
export const backwards = { path: ['from'], message: 'Must not be after the end.' };

export const auditCalls = {
  listAudit: call({
    method: 'get',
    path: '/audit/logs',
    who: 'audit.read',
    action: 'audit.list',
    summary: 'Who did what; providers see what they did and what was done to their images',
    query: PageQuery.extend(filter).refine(forwards, backwards),
    data: z.array(AuditEntry),
    paged: true,
  }),
  exportAudit: call({
    method: 'get',
    path: '/audit/export',
    who: 'audit.read',
    action: 'audit.export',
    stepUp: 'recent',
    summary: 'The same entries as the list, all of them: a CSV file, or a FHIR R4 Bundle of AuditEvents with ids only',
    query: z.strictObject({ ...filter, format: z.enum(auditFormats).default('csv') }).refine(forwards, backwards),
    binary: ['text/csv', 'application/fhir+json'],
  }),
  verifyAudit: call({
    method: 'get',
    path: '/audit/verify',
    who: 'audit.verify',
    action: 'audit.verify',
    summary: 'Recompute the hash chain, all of it or from the last kept checkpoint on',
    query: z.strictObject({ since: z.enum(auditStarts).default('start') }),
    data: z.object({
      ok: z.boolean(),
      checked: z.int(),
      firstBroken: z.int().optional(),
      reason: z.enum(auditFaults).optional(),
    }),
  }),
};
