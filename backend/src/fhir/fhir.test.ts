import { readingRule } from '@lightbox/contract/analysis/policy.js';
import { type TokenScope, tokenScopes } from '@lightbox/contract/auth/personalTokens.js';
import { openWithoutSecondFactor } from '@lightbox/contract/auth/policy.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import { type FhirType, fhirTypes, shapeOf } from '@lightbox/contract/fhir/resources.js';
import { type ImageRule, imageRules } from '@lightbox/contract/images/policy.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { findImage } from '@lightbox/core/access/images.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, type Json, jsonOf } from '../testing/dicomWeb.js';
import {
  type BuiltImage,
  buildAdmin,
  buildCarer,
  buildEmergency,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
} from '../testing/factories.js';
import { fhirOf, type Scene } from '../testing/fhir.js';
import { profiled } from '../testing/profiled.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, withStudy } = dicomWebOf({ test, api });

afterAll(closeInspectors);

const { ask, get, found, signReport, setScene, share, shared } = fhirOf({ test, api, withStudy });

/** The patient has no share of `bare`, and verified shares of `scene`. */
let bare: Scene;
let scene: Scene;

beforeAll(async () => {
  [bare, scene] = [await setScene(), await setScene()];
  await share(scene, scene.patient, { verified: true });
});

const states: Record<string, (of: Scene) => Promise<Person>> = {
  owner: async ({ owner }) => owner,
  admin: () => buildAdmin(test.gateway),
  stranger: () => buildProvider(test.gateway),
  'another patient': () => buildPatient(test.gateway),
  'the patient': async ({ patient }) => patient,
  'share without its code': shared({}),
  'verified share': shared({ verified: true }),
  'verified share of a patient': shared({ verified: true }, buildPatient),
  'share without download': shared({ verified: true, download: false }),
  'share of a copy': shared({ verified: true, deidentified: true }),
  'expired share': shared({ verified: true, hours: -1 }),
  'revoked share': shared({ verified: true, revoked: true }),
  emergency: async ({ patient }) => {
    const provider = await buildProvider(test.gateway);
    await buildEmergency(test.gateway, { provider, patient });
    return provider;
  },
  carer: async ({ patient }) => {
    const carer = await buildPatient(test.gateway);
    await buildCarer(test.gateway, { patient, carer });
    return carer;
  },
};
/** Of these it matters whether the patient has shares. */
const byPatient = ['the patient', 'carer', 'emergency'];
const cells = Object.keys(states).flatMap((name) => [
  { name, of: 'bare' },
  ...(byPatient.includes(name) ? [{ name, of: 'shared' }] : []),
]);

describe.each(cells)('FHIR for somebody who stands to records ($of) as: $name', ({ name, of }) => {
  it('every read and every search is answered as the policy says', async () => {
    const about = of === 'bare' ? bare : scene;
    const { owner, patient, study, picture, report } = about;
    const viewer = await (states[name] as (typeof states)[string])(about);
    const { token } = await tokenOf(viewer, ['fhir']);
    const may = async (image: BuiltImage, rule: ImageRule): Promise<boolean> => {
      const access = await findImage(test.gateway.models, viewer, image.id, test.clock.now());
      return access !== null && imageRules[rule](viewer, access.facts);
    };
    const known = async (person: Person): Promise<boolean> =>
      viewer.id === person.id || (await api.as(viewer).get(`/users/${person.id}`)).status === 200;
    const seen: [FhirType, string, boolean][] = [
      ['ImagingStudy', String(study.study), await may(study, 'open')],
      ['DocumentReference', picture.id, await may(picture, 'open')],
      ['DiagnosticReport', report, await may(picture, readingRule(viewer.role))],
      ['Patient', patient.id, await known(patient)],
      ['Practitioner', owner.id, await known(owner)],
      // An id of another kind of resource is unknown.
      ['Practitioner', patient.id, false],
      ['ImagingStudy', picture.id, false],
    ];
    const got = await Promise.all(
      seen.map(async ([type, id]) => {
        const { status } = await ask(token, `/${type}/${id}`);
        return [type, id, status, (await found(token, `/${type}?_id=${id}`)).length];
      }),
    );
    expect(got).toEqual(seen.map(([type, id, sees]) => [type, id, sees ? 200 : 404, sees ? 1 : 0]));
    // The other parameters find no more than that.
    const [studies, documents, reports] = seen.map(([, , sees]) => (sees ? 1 : 0));
    for (const [path, count] of [
      [`/ImagingStudy?patient=${patient.id}`, studies],
      [`/ImagingStudy?identifier=urn:dicom:uid|urn:oid:${about.uid}`, studies],
      [`/DocumentReference?subject=Patient/${patient.id}`, documents],
      [`/DiagnosticReport?patient=Patient/${patient.id}`, reports],
    ] as const) {
      expect(await found(token, path), path).toHaveLength(count ?? 0);
    }
    if (documents) {
      const { content } = await get(token, `/DocumentReference/${picture.id}`);
      expect(content[0].attachment.url !== undefined).toBe(await may(picture, 'download'));
    }
    const role = roleMay(viewer.role, 'consent.manage') ? 200 : 403;
    expect((await ask(token, '/Consent')).status).toBe(role);
    expect((await ask(token, '/AuditEvent')).status).toBe(200);
  });
});

describe('FHIR', () => {
  let token: string;
  let own: string;
  beforeAll(async () => {
    token = (await tokenOf(scene.owner, ['fhir'])).token;
    own = (await tokenOf(scene.patient, ['fhir'])).token;
  });

  const shapes = Object.values(fhirCalls) as CallShape[];
  it('no call is open to somebody who lacks the second factor that their role must have', () => {
    const open = shapes.filter(({ who }) => openWithoutSecondFactor(who as Permission));
    expect(open).toEqual([]);
  });

  const absent = String(newId());
  /** Every call, and its answer to an administrator. */
  const everyCall: Record<keyof typeof fhirCalls, [path: string, status: number]> = {
    fhirCapabilities: ['/metadata', 200],
    searchFhirPatients: ['/Patient', 200],
    readFhirPatient: [`/Patient/${absent}`, 404],
    searchFhirPractitioners: ['/Practitioner', 200],
    readFhirPractitioner: [`/Practitioner/${absent}`, 404],
    searchFhirImagingStudies: ['/ImagingStudy', 200],
    readFhirImagingStudy: [`/ImagingStudy/${absent}`, 404],
    searchFhirDiagnosticReports: ['/DiagnosticReport', 200],
    readFhirDiagnosticReport: [`/DiagnosticReport/${absent}`, 404],
    searchFhirDocumentReferences: ['/DocumentReference', 200],
    readFhirDocumentReference: [`/DocumentReference/${absent}`, 404],
    searchFhirConsents: ['/Consent', 403],
    readFhirConsent: [`/Consent/${absent}`, 403],
    searchFhirAuditEvents: ['/AuditEvent', 200],
    readFhirAuditEvent: [`/AuditEvent/${absent}`, 404],
  };

  it.each(tokenScopes)(
    'a token of the scope %s opens its door alone, and is dead once it is revoked',
    async (scope: TokenScope) => {
      const person = await buildAdmin(test.gateway);
      const made = await tokenOf(person, [scope]);
      for (const [path, status] of Object.values(everyCall)) {
        const wanted = scope === 'fhir' || path === '/metadata' ? status : 401;
        expect([path, (await ask(made.token, path)).status]).toEqual([path, wanted]);
      }
      await api.as(person).del(`/auth/tokens/${made.id}`).expect(200);
      for (const [path] of Object.values(everyCall)) {
        if (path !== '/metadata') expect([path, (await ask(made.token, path)).status]).toEqual([path, 401]);
      }
      const first = await ask(made.token, '/Patient');
      expect(await jsonOf(first)).toMatchObject({
        resourceType: 'OperationOutcome',
        issue: [{ code: 'login' }],
      });
    },
  );

  it('the capability statement names every resource and parameter, without a sign-in', async () => {
    const answer = await ask(null, '/metadata');
    expect(answer.headers.get('content-type')).toBe('application/fhir+json; charset=utf-8');
    const { fhirVersion, rest } = await jsonOf(answer);
    expect(fhirVersion).toBe('4.0.1');
    expect(rest[0].resource.map(({ type }: Json) => type)).toEqual(fhirTypes);
    for (const { type, searchParam } of rest[0].resource) {
      const examples = { date: 'ge2020-01-01', token: 'x', reference: 'Patient/x', string: 'x' };
      for (const { name, type: kind } of searchParam as { name: string; type: keyof typeof examples }[]) {
        expect(Object.keys(shapeOf(type).params)).toContain(name);
        const { status } = await ask(type === 'Consent' ? own : token, `/${type}?${name}=${examples[kind]}`);
        expect(status, `${type} ${name}`).toBe(200);
      }
    }
  });

  it('a study has its UIDs, its series and the address of its files', async () => {
    const resource = await get(token, `/ImagingStudy/${scene.study.study}`);
    expect(resource).toMatchObject({
      identifier: [{ system: 'urn:dicom:uid', value: `urn:oid:${scene.uid}` }],
      modality: [{ code: 'CT' }],
      subject: { reference: `Patient/${scene.patient.id}` },
      started: '2026-11-12',
      numberOfSeries: 1,
      numberOfInstances: 2,
      series: [{ uid: `${scene.uid}.1`, modality: { code: 'CT' }, numberOfInstances: 2 }],
      contained: [{ connectionType: { code: 'dicom-wado-rs' }, address: expect.stringMatching(/\/dicom-web$/) }],
    });
    const id = String(scene.study.study);
    for (const [query, hits] of [
      ['started=2026-11-12', 1],
      ['started=2026-11', 1],
      ['started=ge2026-11-12&started=lt2026-11-13', 1],
      ['started=gt2026-11-12', 0],
      // The day after has no four digits.
      ['started=le9999-12-31', 1],
      ['started=lt9999-12-31', 1],
      ['started=le9999', 1],
      ['started=ge9999-12-31', 0],
      ['started=gt9999-12-31', 0],
      ['started=sa9999-12-31', 0],
      ['started=9999', 0],
      ['started=ge0001-01-01', 1],
      ['started=2026-11-12T10:00:00Z', 0],
      ['modality=CT', 1],
      ['modality=MR,CT', 1],
      ['modality=MR', 0],
      ['status=available', 1],
      ['status=cancelled', 0],
      ['_lastUpdated=ge2020', 1],
      ['_lastUpdated=lt2020', 0],
      [`identifier=urn:oid:${scene.uid}`, 1],
      [`identifier=urn:other|${scene.uid}`, 0],
      [`patient=${newId()}`, 0],
    ] as const) {
      expect(await found(token, `/ImagingStudy?_id=${id}&${query}`), query).toEqual(hits ? [id] : []);
    }
    const { entry } = await get(token, `/ImagingStudy?_id=${id}&_include=ImagingStudy:subject`);
    expect(entry.map(({ search, resource }: Json) => [search.mode, resource.resourceType])).toEqual([
      ['match', 'ImagingStudy'],
      ['include', 'Patient'],
    ]);
  });

  it('a share of one image of a study shows that image alone', async () => {
    const recipient = await buildProvider(test.gateway);
    const { study: _, ...one } = scene.study;
    await buildShare(test.gateway, { image: one, recipient, verified: true });
    const other = (await tokenOf(recipient, ['fhir'])).token;
    const whole = await get(token, `/ImagingStudy/${scene.study.study}`);
    expect(whole).toMatchObject({ description: expect.any(String), started: '2026-11-12' });
    // Title and day are those of the study, also when the recipient has copies of it.
    const resource = await get(other, `/ImagingStudy/${scene.study.study}`);
    expect(resource).toMatchObject({ numberOfInstances: 1, series: [{ numberOfInstances: 1 }] });
    expect([resource.description, resource.started]).toEqual([undefined, undefined]);
    await buildShare(test.gateway, { image: scene.study, recipient, verified: true, deidentified: true });
    expect(await get(other, `/ImagingStudy/${scene.study.study}`)).toEqual(resource);
    expect(await found(other, '/ImagingStudy')).toEqual([String(scene.study.study)]);
    expect(await found(other, '/ImagingStudy?started=2026-11-12')).toEqual([]);
  });

  it('a signed analysis is a report until it is withdrawn, a draft never', async () => {
    const image = await buildImage(test.gateway, { owner: scene.owner, patient: scene.patient._id });
    await buildShare(test.gateway, { image, recipient: scene.patient, verified: true });
    const id = await signReport(image);
    for (const reader of [token, own]) {
      expect(await get(reader, `/DiagnosticReport/${id}`)).toMatchObject({
        status: 'final',
        subject: { reference: `Patient/${scene.patient.id}` },
        resultsInterpreter: [{ reference: `Practitioner/${scene.owner.id}` }],
        conclusion:
          'A grey rectangle.\nPossible diagnoses, with their probability: Fracture (0.82)\nTreatment: Rest\nWarnings: A computer wrote this.\nComment: Seen.',
      });
    }
    const { models } = test.gateway;
    const draft = await models.AnalysisVersion.findOne({ image: image._id, kind: 'run' }).lean();
    expect((await ask(token, `/DiagnosticReport/${draft?._id}`)).status).toBe(404);
    await api.as(scene.owner).post(`/analyze/${image.id}/withdraw`, { reason: 'Wrong side' }).expect(200);
    for (const reader of [token, own]) {
      expect((await ask(reader, `/DiagnosticReport/${id}`)).status).toBe(404);
      expect(await found(reader, `/DiagnosticReport?_id=${id}`)).toEqual([]);
    }
  });

  it('pages follow each other by the next link, each resource once', async () => {
    const owner = await buildProvider(test.gateway);
    const images: string[] = [];
    for (let i = 0; i < 5; i++) images.push((await buildImage(test.gateway, { owner })).id);
    const reader = (await tokenOf(owner, ['fhir'])).token;
    const pages: string[][] = [];
    for (let next: string | undefined = '/DocumentReference?_count=2'; next; ) {
      const bundle: Json = await get(reader, next);
      pages.push(bundle.entry.map((entry: Json) => entry.resource.id));
      const url = bundle.link.find(({ relation }: Json) => relation === 'next')?.url;
      next = url && `/${new URL(url).href.split('/fhir/')[1]}`;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(images.toReversed());
    expect((await ask(reader, '/DocumentReference?_cursor=x')).status).toBe(422);
  });

  it('a patient reads their consents, and the last answer holds', async () => {
    const put = (analysis: string) => api.as(scene.patient).put('/users/profile/consents', { analysis }).expect(200);
    await put('granted');
    test.clock.forward({ minutes: 1 });
    await put('refused');
    const { entry, total } = await get(own, `/Consent?patient=${scene.patient.id}`);
    expect(total).toBe(2);
    expect(entry.map(({ resource }: Json) => [resource.status, resource.provision.type])).toEqual([
      ['active', 'deny'],
      ['inactive', 'permit'],
    ]);
    expect(await found(own, '/Consent?status=active')).toEqual([entry[0].resource.id]);
    expect(await found(own, '/Consent?status=inactive')).toEqual([entry[1].resource.id]);
    expect(await found(own, `/Consent?patient=${newId()}`)).toEqual([]);
    const other = (await tokenOf(await buildPatient(test.gateway), ['fhir'])).token;
    expect((await ask(other, `/Consent/${entry[0].resource.id}`)).status).toBe(404);
  });

  it('the log: an administrator reads all, a provider their part, a patient the disclosures, and each read is in it', async () => {
    const { models, keys } = test.gateway;
    const { patient, owner, study } = scene;
    await get(token, `/ImagingStudy/${study.study}`);
    await appendAudit(models, keys.audit);
    const admin = (await tokenOf(await buildAdmin(test.gateway), ['fhir'])).token;
    const read = { type: 'study.read' as const, actor: owner._id, status: 'success' as const };
    // The first one: further reads of the session are the same look.
    const entry = await models.AuditEntry.findOne(read).sort({ seq: 1 }).lean();
    const id = String(entry?._id);
    const subtype = (resource: Json) => resource.subtype[0];
    for (const reader of [admin, token]) {
      const event = await get(reader, `/AuditEvent/${id}`);
      expect(subtype(event)).toEqual({ system: 'urn:lightbox:actiontype', code: 'study.read' });
      expect(await found(reader, `/AuditEvent?_id=${id}&outcome=0&subtype=study.read`)).toEqual([id]);
      expect(await found(reader, `/AuditEvent?_id=${id}&outcome=4`)).toEqual([]);
    }
    const disclosure = await get(own, `/AuditEvent/${id}`);
    expect(subtype(disclosure)).toEqual({ system: 'urn:lightbox:disclosure', code: 'looked' });
    expect(JSON.stringify(disclosure)).not.toContain('127.0.0.1');
    expect((await ask(own, '/AuditEvent?subtype=study.read')).status).toBe(422);
    const { body } = await api.as(patient).get('/users/profile/disclosures?limit=100').expect(200);
    const listed = [...new Set((body.data as { id: string }[]).map((one) => one.id))];
    expect((await found(own, '/AuditEvent?_count=100')).toSorted()).toEqual(listed.toSorted());
    const stranger = await buildProvider(test.gateway);
    expect((await ask((await tokenOf(stranger, ['fhir'])).token, `/AuditEvent/${id}`)).status).toBe(404);
  });

  it('knows a version that the client has, refuses what it does not know, and changes nothing', async () => {
    const path = `/Patient/${scene.patient.id}`;
    const first = await ask(own, path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toBe(`W/"${(await jsonOf(first)).meta.versionId}"`);
    expect((await ask(own, path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    await api.as(scene.patient).put('/users/profile', { city: 'Lahore' }).expect(200);
    expect((await ask(own, path, { headers: { 'If-None-Match': etag } })).status).toBe(200);
    const wrong: [string, RequestInit & { headers?: Record<string, string> }, number, string][] = [
      ['/Observation', {}, 404, 'not-found'],
      ['', {}, 404, 'not-found'],
      ['/Patient/x', {}, 404, 'not-found'],
      ['/Patient?birthdate=2000', {}, 422, 'invalid'],
      ['/ImagingStudy?started=yesterday', {}, 422, 'invalid'],
      ['/ImagingStudy?started=2026-02-30', {}, 422, 'invalid'],
      ['/Patient?_count=0', {}, 422, 'invalid'],
      ['/Patient?_format=xml', {}, 406, 'not-supported'],
      ['/Patient', { headers: { Accept: 'application/fhir+xml' } }, 406, 'not-supported'],
      ['/Patient', { headers: { Accept: 'application/fhir+xml; fhirVersion=4.0' } }, 406, 'not-supported'],
      ['/Patient', { headers: { Accept: 'application/fhir+json; q=0' } }, 406, 'not-supported'],
      ['/Patient', { method: 'POST', body: '{}' }, 405, 'not-supported'],
      [path, { method: 'PUT', body: '{}' }, 405, 'not-supported'],
      [path, { method: 'PATCH', body: '{}' }, 405, 'not-supported'],
      [path, { method: 'DELETE' }, 405, 'not-supported'],
    ];
    for (const [address, init, status, code] of wrong) {
      const answer = await ask(own, address, init);
      expect([address, answer.status]).toEqual([address, status]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
      expect((await jsonOf(answer)).issue[0].code).toBe(code);
    }
    expect((await ask(null, '/Patient')).status).toBe(401);
  });

  it.each([
    'application/fhir+json; fhirVersion=4.0',
    'application/fhir+json;charset=utf-8',
    'application/json; charset="utf-8"',
    'application/fhir+xml;q=0.9, application/fhir+json;fhirVersion=4.0;q=0.8',
    'application/*',
    '*/*',
  ])('JSON is taken by Accept: %s', async (Accept) => {
    for (const path of ['/Patient', `/Patient/${scene.patient.id}`, '/metadata']) {
      expect((await ask(own, path, { headers: { Accept } })).status, path).toBe(200);
    }
  });

  it('an absent record and a forbidden one take the same reads', async () => {
    const reader = (await tokenOf(await buildProvider(test.gateway), ['fhir'])).token;
    const reads = async (path: string) => {
      const all = await profiled(test.gateway.db, async () => expect((await ask(reader, path)).status).toBe(404));
      // The settings and the log are read for all people, in the background.
      return all
        .filter(({ ns, op }) => op === 'query' && !/(appsettings|audit\w+)$/.test(ns))
        .map(({ ns }) => ns)
        .toSorted();
    };
    const hidden = await buildPatient(test.gateway, { active: false });
    // Session and account are read again when they are old.
    const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => time.mockRestore());
    for (const path of [
      `/ImagingStudy/${scene.study.study}`,
      `/DocumentReference/${scene.picture.id}`,
      `/DiagnosticReport/${scene.report}`,
      `/Patient/${hidden.id}`,
    ]) {
      const nothing = path.replace(/[^/]+$/, String(newId()));
      await ask(reader, nothing);
      // A signal about the token that comes late, on a busy machine, ends what is kept of it, and one call reads it again.
      await eventually(async () => {
        const absent = await reads(nothing);
        expect(absent.length).toBeGreaterThan(0);
        expect(await reads(path), path).toEqual(absent);
      });
    }
  });
});
