import { actionOf, type EventKind } from '@lightbox/contract/audit/actions.js';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { fhirSystems } from '@lightbox/contract/fhir/resources.js';

/** DICOM's kinds of audit events (PS3.16, CID 400). */
export const kinds: Record<EventKind, { code: string; display: string }> = {
  userAuthentication: { code: '110114', display: 'User Authentication' },
  securityAlert: { code: '110113', display: 'Security Alert' },
  instancesAccessed: { code: '110103', display: 'DICOM Instances Accessed' },
  orderRecord: { code: '110109', display: 'Order Record' },
  auditLogUsed: { code: '110101', display: 'Audit Log Used' },
  applicationActivity: { code: '110100', display: 'Application Activity' },
};
/** The role of a program among the agents (CID 402). */
const application = { system: fhirSystems.dicom, code: '110150', display: 'Application' };
/** For an entry that a newer version of the product wrote. */
const unknown = { fhir: 'applicationActivity', does: 'E' } as const;

/**
 * True for a reason that is an error code of the contract, or several with their counts. Any other reason is free text
 * of a person.
 */
const isCode = (reason: string): boolean => /^[A-Z_]+(: \d+)?(, [A-Z_]+(: \d+)?)*$/.test(reason);

export const identified = (kind: string, value: string) => ({ identifier: { system: `urn:lightbox:${kind}`, value } });

/** Returns one entry as a FHIR R4 AuditEvent: actor, action and records as opaque ids, no names. */
export function auditEvent(entry: AuditEntry): object {
  const { fhir, does } = actionOf(entry.actiontype) ?? unknown;
  const records = [...(entry.recordId ? [entry.recordId] : []), ...(entry.recordIds ?? [])];
  return {
    resourceType: 'AuditEvent',
    id: entry.id,
    type: { system: fhirSystems.dicom, ...kinds[fhir] },
    subtype: [{ system: fhirSystems.action, code: entry.actiontype }],
    action: does,
    recorded: entry.createAt,
    outcome: entry.status === 'success' ? '0' : '4',
    ...(entry.status !== 'success' && isCode(entry.reason) ? { outcomeDesc: entry.reason } : {}),
    agent: [
      {
        ...(entry.user ? { who: identified('user', entry.user.id) } : {}),
        requestor: entry.user !== null,
        ...(entry.ipaddress ? { network: { address: entry.ipaddress, type: '2' } } : {}),
      },
      // The program that acted for the person.
      ...(entry.tokenId
        ? [{ type: { coding: [application] }, who: identified('token', entry.tokenId), requestor: false }]
        : []),
      // The device that sent files for the person.
      ...(entry.nodeId
        ? [{ type: { coding: [application] }, who: identified('dicomNode', entry.nodeId), requestor: false }]
        : []),
    ],
    source: { observer: identified('product', 'lightbox') },
    ...(records.length > 0 ? { entity: records.map((id) => ({ what: identified(entry.tablename, id) })) } : {}),
  };
}

/**
 * Writes a Bundle of type `collection` in chunks. FHIR allows no empty lists, so `entry` is absent when there are no
 * entries.
 */
export async function* fhirBundle(chunks: AsyncIterable<AuditEntry[]>, at: Date): AsyncGenerator<string> {
  yield `{"resourceType":"Bundle","type":"collection","timestamp":${JSON.stringify(at.toISOString())}`;
  let opened = false;
  for await (const entries of chunks) {
    for (const entry of entries) {
      yield `${opened ? ',' : ',"entry":['}\n${JSON.stringify({ resource: auditEvent(entry) })}`;
      opened = true;
    }
  }
  yield opened ? ']}' : '}';
}
