import { z } from 'zod';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Time, text } from '../ids.js';
import { auditActions } from './actions.js';

export const AuditEntry = z.object({
  id: Id,
  createAt: Time,
  user: z.object({ id: Id, firstname: z.string(), lastname: z.string(), username: z.string() }).nullable(),
  actiontype: z.enum(auditActions),
  tablename: z.string(),
  /** The object acted on; for reading, verifying and sharing an image, that image. */
  recordId: Id.optional(),
  recordIds: z.array(Id).optional(),
  ipaddress: z.string(),
  status: z.enum(['success', 'denied', 'failed']),
  reason: z.string(),
  seq: z.int(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], 'Must be an ISO 8601 time.');

export const auditCalls = {
  listAudit: call({
    method: 'get',
    path: '/audit/logs',
    who: 'audit.read',
    action: 'audit.list',
    summary: 'Who did what; providers see what they did and what was done to their images',
    query: PageQuery.extend({
      search: text(100).optional(),
      from: Moment.optional(),
      to: Moment.optional(),
      actiontype: z.enum(auditActions).optional(),
    }).refine(({ from, to }) => !from || !to || new Date(from) <= new Date(to), {
      path: ['from'],
      message: 'Must not be after the end.',
    }),
    data: z.array(AuditEntry),
    paged: true,
  }),
  verifyAudit: call({
    method: 'get',
    path: '/audit/verify',
    who: 'audit.verify',
    action: 'audit.verify',
    summary: 'Recompute the hash chain',
    data: z.object({ ok: z.boolean(), checked: z.int(), firstBroken: z.int().optional() }),
  }),
};
