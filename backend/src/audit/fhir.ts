import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import type { AuditEntry } from '@lightbox/contract/audit/calls.js';

const dicom = 'http://dicom.nema.org/resources/ontology/DCM';

/** DICOM's kinds of audit events (PS3.16, CID 400), by the word before an action's dot. */
const types: Record<string, [code: string, display: string]> = {
  auth: ['110114', 'User Authentication'],
  session: ['110114', 'User Authentication'],
  profile: ['110113', 'Security Alert'],
  user: ['110113', 'Security Alert'],
  role: ['110113', 'Security Alert'],
  setting: ['110113', 'Security Alert'],
  image: ['110103', 'DICOM Instances Accessed'],
  share: ['110113', 'Security Alert'],
  analysis: ['110109', 'Order Record'],
  audit: ['110101', 'Audit Log Used'],
};
const anyType: [string, string] = ['110100', 'Application Activity'];

type Interaction = 'C' | 'R' | 'U' | 'D' | 'E';

/** Create, read, update or delete, by the word after the dot; everything else is carried out. */
const interactions: Record<string, Interaction> = {
  register: 'C',
  upload: 'C',
  create: 'C',
  add: 'C',
  list: 'R',
  read: 'R',
  content: 'R',
  preview: 'R',
  history: 'R',
  export: 'R',
  update: 'U',
  edit: 'U',
  transfer: 'U',
  approve: 'U',
  reject: 'U',
  activate: 'U',
  deactivate: 'U',
  resetPassword: 'U',
  delete: 'D',
  revoke: 'D',
  expire: 'D',
};

const interactionOf = (action: AuditAction): Interaction => interactions[action.split('.')[1] ?? ''] ?? 'E';
const typeOf = (action: AuditAction) => types[action.split('.')[0] ?? ''] ?? anyType;

/** Why something was refused is a code of the contract, or several with their counts; anything else is people's own words. */
const isCode = (reason: string): boolean => /^[A-Z_]+(: \d+)?(, [A-Z_]+(: \d+)?)*$/.test(reason);

const identified = (kind: string, value: string) => ({ identifier: { system: `urn:lightbox:${kind}`, value } });

/** One entry as an R4 AuditEvent: who, what and how by opaque ids, and no names. */
export function auditEvent(entry: AuditEntry): object {
  const [code, display] = typeOf(entry.actiontype);
  const records = [...(entry.recordId ? [entry.recordId] : []), ...(entry.recordIds ?? [])];
  return {
    resourceType: 'AuditEvent',
    id: entry.id,
    type: { system: dicom, code, display },
    subtype: [{ system: 'urn:lightbox:actiontype', code: entry.actiontype }],
    action: interactionOf(entry.actiontype),
    recorded: entry.createAt,
    outcome: entry.status === 'success' ? '0' : '4',
    ...(entry.status !== 'success' && isCode(entry.reason) ? { outcomeDesc: entry.reason } : {}),
    agent: [
      {
        ...(entry.user ? { who: identified('user', entry.user.id) } : {}),
        requestor: entry.user !== null,
        ...(entry.ipaddress ? { network: { address: entry.ipaddress, type: '2' } } : {}),
      },
    ],
    source: { observer: identified('product', 'lightbox') },
    ...(records.length > 0 ? { entity: records.map((id) => ({ what: identified(entry.tablename, id) })) } : {}),
  };
}

/** A Bundle of kind `collection`, a piece at a time; FHIR knows no empty lists, so without entries there is none. */
export async function* fhirBundle(pieces: AsyncIterable<AuditEntry[]>, at: Date): AsyncGenerator<string> {
  yield `{"resourceType":"Bundle","type":"collection","timestamp":${JSON.stringify(at.toISOString())}`;
  let opened = false;
  for await (const entries of pieces) {
    for (const entry of entries) {
      yield `${opened ? ',' : ',"entry":['}\n${JSON.stringify({ resource: auditEvent(entry) })}`;
      opened = true;
    }
  }
  yield opened ? ']}' : '}';
}
