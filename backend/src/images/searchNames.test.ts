import { refreshCards, renameOnCards } from '@lightbox/core/access/cards.js';
import type { CardDoc } from '@lightbox/core/models/card.js';
import type { ClientSession } from 'mongoose';
import { expect, it } from 'vitest';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  PASSWORD,
  type Person,
} from '../testing/factories.js';
import { png } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

async function found(viewer: Person, text: string): Promise<string[]> {
  const { body } = await api.as(viewer).post('/upload/search', { text }).expect(200);
  return body.data.map(({ id }: { id: string }) => id).sort();
}
const sorted = (...images: BuiltImage[]) => images.map(({ id }) => id).sort();

/** The names on the cards that show a patient. */
async function namesOnCards(patient: Person): Promise<CardDoc['names'][]> {
  const cards = await test.gateway.models.Card.find({ patient: patient._id }).lean<CardDoc[]>();
  return cards.map(({ names }) => names);
}

it('A new name of a patient is found at once, and the old one no more, by all who may open the images.', async () => {
  const patient = await buildPatient(test.gateway, { firstname: 'Zubaida', lastname: 'Rehman' });
  const [admin, colleague, waiting, ofCopy] = [
    await buildAdmin(test.gateway),
    await buildProvider(test.gateway),
    await buildProvider(test.gateway),
    await buildProvider(test.gateway),
  ];
  // The caption has a word of the old name, and one of the new.
  const hand = await buildImage(test.gateway, { patient: patient._id, caption: 'Rehman, hand after Noor' });
  const study = await buildStudy(test.gateway, { owner: hand.owner, patient: patient._id });
  for (const image of [hand, study]) {
    await buildShare(test.gateway, { image, recipient: colleague, verified: true });
    await buildShare(test.gateway, { image, recipient: waiting });
    await buildShare(test.gateway, { image, recipient: ofCopy, verified: true, deidentified: true });
  }
  const see = [hand.owner, colleague, admin];
  for (const viewer of see) expect(await found(viewer, 'zubaida rehman')).toEqual(sorted(hand, study));

  await api.as(patient).put('/users/profile', { firstname: 'Noor', lastname: 'Malik' }).expect(200);
  for (const viewer of see) {
    expect(await found(viewer, 'noor malik')).toEqual(sorted(hand, study));
    expect(await found(viewer, 'zubaida')).toEqual([]);
    expect(await found(viewer, 'rehman')).toEqual(sorted(hand));
  }
  for (const text of ['zubaida', 'noor', 'malik']) {
    expect(await found(waiting, text)).toEqual([]);
    expect(await found(ofCopy, text)).toEqual([]);
  }
});

it('With the account of a patient its name disappears from the cards.', async () => {
  const patient = await buildPatient(test.gateway, { firstname: 'Zarina', lastname: 'Qureshi' });
  const image = await buildImage(test.gateway, { patient: patient._id, caption: 'Left hand' });
  await buildShare(test.gateway, { image, verified: true });
  expect((await namesOnCards(patient)).flat()).toContain('zarina');
  await api.as(patient).del('/users/profile', { password: PASSWORD }).expect(200);
  const names = await namesOnCards(patient);
  expect(names.length).toBeGreaterThan(0);
  expect(names.flat()).toEqual([]);
  expect(await found(image.owner, 'zarina')).toEqual([]);
  expect(await found(image.owner, 'left hand')).toEqual([image.id]);
});

it('A name that changes while images of the patient are stored and opened is the same on all cards.', async () => {
  const provider = await buildProvider(test.gateway);
  const patient = await buildPatient(test.gateway, { firstname: 'Before', lastname: 'Khan' });
  const kept = await Promise.all(
    Array.from({ length: 4 }, () => buildImage(test.gateway, { owner: provider, patient: patient._id })),
  );
  const shares = await Promise.all(kept.map((image) => buildShare(test.gateway, { image })));
  const rename = (firstname: string) => api.as(patient).put('/users/profile', { firstname });
  const upload = (n: number) =>
    api.as(provider).upload(png(4, 4, 400 + n), { caption: `n${n}`, patientId: patient.id });
  const open = ({ id, code, recipient }: (typeof shares)[number]) =>
    api.as(recipient).post('/sharing/verify', { sharingRequestId: id, verificationCode: code });
  const answers = await Promise.all([
    ...[1, 2, 3, 4].map(upload),
    rename('Between'),
    ...shares.map(open),
    ...[5, 6, 7, 8].map(upload),
    rename('After'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([
    201, 201, 201, 201, 200, 200, 200, 200, 200, 201, 201, 201, 201, 200,
  ]);
  const now = await test.gateway.models.User.findById(patient._id).lean();
  const names = await namesOnCards(patient);
  expect(names.length).toBeGreaterThanOrEqual(16);
  for (const one of names) expect(one).toEqual([now?.firstname?.toLowerCase(), 'khan']);
});

it.each(['opening', 'renaming'] as const)(
  'A share is opened while a name changes: the card has the new name, also when the %s ends last.',
  async (last) => {
    const { models, db, clock } = test.gateway;
    const patient = await buildPatient(test.gateway, { firstname: 'Before', lastname: 'Khan' });
    // Not the first of its study, so the owner has no card of it, which both would write.
    const image = await buildImage(test.gateway, { patient: patient._id, isLead: false });
    const { _id, recipient } = await buildShare(test.gateway, { image });
    const acts = {
      opening: async (session: ClientSession) => {
        await models.Share.updateOne({ _id }, { $set: { verifiedAt: clock.now() } }, { session });
        await refreshCards(models, { image: image._id }, clock.now(), session);
      },
      renaming: async (session: ClientSession) => {
        const set = { firstname: 'After', lastname: 'Khan' };
        await models.User.updateOne({ _id: patient._id }, { $set: set }, { session });
        await renameOnCards(models, patient._id, set, session);
      },
    };
    let first: Promise<unknown> | undefined;
    await db.transaction(async (session) => {
      // From here on this transaction sees the state before the first act, until it is repeated.
      await models.User.findById(patient._id, null, { session }).lean();
      first ??= db.transaction(acts[last === 'opening' ? 'renaming' : 'opening']);
      await first;
      await acts[last](session);
    });
    const card = await models.Card.findOne({ image: image._id, person: recipient._id }).lean();
    expect(card?.names).toEqual(['after', 'khan']);
  },
);

it('An upload that gives a shared study its patient relies on the account: a new name comes before it or after it.', async () => {
  const patient = await buildPatient(test.gateway, { firstname: 'Yasmin' });
  const study = await buildStudy(test.gateway);
  await buildShare(test.gateway, { image: study, recipient: patient, verified: true });
  const touched = async () => (await test.gateway.models.User.findById(patient._id).lean())?.touched ?? 0;
  const before = await touched();
  const fields = { caption: 'Wrist', studyId: String(study.study), patientId: patient.id };
  await api
    .as(study.owner)
    .upload(png(4, 4, 500), fields)
    .expect(201);
  expect(await found(study.owner, 'yasmin')).toEqual([study.id]);
  expect(await touched()).toBeGreaterThan(before);
});
