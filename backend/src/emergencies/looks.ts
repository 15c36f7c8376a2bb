import { lookActions } from '@lightbox/contract/audit/actions.js';
import type { DataOf } from '@lightbox/contract/call.js';
import type { EmergencyLook, emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import { objectsOf } from '../audit/objects.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { requireEmergency } from './emergencies.js';
import { presentEmergency } from './present.js';

type Call = typeof emergencyCalls.getEmergency;

export async function getEmergency({ gateway, actor, viewer, params }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const emergency = await requireEmergency(gateway, viewer, params.id);
  const [shown, looks] = await Promise.all([
    presentEmergency(gateway, viewer, emergency),
    looksOf(gateway, viewer, emergency),
  ]);
  await gateway.events.record(actor, { type: 'emergency.listed', record: emergency._id, owners: [emergency.patient] });
  return { data: { ...shown, looks } };
}

/** Entries that one record can have at most: an hour of reads. Further ones are left out. */
const MOST = 2_000;

/** Reads from the audit log which images and studies the provider looked at by this access, the first look first. */
async function looksOf(gateway: Gateway, viewer: Viewer, emergency: EmergencyDoc): Promise<EmergencyLook[]> {
  const entries = await gateway.models.AuditEntry.find({
    actor: emergency.provider,
    type: { $in: [...lookActions] },
    status: 'success',
    at: { $gte: emergency.from, $lte: emergency.endedAt ?? emergency.until },
    records: emergency._id,
  })
    .sort({ at: 1, seq: 1 })
    .limit(MOST)
    .lean<AuditEntryDoc[]>();
  const names = await objectsOf(gateway, viewer, entries);
  const looks = new Map<string, EmergencyLook>();
  for (const { record, table, at } of entries) {
    const id = String(record);
    const before = looks.get(id);
    const name = names.get(id)?.name;
    looks.set(id, {
      id,
      kind: table === 'studies' ? 'study' : 'image',
      ...(name ? { name } : {}),
      firstAt: before?.firstAt ?? at.toISOString(),
      times: (before?.times ?? 0) + 1,
    });
  }
  return [...looks.values()];
}
