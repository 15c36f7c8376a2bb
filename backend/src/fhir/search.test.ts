import { appendAudit } from '@lightbox/core/audit/chain.js';
import { oid } from '@lightbox/core/db/ids.js';
import { element, partTen } from '@lightbox/testkit/part10.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, fresh, uidOf } from '../testing/dicomWeb.js';
import { buildProvider } from '../testing/factories.js';
import { fhirOf, type Scene } from '../testing/fhir.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, withStudy } = dicomWebOf({ test, api });
const { found, get, setScene, share, signReport } = fhirOf({ test, api, withStudy });
afterAll(closeInspectors);

let scene: Scene;
let provider: string;
let patient: string;
beforeAll(async () => {
  scene = await setScene();
  await share(scene, scene.patient, { verified: true });
  await api.as(scene.patient).put('/users/profile/consents', { analysis: 'granted' }).expect(200);
  [provider, patient] = (await Promise.all(
    [scene.owner, scene.patient].map(async (person) => (await tokenOf(person, ['fhir'])).token),
  )) as [string, string];
  await appendAudit(test.gateway.models, test.gateway.keys.audit);
});

const OTHER = 'http://snomed.info/sct';
/** A parameter, its value, and the system that its value may name. */
const tokens: [path: string, value: (of: Scene) => string, system: string | null][] = [
  ['ImagingStudy?_id', ({ study }) => String(study.study), null],
  ['ImagingStudy?identifier', ({ uid }) => `urn:oid:${uid}`, 'urn:dicom:uid'],
  ['ImagingStudy?modality', () => 'CT', 'http://dicom.nema.org/resources/ontology/DCM'],
  ['ImagingStudy?status', () => 'available', 'http://hl7.org/fhir/imagingstudy-status'],
  ['DiagnosticReport?status', () => 'final', 'http://hl7.org/fhir/diagnostic-report-status'],
  ['DocumentReference?status', () => 'current', 'http://hl7.org/fhir/document-reference-status'],
  ['DocumentReference?contenttype', () => 'image/png', 'urn:ietf:bcp:13'],
  ['Patient?identifier', (of) => of.patient.id, 'urn:lightbox:user'],
  ['Practitioner?active', () => 'true', 'http://hl7.org/fhir/special-values'],
  ['Consent?status', () => 'active', 'http://hl7.org/fhir/consent-state-codes'],
  ['AuditEvent?outcome', () => '0', 'http://hl7.org/fhir/audit-event-outcome'],
  ['AuditEvent?subtype', () => 'image.upload', 'urn:lightbox:actiontype'],
];
it.each(tokens)(
  '%s finds by the code alone or with its own system, and nothing in another system.',
  async (path, value, system) => {
    const token = path.startsWith('Consent') ? patient : provider;
    const count = async (named: string) => (await found(token, `/${path}=${encodeURIComponent(named)}`)).length;
    const code = value(scene);
    expect(await count(code)).toBeGreaterThan(0);
    if (system) expect(await count(`${system}|${code}`)).toBeGreaterThan(0);
    expect(await count(`${OTHER}|${code}`)).toBe(0);
    expect(await count(`|${code}`)).toBe(0);
    expect(await count(`${OTHER}|x,${code}`)).toBeGreaterThan(0);
  },
);

it.each([
  'ImagingStudy?patient',
  'ImagingStudy?subject',
  'DocumentReference?patient',
  'DiagnosticReport?subject',
  'Consent?patient',
])('%s finds by a patient of this server, and nothing of another server or type.', async (path) => {
  const token = path.startsWith('Consent') ? patient : provider;
  const count = async (named: string) => (await found(token, `/${path}=${encodeURIComponent(named)}`)).length;
  const { id } = scene.patient;
  for (const named of [id, `Patient/${id}`, `${test.gateway.config.publicUrl}/fhir/Patient/${id}`, `Patient/x,${id}`]) {
    expect(await count(named), named).toBe(1);
  }
  for (const named of [`https://other.example/fhir/Patient/${id}`, `Practitioner/${id}`, `/Patient/${id}`, `/${id}`]) {
    expect(await count(named), named).toBe(0);
  }
});

it('A DICOM file without an Instance UID is a document, and its report names no study.', async () => {
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner, ['fhir']);
  const study = uidOf(fresh());
  const elements = [element(0x00080060, 'CS', 'CT'), element(0x0020000d, 'UI', study)];
  const file = partTen(Buffer.concat([...elements, element(0x0020000e, 'UI', `${study}.1`)]));
  const { body } = await api.as(owner).upload(file, { caption: 'CT' }).expect(201);
  const { id } = body.data;
  expect(await found(token, '/ImagingStudy')).toEqual([]);
  expect(await found(token, '/DocumentReference')).toEqual([id]);
  const report = await get(token, `/DiagnosticReport/${await signReport({ _id: oid(id), id, owner })}`);
  expect(report.imagingStudy).toBeUndefined();
  // The studies and documents of the scene are told apart as before.
  expect(await found(provider, '/ImagingStudy')).toEqual([String(scene.study.study)]);
  expect(await found(provider, '/DocumentReference')).toEqual([scene.picture.id]);
  const ofStudy = await get(provider, `/DiagnosticReport/${await signReport(scene.study)}`);
  expect(ofStudy.imagingStudy).toEqual([{ reference: `ImagingStudy/${scene.study.study}` }]);
});
