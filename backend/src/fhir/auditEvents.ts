import { actionOf } from '@lightbox/contract/audit/actions.js';
import type { QueryOf } from '@lightbox/contract/call.js';
import type { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import { fhirSystems } from '@lightbox/contract/fhir/resources.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import type { Disclosure } from '@lightbox/contract/users/disclosures.js';
import { fieldError } from '@lightbox/core/errors.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import { presentEntries } from '../audit/audit.js';
import { entriesOf } from '../audit/entries.js';
import { auditEvent, identified, kinds } from '../audit/fhir.js';
import type { Viewer } from '../context.js';
import { disclosuresTo } from '../users/disclosures.js';
import { all, byCode, byId, byMoment } from './filters.js';
import type { Finder, Resource, Shown } from './finder.js';

type Wanted = QueryOf<typeof fhirCalls.searchFhirAuditEvents>;

/** True for staff, who read the log itself. A patient reads the disclosures of their images, as in the app. */
const readsLog = ({ role }: Viewer): boolean => roleMay(role, 'audit.read');

const statuses = (outcome: string): string[] =>
  outcome === '0' ? ['success'] : outcome === '4' ? ['denied', 'failed'] : [];

export const auditEvents: Finder<AuditEntryDoc, Shown<AuditEntryDoc>, Wanted> = {
  exact: false,
  async source({ gateway, viewer }, { _id, _lastUpdated, date, outcome, subtype }) {
    const narrowed = [
      ...byId(_id),
      ...byMoment(date, 'at'),
      ...byMoment(_lastUpdated, 'at'),
      ...byCode(outcome, 'status', statuses),
      ...byCode(subtype, 'type'),
    ];
    if (!readsLog(viewer)) {
      if (subtype) throw fieldError('subtype', 'You cannot filter by this.');
      return (await disclosuresTo(gateway, viewer, undefined, narrowed)).source;
    }
    const source = await entriesOf(gateway, viewer, { lists: true, sort: '-createAt' });
    if (narrowed.length === 0) return source;
    const { counter: _, ...rest } = source;
    return { ...rest, filter: all(source.filter, ...narrowed) };
  },
  async show({ gateway, viewer }, docs) {
    if (!readsLog(viewer)) {
      const { present } = await disclosuresTo(gateway, viewer, undefined, []);
      const shown = await present(docs);
      return docs.flatMap((doc) => {
        const ofEntry = shown.filter(({ id }) => id === String(doc._id));
        const resource = disclosureEvent(doc, ofEntry);
        return resource ? [{ doc, resource }] : [];
      });
    }
    const entries = await presentEntries(gateway, viewer, docs);
    return entries.flatMap((entry, i) => {
      const doc = docs[i];
      const resource = auditEvent(entry) as Resource;
      return doc ? [{ doc, resource: { ...resource, meta: { lastUpdated: entry.createAt } } }] : [];
    });
  },
  record: ({ gateway, actor }, rows) =>
    gateway.events.record(actor, { type: 'audit.list', records: rows.map(({ doc }) => doc._id) }),
};

const who = (user: { id: string; firstname: string; lastname: string }) => ({
  ...identified('user', user.id),
  display: `${user.firstname} ${user.lastname}`.trim() || 'User',
});

const recipient = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType', code: 'IRCP' }],
};

/** A disclosure as the app shows it: kind, time, images, and who got access. It has no network address, and no action's name. */
function disclosureEvent(doc: AuditEntryDoc, disclosures: Disclosure[]): Resource | null {
  const [first] = disclosures;
  const action = actionOf(doc.type);
  if (!first || !action) return null;
  const { at, by, kind, to } = first;
  return {
    resourceType: 'AuditEvent',
    id: first.id,
    meta: { lastUpdated: at },
    type: { system: fhirSystems.dicom, ...kinds[action.fhir] },
    subtype: [{ system: 'urn:lightbox:disclosure', code: kind }],
    action: action.does,
    recorded: at,
    outcome: '0',
    agent: [
      { ...(by ? { who: who(by) } : {}), requestor: by !== null },
      ...(to && 'user' in to ? [{ type: recipient, who: who(to.user), requestor: false }] : []),
    ],
    source: { observer: identified('product', 'lightbox') },
    entity: disclosures.map(({ image }) => ({ what: identified('image', image.id), name: image.name || undefined })),
  } as Resource;
}
