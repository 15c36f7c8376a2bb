import { newId } from '@lightbox/core/db/ids.js';
import { expect } from 'vitest';
import { type dicomWebOf, type Json, jsonOf, uidOf } from './dicomWeb.js';
import { type BuiltImage, buildImage, buildPatient, buildProvider, buildShare, type Person } from './factories.js';
import type { useGateway } from './useGateway.js';

const findings = {
  description: 'A grey rectangle.',
  differentialDiagnosis: [{ condition: 'Fracture', confidence: 0.82 }],
  treatment: ['Rest'],
  followUp: [],
  warnings: ['A computer wrote this.'],
  confidence: 0.5,
  assessed: true,
  provider: 'local',
  model: 'measure-1',
};

export interface Scene {
  owner: Person;
  patient: Person;
  study: BuiltImage;
  uid: string;
  picture: BuiltImage;
  report: string;
}

/** Calls of FHIR to the gateway of a test file, and records for them. */
export function fhirOf({
  test,
  api,
  withStudy,
}: ReturnType<typeof useGateway> & Pick<ReturnType<typeof dicomWebOf>, 'withStudy'>) {
  const ask = (token: string | null, path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${test.url}/fhir${path}`, {
      ...init,
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...init.headers },
    });
  const get = async (token: string, path: string): Promise<Json> => {
    const answer = await ask(token, path);
    expect(answer.status, path).toBe(200);
    return jsonOf(answer);
  };
  /** Returns the ids that a search finds, in its order. */
  const found = async (token: string, path: string): Promise<string[]> =>
    ((await get(token, path)).entry ?? []).map((entry: Json) => entry.resource.id);

  /** Writes what a worker writes, and signs it. Returns the id of the report. */
  async function signReport({ _id: image, id, owner }: BuiltImage): Promise<string> {
    const { Analysis, AnalysisVersion } = test.gateway.models;
    const at = test.clock.now();
    const by = owner._id;
    const run = { number: 1, by, at, inputSha256: 'ab' };
    const draft = { status: 'completed' as const, review: { state: 'draft' as const }, progress: 100 };
    await Analysis.create([
      { _id: image, ...draft, run: 1, version: 1, requestedBy: by, startedAt: at, finishedAt: at, findings },
    ]);
    await AnalysisVersion.create([{ _id: newId(), image, version: 1, kind: 'run', by, at, findings, run }]);
    await api.as(owner).post(`/analyze/${id}/sign`, { version: 1, comment: 'Seen.' }).expect(200);
    const signed = await AnalysisVersion.findOne({ image, kind: 'signature' }).lean();
    return String(signed?._id);
  }

  /** A patient with a DICOM study of two slices, and a picture with a signed analysis, of one provider. */
  async function setScene(): Promise<Scene> {
    const { owner, study: number } = await withStudy(2);
    const patient = await buildPatient(test.gateway);
    const { Image, Study } = test.gateway.models;
    await Image.updateMany({ owner: owner._id }, { $set: { patient: patient._id } });
    await Study.updateMany({ owner: owner._id }, { $set: { patient: patient._id } });
    const lead = await Image.findOne({ owner: owner._id, isLead: true }).lean();
    if (!lead?.study) throw new Error('The study has no first image.');
    const study = { _id: lead._id, id: String(lead._id), owner, study: lead.study };
    const picture = await buildImage(test.gateway, { owner, patient: patient._id });
    return { owner, patient, study, uid: uidOf(number), picture, report: await signReport(picture) };
  }
  const share = async ({ study, picture }: Scene, recipient: Person, wishes: object): Promise<void> => {
    for (const image of [study, picture]) await buildShare(test.gateway, { image, recipient, ...wishes });
  };

  /** Somebody with shares of the study and of the picture. */
  const shared =
    (wishes: object, build: typeof buildPatient = buildProvider) =>
    async (of: Scene): Promise<Person> => {
      const recipient = await build(test.gateway);
      await share(of, recipient, wishes);
      return recipient;
    };

  return { ask, get, found, signReport, setScene, share, shared };
}
