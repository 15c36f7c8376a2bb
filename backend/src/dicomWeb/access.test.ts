import type { dicomWebCalls } from '@lightbox/contract/dicomWeb/calls.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { afterAll, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, end, fresh, jsonOf, partsIn, type StoredStudy, uidOf } from '../testing/dicomWeb.js';
import {
  buildAdmin,
  buildCarer,
  buildEmergency,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, ask, store, storeFiles, withStudy } = dicomWebOf({ test, api });

afterAll(closeInspectors);

/** The answers to searches, to what shows a file, and to what gives its bytes. */
type Answers = [search: number, open: number, download: number];
interface State {
  viewer: (study: StoredStudy) => Promise<Person>;
  answers: Answers;
}

const nothing: Answers = [204, 404, 404];

/** Somebody with a share of the study, or of its first image alone. */
const shared =
  (wishes: object, build: () => Promise<Person> = () => buildPatient(test.gateway)) =>
  async ({ owner }: StoredStudy): Promise<Person> => {
    const recipient = await build();
    const image = await firstOf(owner);
    await buildShare(test.gateway, { image: { ...image, id: String(image._id), owner }, recipient, ...wishes });
    return recipient;
  };

async function firstOf(owner: Person) {
  const image = await test.gateway.models.Image.findOne({ owner: owner._id, isLead: true }).lean();
  if (!image) throw new Error('The study has no first image.');
  return { _id: image._id, ...(image.study ? { study: image.study } : {}) };
}

const states: Record<string, State> = {
  owner: { viewer: async ({ owner }) => owner, answers: [200, 200, 200] },
  admin: { viewer: () => buildAdmin(test.gateway), answers: [200, 200, 200] },
  stranger: { viewer: () => buildProvider(test.gateway), answers: nothing },
  'share without its code': { viewer: shared({}), answers: nothing },
  'verified share': { viewer: shared({ verified: true }), answers: [200, 200, 200] },
  'share without download': { viewer: shared({ verified: true, download: false }), answers: [200, 200, 403] },
  'share of a copy': { viewer: shared({ verified: true, deidentified: true }), answers: nothing },
  'expired share': { viewer: shared({ verified: true, hours: -1 }), answers: nothing },
  'revoked share': { viewer: shared({ verified: true, revoked: true }), answers: nothing },
  emergency: {
    viewer: async ({ owner }) => {
      const [provider, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
      const named = { $set: { patient: patient._id } };
      await test.gateway.models.Image.updateMany({ owner: owner._id }, named);
      await test.gateway.models.Study.updateMany({ owner: owner._id }, named);
      await buildEmergency(test.gateway, { provider, patient });
      return provider;
    },
    answers: [200, 200, 403],
  },
  carer: {
    viewer: async (study) => {
      const [patient, carer] = [await shared({ verified: true })(study), await buildPatient(test.gateway)];
      await buildCarer(test.gateway, { patient, carer });
      return carer;
    },
    answers: [200, 200, 403],
  },
};

type Kind = 'search' | 'open' | 'download' | 'draw' | 'store';

/** Every call, about a study that is there. */
const callsOf = ({ path, series, instance }: StoredStudy): Record<keyof typeof dicomWebCalls, [Kind, string]> => ({
  searchStudies: ['search', '/studies'],
  searchSeries: ['search', '/series'],
  searchInstances: ['search', '/instances'],
  searchSeriesOfStudy: ['search', `${path}/series`],
  searchInstancesOfStudy: ['search', `${path}/instances`],
  searchInstancesOfSeries: ['search', `${series}/instances`],
  retrieveStudy: ['download', path],
  retrieveSeries: ['download', series],
  retrieveInstance: ['download', instance],
  retrieveStudyMetadata: ['open', `${path}/metadata`],
  retrieveSeriesMetadata: ['open', `${series}/metadata`],
  retrieveMetadata: ['open', `${instance}/metadata`],
  retrieveFrames: ['open', `${instance}/frames/1`],
  retrieveBulkData: ['download', `${instance}/bulkdata/7FE00010`],
  renderInstance: ['draw', `${instance}/rendered`],
  renderFrames: ['draw', `${instance}/frames/1/rendered`],
  storeInstances: ['store', '/studies'],
  storeInstancesOfStudy: ['store', path],
});

describe.concurrent.each(Object.keys(states))('DICOMweb for somebody who stands to a study as: %s', (name) => {
  it('every call is answered as the policy says', async () => {
    const study = await withStudy(1);
    const { viewer, answers } = states[name] as State;
    const person = await viewer(study);
    const { token } = await tokenOf(person);
    const [search, open, download] = answers;
    const wanted: Record<Kind, number> = {
      search,
      open,
      download,
      // No worker draws here: whoever may open the picture is told that there is no film of it.
      draw: open === 200 ? 406 : open,
      // Not in parts.
      store: roleMay(person.role, 'image.upload') ? 415 : 403,
    };
    const calls = Object.entries(callsOf(study));
    const got = await Promise.all(
      calls.map(async ([call, [kind, path]]) => {
        if (kind === 'store') return [call, (await store(token, [end], path, 'application/dicom')).status];
        return [call, (await ask(token, path, kind === 'draw' ? { Accept: 'video/mp4' } : {})).status];
      }),
    );
    expect(got).toEqual(calls.map(([call, [kind]]) => [call, wanted[kind]]));
  });
});

it('a search shows, and finds by, the modalities of the files that the viewer may open', async () => {
  const study = fresh();
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner);
  const series = (instance: number, modality: string) => {
    const file = phantom({ study, instance, z: instance })
      .toString('latin1')
      .replace('CS\x02\0CT', `CS\x02\0${modality}`);
    return Buffer.from(file.replace(`${uidOf(study)}.1\0`, `${uidOf(study)}.${instance}\0`), 'latin1');
  };
  expect((await storeFiles(token, [series(1, 'CT'), series(2, 'PT')])).status).toBe(200);
  const recipient = await buildProvider(test.gateway);
  const { _id } = await firstOf(owner);
  const alone = { _id, id: String(_id), owner };
  await buildShare(test.gateway, { image: alone, recipient, verified: true });
  const theirs = (await tokenOf(recipient)).token;
  const seen = async (of: string) => (await jsonOf(await ask(of, '/studies')))[0]['00080061'].Value.toSorted();
  expect([await seen(token), await seen(theirs)]).toEqual([['CT', 'PT'], ['CT']]);
  expect((await ask(theirs, '/studies?ModalitiesInStudy=CT')).status).toBe(200);
  expect((await ask(theirs, '/studies?ModalitiesInStudy=PT')).status).toBe(204);
});

it('a share of one image opens nothing else of its study, and its end closes it', async () => {
  const study = await withStudy(2);
  const { path, instance, owner } = study;
  const { models } = test.gateway;
  const { _id } = await firstOf(owner);
  const recipient = await buildProvider(test.gateway);
  const image = { _id, id: String(_id), owner };
  const share = await buildShare(test.gateway, { image, recipient, verified: true });
  const { token } = await tokenOf(recipient);
  const [row] = await jsonOf(await ask(token, '/studies'));
  expect(row['00201208'].Value).toEqual([1]);
  expect(await partsIn(await ask(token, path))).toHaveLength(1);
  expect((await ask(token, instance)).status).toBe(200);
  expect((await ask(token, instance.replace(/1$/, '2'))).status).toBe(404);
  await api.as(owner).del(`/sharing/${share.id}`).expect(200);
  expect((await ask(token, instance)).status).toBe(404);
  expect((await ask(token, '/studies')).status).toBe(204);
  // A patient stores nothing.
  const patient = await tokenOf(await buildPatient(test.gateway));
  expect((await storeFiles(patient.token, study.files)).status).toBe(403);
  expect(await models.Image.countDocuments({ owner: recipient._id })).toBe(0);
});

it('a file that one share shows and another one lets go is downloaded by the latter, whichever came first', async () => {
  const recipient = await buildProvider(test.gateway);
  const { token } = await tokenOf(recipient);
  for (const downloads of [
    [true, false],
    [false, true],
  ]) {
    const number = fresh();
    const file = phantom({ study: number, instance: 1, z: 1 });
    const study = `/studies/${uidOf(number)}`;
    const instance = `${study}/series/${uidOf(number)}.1/instances/${uidOf(number)}.1.1`;
    const shares = [];
    for (const download of downloads) {
      const owner = await buildProvider(test.gateway);
      expect((await storeFiles((await tokenOf(owner)).token, [file])).status).toBe(200);
      const { _id } = await firstOf(owner);
      const image = { _id, id: String(_id), owner };
      const share = await buildShare(test.gateway, { image, recipient, verified: true, download });
      shares.push({ share, owner, download });
    }
    const got = async (path: string) => (await ask(token, path)).status;
    expect(await Promise.all([study, instance, `${instance}/bulkdata/7FE00010`].map(got))).toEqual([200, 200, 200]);
    const [part] = await partsIn(await ask(token, instance));
    expect(part?.bytes.equals(file)).toBe(true);
    // With the file that may be looked at only, it is refused as before.
    const free = shares.find(({ download }) => download);
    await api
      .as(free?.owner as Person)
      .del(`/sharing/${free?.share.id}`)
      .expect(200);
    expect([await got(instance), await got(`${instance}/metadata`)]).toEqual([403, 200]);
  }
});
