import { z } from 'zod';
import { call } from '../call.js';
import { doors } from '../doors.js';
import { Params } from '../ids.js';
import { limits } from '../limits.js';
import { type FhirType, fhirResources, shapeOf } from './resources.js';
import { searchTypes } from './values.js';

export const FHIR_JSON = 'application/fhir+json';

/** Parameters of every read and search. Other forms than JSON are 406. */
const anywhere = { _format: z.string().max(100).optional() };

type TypesOf<T extends FhirType> = (typeof fhirResources)[T]['params'];
type Fields<T extends FhirType> = {
  [N in keyof TypesOf<T>]: TypesOf<T>[N] extends { type: infer K extends keyof typeof searchTypes }
    ? ReturnType<(typeof searchTypes)[K]>
    : never;
};

/** `patient` is the same parameter as `subject`. A resource without it takes no value. */
export const inclusions = (type: FhirType): string[] =>
  shapeOf(type).includes ? [`${type}:subject`, `${type}:patient`] : [];

const oneOf = (values: string[]) => z.enum(values).optional();

function searchOf<T extends FhirType>(type: T) {
  const { params } = shapeOf(type);
  const included = inclusions(type);
  const fields = Object.fromEntries(
    Object.entries(params).map(([name, one]) => [
      name,
      one.type === 'token' ? searchTypes.token(one.system) : searchTypes[one.type](),
    ]),
  );
  return z.strictObject({
    ...(fields as Fields<T>),
    ...anywhere,
    /** More than the limit counts as the limit. */
    _count: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'Must be a number from 1.')
      .transform((text) => Math.min(Number(text), limits.fhirPage))
      .optional(),
    /** The rest of a search, in the links of its pages. */
    _cursor: z.string().max(2000).optional(),
    ...((included.length > 0 ? { _include: oneOf(included) } : {}) as { _include: ReturnType<typeof oneOf> }),
  });
}

const common = { method: 'get', scopes: ['fhir'], binary: [FHIR_JSON], fhir: true } as const;

const search = <T extends FhirType>(type: T) =>
  ({
    ...common,
    path: `${doors.fhir}/${type}`,
    summary: `FHIR: search. ${fhirResources[type].says}`,
    query: searchOf(type),
    fails: ['NOT_ACCEPTABLE'],
  }) as const;

const read = <T extends FhirType>(type: T) =>
  ({
    ...common,
    path: `${doors.fhir}/${type}/:id`,
    summary: `FHIR: one ${type}`,
    params: Params,
    query: z.strictObject(anywhere),
    fails: ['NOT_ACCEPTABLE'],
  }) as const;

/** FHIR R4, read-only. The gateway serves these paths without `/api` too. */
export const fhirCalls = {
  fhirCapabilities: call({
    method: 'get',
    path: `${doors.fhir}/metadata`,
    who: 'anyone',
    summary: 'FHIR: the capability statement',
    query: z.strictObject(anywhere),
    binary: [FHIR_JSON],
    fhir: true,
    fails: ['NOT_ACCEPTABLE'],
  }),
  searchFhirPatients: call({ ...search('Patient'), who: 'user.list', action: 'user.list', throttles: ['people'] }),
  readFhirPatient: call({ ...read('Patient'), who: 'user.read', action: 'user.read', throttles: ['people'] }),
  searchFhirPractitioners: call({
    ...search('Practitioner'),
    who: 'user.list',
    action: 'user.list',
    throttles: ['people'],
  }),
  readFhirPractitioner: call({ ...read('Practitioner'), who: 'user.read', action: 'user.read', throttles: ['people'] }),
  searchFhirImagingStudies: call({ ...search('ImagingStudy'), who: 'image.read', action: 'image.list' }),
  readFhirImagingStudy: call({ ...read('ImagingStudy'), who: 'image.read', action: 'study.read' }),
  searchFhirDiagnosticReports: call({ ...search('DiagnosticReport'), who: 'analysis.read', action: 'image.list' }),
  readFhirDiagnosticReport: call({ ...read('DiagnosticReport'), who: 'analysis.read', action: 'analysis.read' }),
  searchFhirDocumentReferences: call({ ...search('DocumentReference'), who: 'image.read', action: 'image.list' }),
  readFhirDocumentReference: call({ ...read('DocumentReference'), who: 'image.read', action: 'image.read' }),
  searchFhirConsents: call({ ...search('Consent'), who: 'consent.manage', action: 'consent.read' }),
  readFhirConsent: call({ ...read('Consent'), who: 'consent.manage', action: 'consent.read' }),
  /** Staff read the log, and patients what others did with their images. */
  searchFhirAuditEvents: call({ ...search('AuditEvent'), who: 'image.timeline', action: 'audit.list' }),
  readFhirAuditEvent: call({ ...read('AuditEvent'), who: 'image.timeline', action: 'audit.list' }),
};
