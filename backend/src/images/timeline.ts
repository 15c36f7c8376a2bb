import { lookActions, type TimelineAction, timelineActions } from '@lightbox/contract/audit/actions.js';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import { carerLook } from '@lightbox/contract/carers/states.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { TimelineEntry } from '@lightbox/contract/images/insight.js';
import { requireImage } from '@lightbox/core/access/images.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { Answer, Context } from '../context.js';
import { namesOf } from '../users/names.js';

type Call = typeof imageCalls.getTimeline;

/**
 * Lists the entries of the audit log about one image and its study, for those who may see its timeline. Repeats of a
 * look in one session are left out.
 */
export async function getTimeline({
  gateway,
  actor,
  viewer,
  params,
  query,
}: Context<Call>): Promise<Answer<TimelineEntry[]>> {
  const { image } = await requireImage(gateway.models, viewer, params.id, 'timeline', gateway.clock.now());
  const emergencies = await gateway.models.Emergency.distinct('_id', {
    patient: { $in: [image.owner, ...(image.patient ? [image.patient] : [])] },
    until: { $gte: image.createAt },
  });
  const { rows, pagination } = await gateway.pages.list<AuditEntryDoc>(
    {
      model: gateway.models.AuditEntry,
      filter: {
        record: { $in: [image._id, ...(image.study ? [image.study] : []), ...emergencies] },
        type: { $in: timelineActions },
        $nor: [{ type: { $in: [...lookActions] }, reason: sameLook }],
      },
      sort: ['seq'],
      direction: -1,
    },
    query,
  );
  await gateway.events.record(actor, {
    type: 'image.timeline',
    record: image._id,
    owners: [image.owner],
  });
  const byEmergency = new Set(emergencies.map(String));
  const name = await namesOf(
    gateway.models,
    rows.map((row) => row.actor),
  );
  return {
    data: rows.map((row) => ({
      id: String(row._id),
      createAt: row.at.toISOString(),
      actiontype: row.type as TimelineAction,
      status: row.status,
      reason: row.reason,
      user: row.actor ? name(row.actor) : null,
      ...(row.records?.some((id) => byEmergency.has(String(id))) ? { emergency: true as const } : {}),
      ...(row.reason === carerLook ? { carer: true as const } : {}),
    })),
    pagination,
  };
}
