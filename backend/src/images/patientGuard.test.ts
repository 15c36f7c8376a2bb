import type { FileIdentity } from '@lightbox/core/imaging/fileIdentity.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { bare, dicomPicture, element, partTen, syntaxes } from '@lightbox/testkit/part10.js';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';
import { contradictions } from './patientGuard.js';

const { test, api } = useGateway();
let provider: Person;
let patient: Person;

afterAll(closeInspectors);
beforeEach(async () => {
  provider = await buildProvider(test.gateway);
  patient = await buildPatient(test.gateway, {
    firstname: 'Zoë',
    lastname: "O'Brien-Müller",
    dob: '1980-05-17',
    gender: 'female',
  });
});

/** Returns a CT of a person. Elements are in the order of their tags, as the standard has them. */
const ctOf = (name: string | Buffer, birthDate = '', sex = '', characterSet = '') =>
  partTen(
    Buffer.concat([
      ...(characterSet ? [element(0x00080005, 'CS', characterSet)] : []),
      element(0x00080060, 'CS', 'CT'),
      element(0x00100010, 'PN', name),
      element(0x00100030, 'DA', birthDate),
      element(0x00100040, 'CS', sex),
    ]),
  );

const upload = (file: Buffer, more: Record<string, string> = {}) =>
  api.as(provider).upload(file, { caption: 'A caption', patientId: patient.id, ...more });
const images = () => test.gateway.models.Image.countDocuments({ owner: provider._id });
const blobs = () => test.gateway.db.db?.collection('blobs.chunks').countDocuments();

it('a file that names another patient is refused with the fields and without their values, and nothing is stored', async () => {
  const before = await blobs();
  const { body } = await upload(ctOf('Roe^John', '19700101', 'M')).expect(409);
  expect(body.error).toBe('PATIENT_MISMATCH');
  expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
    'patientName',
    'patientBirthDate',
    'patientSex',
  ]);
  expect(JSON.stringify(body)).not.toMatch(/roe|john|1970/i);
  expect([await images(), await blobs()]).toEqual([0, before]);
  expect((await upload(ctOf("O'Brien-Müller^Zoë", '19800518')).expect(409)).body.errors).toHaveLength(1);
});

it('with a reason the file is stored, and the reason is in the audit log; a needless reason is not', async () => {
  const reasonOf = async (id: string) =>
    (await test.gateway.models.Event.findOne({ type: 'image.upload', record: id }).lean<EventDoc>())?.reason;
  const mismatchReason = 'Registered under her maiden name.';
  const other = await upload(ctOf('Roe^Zoe'), { mismatchReason }).expect(201);
  expect(await reasonOf(other.body.data.id)).toBe(mismatchReason);
  const hers = await upload(ctOf('OBrien-Mueller^Zoe'), { mismatchReason }).expect(201);
  expect(await reasonOf(hers.body.data.id)).toBe('');
  for (const short of ['no', ' .. ', 'x'.repeat(501)]) {
    const { body } = await upload(ctOf('Roe^Zoe'), { mismatchReason: short }).expect(422);
    expect(body.errors).toMatchObject([{ field: 'mismatchReason' }]);
  }
});

it('files without these values, pictures, and uploads without a patient contradict nobody', async () => {
  await upload(ctOf('')).expect(201);
  await upload(files.png).expect(201);
  await api.as(provider).upload(ctOf('Roe^John')).expect(201);
});

it('names are read in the character set of the file, whatever its transfer syntax', async () => {
  const utf8 = Buffer.from("O'BRIEN-MÜLLER^ZOË");
  await upload(ctOf(utf8, '', '', 'ISO_IR 192')).expect(201);
  await upload(ctOf(Buffer.from("O'Brien-Müller^Zoë", 'latin1'), '', '', 'ISO_IR 100')).expect(201);
  const implicit = (name: string) =>
    partTen(
      Buffer.concat([bare(0x00080060, Buffer.from('CT')), bare(0x00100010, Buffer.from(name))]),
      syntaxes.implicit,
    );
  await upload(implicit('Zoe O Brien Muller')).expect(201);
  await upload(implicit('Doe^John')).expect(409);
});

const her = { firstname: 'Zoë', lastname: "O'Brien-Müller", dob: '1980-05-17', gender: 'female' };
it.each<[string, FileIdentity, string[]]>([
  ['the same name', { patientName: "O'Brien-Müller^Zoë" }, []],
  ['another order, case and no accents', { patientName: 'ZOE OBRIEN MULLER' }, []],
  ['an umlaut that is spelled out', { patientName: 'OBRIEN MUELLER^ZOE' }, []],
  ['a middle name, a prefix and a suffix', { patientName: 'OBrien-Muller^Zoe^Ann^Dr.^PhD' }, []],
  ['an initial', { patientName: 'OBrien-Muller^Z' }, []],
  ['a family name alone', { patientName: 'OBrien-Muller' }, []],
  ['a second script', { patientName: 'OBrien-Muller^Zoe=オブライエン^ゾーイ=' }, []],
  ['a pseudonym', { patientName: 'ANON-0012' }, []],
  ['the name of a phantom', { patientName: 'CompressedSamples^CT1' }, []],
  ['nothing but separators', { patientName: '^^==^' }, []],
  ['another given name', { patientName: 'OBrien-Muller^Anna' }, ['patientName']],
  ['another initial', { patientName: 'OBrien-Muller^A' }, ['patientName']],
  ['an initial that is only that of the family', { patientName: 'OBrien-Muller^O' }, ['patientName']],
  ['another family name', { patientName: 'Roe^Zoe' }, ['patientName']],
  ['another script alone', { patientName: '山田^太郎' }, ['patientName']],
  ['the same date and sex', { patientBirthDate: '1980-05-17', patientSex: 'F' }, []],
  ['another date', { patientBirthDate: '1980-05-18' }, ['patientBirthDate']],
  ['another sex', { patientSex: 'M' }, ['patientSex']],
  ['other as sex', { patientSex: 'O' }, []],
])('%s in the file contradicts %#', (_what, file, fields) => {
  expect(contradictions(file, her)).toEqual(fields);
  expect(contradictions(file, {})).toEqual([]);
});

it('the identity of a file is not in the record, the events or the answer', async () => {
  const marked = Buffer.concat([element(0x0020000d, 'UI', '1.2.826.424242'), element(0x00200011, 'IS', '7')]);
  const { body } = await upload(dicomPicture({}, Buffer.concat([element(0x00100010, 'PN', 'Muller^Zoe'), marked])));
  const image = await test.gateway.models.Image.findById(body.data.id).lean();
  const events = await test.gateway.models.Event.find({ record: body.data.id }).lean();
  for (const place of [body, image, events]) expect(JSON.stringify(place)).not.toMatch(/Muller|424242/);
});

it('the caller’s own file is found by its digest, and that of others is not', async () => {
  const { body } = await api.as(provider).upload(files.jpeg).expect(201);
  const image = await test.gateway.models.Image.findById(body.data.id).lean();
  const known = (person: Person, sha256 = image?.sha256) => api.as(person).get(`/upload/known?sha256=${sha256}`);
  expect((await known(provider).expect(200)).body.data).toEqual({ imageId: body.data.id });
  expect((await known(provider, image?.sha256.toUpperCase()).expect(200)).body.data.imageId).toBe(body.data.id);
  expect((await known(await buildProvider(test.gateway)).expect(200)).body.data).toEqual({ imageId: null });
  for (const wrong of ['', 'x'.repeat(64), 'a'.repeat(63)]) await known(provider, wrong).expect(422);
  await known(patient).expect(403);
  expect(await test.gateway.models.Event.countDocuments({ type: 'image.list', actor: provider._id })).toBe(2);
});
