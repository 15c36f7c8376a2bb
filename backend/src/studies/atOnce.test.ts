import { refreshCards } from '@lightbox/core/access/cards.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { CardDoc } from '@lightbox/core/models/card.js';
import { element, partTen, phantom } from '@lightbox/testkit/part10.js';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, fresh } from '../testing/dicomWeb.js';
import { buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let owner: Person;
let uids = 0;
const newUid = () => `1.2.826.0.7.${++uids}`;

afterAll(closeInspectors);
beforeEach(async () => {
  owner = await buildProvider(test.gateway);
});

const fileOf = (study: string, modality: string) =>
  partTen(
    Buffer.concat([
      element(0x00080018, 'UI', newUid()),
      element(0x00080020, 'DA', '20240229'),
      element(0x00080060, 'CS', modality),
      element(0x0020000d, 'UI', study),
      element(0x0020000e, 'UI', `${study}.${modality.length}`),
    ]),
  );

const send = (file: Buffer, fields: Record<string, string> = {}) =>
  api.as(owner).upload(file, { caption: 'A caption', ...fields });

type Shown = { id: string; studyId: string };
const idsOf = (answers: { status: number; body: { data: Shown } }[]) => {
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  return answers.map(({ body }) => body.data);
};

const cardsOf = (study: string): Promise<CardDoc[]> =>
  test.gateway.models.Card.find({ study: oid(study) })
    .sort({ person: 1 })
    .lean<CardDoc[]>();

/** Expects the cards to be those that a later change would write. */
async function expectFreshCards(study: string, image: string): Promise<CardDoc[]> {
  const { models, db, clock } = test.gateway;
  const cards = await cardsOf(study);
  await db.transaction((session) => refreshCards(models, { image: oid(image) }, clock.now(), session));
  expect(await cardsOf(study)).toEqual(cards);
  return cards;
}

describe('uploads of one person that arrive at once', () => {
  it('begin a study each, with the card that it would get later', async () => {
    const made = idsOf(await Promise.all(Array.from({ length: 6 }, () => send(fileOf(newUid(), 'DX')))));
    expect(new Set(made.map(({ studyId }) => studyId)).size).toBe(made.length);
    for (const { id, studyId } of made) {
      expect(await expectFreshCards(studyId, id)).toMatchObject([
        { image: oid(id), person: owner._id, own: true, modalities: ['DX'], day: '2024-02-29' },
      ]);
      const study = await test.gateway.models.Study.findById(studyId).lean();
      expect(study).toMatchObject({ images: 1, lead: oid(id), modalities: ['DX'], studyDate: '2024-02-29' });
    }
  });

  it('join the study that one of them begins, with all its facts, beside pictures and other studies', async () => {
    const patient = await buildPatient(test.gateway);
    const study = newUid();
    const made = idsOf(
      await Promise.all([
        send(fileOf(study, 'CT')),
        send(files.png),
        send(fileOf(study, 'CT')),
        send(fileOf(newUid(), 'DX')),
        send(fileOf(study, 'SEG')),
        send(fileOf(study, 'CT'), { patientId: patient.id }),
        send(fileOf(study, 'PT')),
      ]),
    );
    const [first, , second, other, third, fourth, fifth] = made as [Shown, ...Shown[]];
    const together = [first, second, third, fourth, fifth];
    expect(new Set(together.map((image) => image?.studyId)).size).toBe(1);
    expect(other?.studyId).not.toBe(first.studyId);
    const { Image, Study, Share, Card } = test.gateway.models;
    const ofStudy = { study: oid(first.studyId) };
    const stored = await Study.findById(first.studyId).lean();
    expect(stored).toMatchObject({ images: 5, patient: patient._id });
    expect(stored?.modalities.toSorted()).toEqual(['CT', 'PT', 'SEG']);
    expect(await Image.countDocuments({ ...ofStudy, patient: patient._id, isShared: true })).toBe(5);
    expect(await Image.countDocuments({ ...ofStudy, isLead: true })).toBe(1);
    expect(await Share.countDocuments({ ...ofStudy, recipient: patient._id })).toBe(1);
    const cards = await expectFreshCards(first.studyId, String(stored?.lead));
    expect(cards.map(({ person }) => String(person)).toSorted()).toEqual([owner.id, patient.id].toSorted());
    expect(await Card.countDocuments({ person: owner._id })).toBe(3);
  });

  it('store one file of DICOMweb once, also when it begins its study twice at the same moment', async () => {
    const study = fresh();
    const { tokenOf, storeFiles } = dicomWebOf({ test, api });
    const { token } = await tokenOf(owner);
    const store = () => storeFiles(token, [phantom({ study, instance: 1, z: 1 })]);
    const answers = await Promise.all([store(), store(), store(), store()]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(answers.length);
    expect(await test.gateway.models.Image.countDocuments({ owner: owner._id })).toBe(1);
  });
});
