import type { SearchType } from './values.js';

interface Param {
  type: SearchType;
  says: string;
}
interface ResourceShape {
  says: string;
  params: Record<string, Param>;
  /** A search adds the patients of its resources when it is asked to (`_include`). */
  includes?: true;
}

const id = { type: 'token', says: 'The id of the resource.' } as const;
const patient = { type: 'reference', says: 'The patient.' } as const;
const identifier = { type: 'token', says: 'The id in Lightbox, of the system urn:lightbox:user.' } as const;
const active = { type: 'token', says: 'true or false.' } as const;
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
      identifier: { type: 'token', says: 'The Study Instance UID, as urn:dicom:uid|urn:oid:….' },
      modality: { type: 'token', says: 'The modality of a series.' },
      patient,
      started: { type: 'date', says: 'The day of the study.' },
      status: { type: 'token', says: 'All studies are available.' },
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
      status: { type: 'token', says: 'All reports are final.' },
      subject: patient,
    },
    includes: true,
  },
  DocumentReference: {
    says: 'Pictures, PDFs and other files that are no part of a DICOM study.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When the file arrived.'),
      contenttype: { type: 'token', says: 'The media type of the file.' },
      date: { type: 'date', says: 'When the file arrived.' },
      patient,
      status: { type: 'token', says: 'All documents are current.' },
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
      status: { type: 'token', says: 'active for the last answer, inactive for earlier ones.' },
    },
  },
  AuditEvent: {
    says: 'Staff: the audit log as far as the person may read it. Patients: what others did with their images.',
    params: {
      _id: id,
      _lastUpdated: lastUpdated('When it happened.'),
      date: { type: 'date', says: 'When it happened.' },
      outcome: { type: 'token', says: '0 for success, 4 for what was refused or failed.' },
      subtype: { type: 'token', says: 'The action, of the system urn:lightbox:actiontype. For staff.' },
    },
  },
} as const satisfies Record<string, ResourceShape>;

export type FhirType = keyof typeof fhirResources;
export const fhirTypes = Object.keys(fhirResources) as FhirType[];
/** The parameters of a resource, for code that reads any of them. */
export const shapeOf = (type: FhirType): ResourceShape => fhirResources[type];
