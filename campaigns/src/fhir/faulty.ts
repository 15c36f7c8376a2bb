import type { Judged, Resource } from './collect.js';

type Json = Record<string, unknown>;

/** For each kind of resource, a change that breaks R4. */
const breaks: Record<string, [name: string, spoil: (resource: Json) => void][]> = {
  Patient: [
    ['an unknown gender', (one) => Object.assign(one, { gender: 'boy' })],
    ['a date of birth in another form', (one) => Object.assign(one, { birthDate: '17.05.1980' })],
  ],
  Practitioner: [['an empty list', (one) => Object.assign(one, { name: [] })]],
  ImagingStudy: [
    ['no subject', (one) => Object.assign(one, { subject: undefined })],
    ['an unknown status', (one) => Object.assign(one, { status: 'ready' })],
    ['a number as text', (one) => Object.assign(one, { numberOfSeries: 'one' })],
  ],
  DiagnosticReport: [
    ['an unknown status', (one) => Object.assign(one, { status: 'signed' })],
    ['no code', (one) => Object.assign(one, { code: undefined })],
  ],
  DocumentReference: [
    ['no content', (one) => Object.assign(one, { content: undefined })],
    ['an element that does not exist', (one) => Object.assign(one, { caption: 'x' })],
  ],
  Consent: [
    ['no scope', (one) => Object.assign(one, { scope: undefined })],
    ['no policy', (one) => Object.assign(one, { policyRule: undefined })],
  ],
  AuditEvent: [
    ['an unknown outcome', (one) => Object.assign(one, { outcome: '9' })],
    ['no agent', (one) => Object.assign(one, { agent: undefined })],
  ],
  Bundle: [['an unknown type', (one) => Object.assign(one, { type: 'list' })]],
  CapabilityStatement: [['no kind', (one) => Object.assign(one, { kind: undefined })]],
  OperationOutcome: [['no issue', (one) => Object.assign(one, { issue: undefined })]],
};

/** Spoils a copy of one resource of each kind, so that the check is known to see faults. */
export const faulty = (resources: readonly Resource[]): Judged[] =>
  Object.entries(breaks).flatMap(([type, changes]) => {
    const good = resources.find(({ resourceType }) => resourceType === type);
    return changes.flatMap(([what, spoil]) => {
      if (!good) return [];
      const resource = structuredClone(good) as unknown as Json & Resource;
      spoil(resource);
      return [{ name: `${type} with ${what}`, resource }];
    });
  });
