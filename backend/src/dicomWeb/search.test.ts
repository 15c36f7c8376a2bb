import { element, partTen, phantom } from '@lightbox/testkit/part10.js';
import { afterAll, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, fresh, type Json, jsonOf, uidOf } from '../testing/dicomWeb.js';
import { buildAdmin, buildProvider, buildShare } from '../testing/factories.js';
import { profiled } from '../testing/profiled.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, ask, storeFiles, withStudy } = dicomWebOf({ test, api });

afterAll(closeInspectors);

const CT = '1.2.840.10008.5.1.4.1.1.2';

it('A search finds by dates, names with wildcards, modalities and pages, and says what it did not do.', async () => {
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner);
  const base = uidOf(fresh());
  const dated = (n: number, date: string, name: string, modality: string) =>
    partTen(
      Buffer.concat([
        element(0x00080016, 'UI', CT),
        element(0x00080018, 'UI', `${base}.${n}.1.1`),
        element(0x00080020, 'DA', date),
        element(0x00080060, 'CS', modality),
        element(0x00100010, 'PN', name),
        element(0x00100020, 'LO', `ID-${n}`),
        element(0x0020000d, 'UI', `${base}.${n}`),
        element(0x0020000e, 'UI', `${base}.${n}.1`),
      ]),
    );
  await storeFiles(token, [
    dated(1, '20240105', 'Khan^Amina', 'CT'),
    dated(2, '20240301', 'Khan^Bilal', 'MR'),
    dated(3, '20250101', 'Raza^Sara', 'CT'),
  ]);
  const numbers = async (query: string, level = 'studies') => {
    const answer = await ask(token, `/${level}?${query}`);
    const rows: Json[] = answer.status === 204 ? [] : await jsonOf(answer);
    return rows.map((row) => Number(row['00100020'].Value[0].slice(3)));
  };
  expect(await numbers('')).toEqual([3, 2, 1]);
  expect(await numbers('StudyDate=20240301')).toEqual([2]);
  expect(await numbers('StudyDate=20240101-20241231')).toEqual([2, 1]);
  expect(await numbers('00080020=-20240105')).toEqual([1]);
  expect(await numbers('StudyDate=20250101-')).toEqual([3]);
  expect(await numbers('PatientName=khan*')).toEqual([2, 1]);
  expect(await numbers('PatientName=*a?a*')).toEqual([3]);
  expect(await numbers('PatientID=ID-2')).toEqual([2]);
  expect(await numbers('PatientID=ID-4')).toEqual([]);
  expect(await numbers('ModalitiesInStudy=CT')).toEqual([3, 1]);
  expect(await numbers('Modality=MR', 'series')).toEqual([2]);
  expect(await numbers(`SOPInstanceUID=${base}.3.1.1`, 'instances')).toEqual([3]);
  expect(await numbers(`StudyInstanceUID=${base}.1,${base}.3,${base}.1`)).toEqual([1, 3]);
  // A hundred UIDs are looked up at once; the answer says when there were more.
  const many = (count: number) =>
    `/studies?StudyInstanceUID=${Array.from({ length: count }, (_, i) => `1.2.${i}`).join(',')}`;
  expect((await ask(token, many(100))).headers.get('warning')).toBeNull();
  expect((await ask(token, many(101))).headers.get('warning')).toMatch(/additional results/);
  expect(await numbers('limit=1&offset=1&includefield=all')).toEqual([2]);
  const page = await ask(token, '/studies?limit=2&fuzzymatching=true&Unknown=1');
  expect(page.headers.get('warning')).toMatch(/299 .*fuzzymatching.*299 .*not supported.*299 .*additional results/);
  expect((await ask(token, '/studies?limit=x')).status).toBe(422);
});

it('A search by ModalitiesInStudy finds the same studies at each level, and their rows have it.', async () => {
  const { token, study, path, series } = await withStudy();
  const mr = element(0x00080060, 'CS', 'MR');
  const other = phantom({ study, series: 2, instance: 9 });
  const at = other.indexOf(element(0x00080060, 'CS', 'CT'));
  mr.copy(other, at);
  expect((await storeFiles(token, [other])).status).toBe(200);
  for (const [place, rows] of [
    ['/studies', 1],
    ['/series', 2],
    [`${path}/series`, 2],
    ['/instances', 4],
    [`${path}/instances`, 4],
    [`${series}/instances`, 3],
  ] as const) {
    for (const modality of ['CT', 'MR', 'M*']) {
      const found: Json[] = await jsonOf(await ask(token, `${place}?ModalitiesInStudy=${modality}`));
      expect([place, ...found.map((row) => row['00080061'].Value)]).toEqual([place, ...Array(rows).fill(['CT', 'MR'])]);
    }
    expect((await ask(token, `${place}?ModalitiesInStudy=US`)).status, place).toBe(204);
  }
});

it('A search by the UID of a series or an instance finds it in any study, and reads that study alone.', async () => {
  const { owner, token, study } = await withStudy(2);
  const uid = uidOf(study);
  const later = Array.from({ length: 4 }, () => phantom({ study: fresh() }));
  expect((await storeFiles(token, later)).status).toBe(200);
  const one = await test.gateway.models.Image.findOne({ owner: owner._id, 'place.instance': 2 }).lean();
  if (!one) throw new Error('Nothing was stored.');
  const [recipient, stranger, admin] = await Promise.all([
    buildProvider(test.gateway),
    buildProvider(test.gateway),
    buildAdmin(test.gateway),
  ]);
  await buildShare(test.gateway, { image: { _id: one._id, id: String(one._id), owner }, recipient, verified: true });
  const searches = [
    `/series?SeriesInstanceUID=${uid}.1`,
    `/instances?SeriesInstanceUID=${uid}.1`,
    `/instances?SOPInstanceUID=${uid}.1.1`,
    `/instances?SOPInstanceUID=${uid}.1.2,1.2.3&SeriesInstanceUID=${uid}.1`,
    `/instances?SOPInstanceUID=${uid}.1.2&SeriesInstanceUID=${uid}.2`,
  ];
  const numbers = async (bearer: string) =>
    Promise.all(
      searches.map(async (search) => {
        const answer = await ask(bearer, search);
        return answer.status === 204 ? 0 : (await jsonOf(answer)).length;
      }),
    );
  for (const [person, wanted] of [
    [owner, [1, 2, 1, 1, 0]],
    [admin, [1, 2, 1, 1, 0]],
    [recipient, [1, 1, 0, 1, 0]],
    [stranger, [0, 0, 0, 0, 0]],
  ] as const) {
    expect(await numbers((await tokenOf(person)).token)).toEqual(wanted);
  }
  const [first = '', , second = ''] = searches;
  for (const search of [first, second]) {
    const all = await profiled(test.gateway.db, async () => expect((await ask(token, search)).status).toBe(200));
    const studies = all.filter(({ ns, op }) => op === 'query' && ns.endsWith('.studies'));
    expect(studies.map(({ nreturned }) => nreturned)).toEqual([1]);
    const [named] = all.filter(({ command }) => command.distinct && JSON.stringify(command).includes('instance.s'));
    expect(named?.planSummary).toMatch(/^IXSCAN { instance\.s/);
    expect(named?.docsExamined).toBeLessThanOrEqual(2);
  }
});

/** A CT file with the UIDs of its study and series, and none of its own. */
const withoutUid = (study: string) =>
  partTen(
    Buffer.concat([
      element(0x00080060, 'CS', 'CT'),
      element(0x0020000d, 'UI', uidOf(study)),
      element(0x0020000e, 'UI', `${uidOf(study)}.1`),
    ]),
  );

it.each(['lacks a UID', 'is not read yet'])('A study whose first file %s is found by its other files.', async (why) => {
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner);
  const study = fresh();
  const first = why === 'lacks a UID' ? withoutUid(study) : phantom({ study, instance: 9 });
  await api.as(owner).upload(first, { caption: 'CT' }).expect(201);
  expect((await storeFiles(token, [phantom({ study })])).status).toBe(200);
  await test.gateway.models.Image.updateOne({ owner: owner._id, isLead: true }, { $unset: { instance: 1 } });
  for (const search of ['/studies', `/studies?StudyInstanceUID=${uidOf(study)}`, '/series', '/instances?Modality=CT']) {
    const answer = await ask(token, search);
    expect([search, answer.status]).toEqual([search, 200]);
    expect(await jsonOf(answer)).toHaveLength(1);
  }
});
