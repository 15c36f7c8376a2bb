import type { SearchType } from './values.js';

/** The systems of identifiers and codes. */
export const fhirSystems = {
  user: 'urn:lightbox:user',
  action: 'urn:lightbox:actiontype',
  dicom: 'http://dicom.nema.org/resources/ontology/DCM',
  uid: 'urn:dicom:uid',
} as const;

type Param =
  | { type: Exclude<SearchType, 'token'>; says: string }
  /** A value may name the system before the code. One that names another finds nothing. Ids have none. */
  | { type: 'token'; system: string | null; says: string };
interface ResourceShape {
  says: string;
  params: Record<string, Param>;
  /** A search adds the patients of its resources when it is asked to (`_include`). */
  includes?: true;
}

const id = { type: 'token', system: null, says: 'The id of the resource.' } as const;
const patient = { type: 'reference', says: 'The patient.' } as const;
const identifier = {
  type: 'token',
  system: fhirSystems.user,
  says: 'The id in Lightbox, of the system urn:lightbox:user.',
} as const;
const active = { type: 'token', system: 'http://hl7.org/fhir/special-values', says: 'true or false.' } as const;
const name = { type: 'string', says: 'The beginning of any word of name, user name or e-mail address.' } as const;
const ofPerson = { _id: id, identifier, name, active };
const lastUpdated = (says: string) => ({ type: 'date', says }) as const;

/** The resources of the FHIR door, with their search parameters. The capability statement is made of this table. */
export const fhirResources = {
  Patient: { says: 'Patients whom the person may see: a patient sees themself.', params: ofPerson },
  Practitioner: { says: 'Providers and administrators.', params: ofPerson },
  ImagingStudy: {
    says: 'DICOM studies that the person may open. The files are read by DICOMweb, which is the endpoint.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When the newest file of the study arrived.'),
      identifier: {
        type: 'token',
        system: fhirSystems.uid,
        says: 'The Study Instance UID, as urn:dicom:uid|urn:oid:….',
      },
      modality: { type: 'token', system: fhirSystems.dicom, says: 'The modality of a series.' },
      patient,
      started: { type: 'date', says: 'The day of the study.' },
      status: { type: 'token', system: 'http://hl7.org/fhir/imagingstudy-status', says: 'All studies are available.' },
      subject: patient,
    },
    includes: true,
  },
  DiagnosticReport: {
    says: 'Signed analyses of images. A report is gone when it is withdrawn, or replaced by a later one.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When the report was signed.'),
      date: { type: 'date', says: 'When the image was analysed.' },
      issued: { type: 'date', says: 'When the report was signed.' },
      patient,
      status: { type: 'token', system: 'http://hl7.org/fhir/diagnostic-report-status', says: 'All reports are final.' },
      subject: patient,
    },
    includes: true,
  },
  DocumentReference: {
    says: 'Pictures, PDFs and other files that are no part of a DICOM study.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When the file arrived.'),
      contenttype: { type: 'token', system: 'urn:ietf:bcp:13', says: 'The media type of the file.' },
      date: { type: 'date', says: 'When the file arrived.' },
      patient,
      status: {
        type: 'token',
        system: 'http://hl7.org/fhir/document-reference-status',
        says: 'All documents are current.',
      },
      subject: patient,
    },
    includes: true,
  },
  Consent: {
    says: 'The answers of the person, a patient, to the question whether a computer may analyse their images.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When the answer was given.'),
      date: { type: 'date', says: 'When the answer was given.' },
      patient,
      status: {
        type: 'token',
        system: 'http://hl7.org/fhir/consent-state-codes',
        says: 'active for the last answer, inactive for earlier ones.',
      },
    },
  },
  AuditEvent: {
    says: 'Staff: the audit log as far as the person may read it. Patients: what others did with their images.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When it happened.'),
      date: { type: 'date', says: 'When it happened.' },
      outcome: {
        type: 'token',
        system: 'http://hl7.org/fhir/audit-event-outcome',
        says: '0 for success, 4 for what was refused or failed.',
      },
      subtype: {
        type: 'token',
        system: fhirSystems.action,
        says: 'The action, of the system urn:lightbox:actiontype. For staff.',
      },
    },
  },
} as const satisfies Record<string, ResourceShape>;

export type FhirType = keyof typeof fhirResources;
export const fhirTypes = Object.keys(fhirResources) as FhirType[];
/** The parameters of a resource, for code that reads any of them. */
export const shapeOf = (type: FhirType): ResourceShape => fhirResources[type];
