import type { Carer } from '@lightbox/contract/carers/calls.js';
import type { CarerFacts } from '@lightbox/contract/carers/policy.js';
import type { ByCarer } from '@lightbox/contract/carers/schemas.js';
import { openAddress } from '@lightbox/core/carers/sealed.js';
import type { CarerDoc } from '@lightbox/core/models/carer.js';
import type { Gateway, Viewer } from '../context.js';
import { namesOf } from '../users/names.js';

export const carerFacts = ({ patient, carer, state }: CarerDoc): CarerFacts => ({
  patientId: String(patient),
  carerId: carer ? String(carer) : null,
  state,
});

/** Presents the record in an image or a study that the viewer opens as a carer. */
export const presentByCarer = ({ _id, patient }: CarerDoc, name: Awaited<ReturnType<typeof namesOf>>): ByCarer => ({
  id: String(_id),
  patient: name(patient),
});

/** Presents records to one of their two people. The patient learns of the account once its owner has answered. */
export async function presentCarers(
  { models, keys }: Gateway,
  viewer: Pick<Viewer, '_id'>,
  carers: readonly CarerDoc[],
): Promise<Carer[]> {
  const name = await namesOf(
    models,
    carers.flatMap(({ patient, carer }) => [patient, carer]),
  );
  return carers.map(({ _id, patient, carer, address, state, createAt, expiresAt, acceptedAt, endedAt, ending }) => {
    const isPatient = patient.equals(viewer._id);
    const person = isPatient ? acceptedAt && carer : patient;
    return {
      id: String(_id),
      state,
      ...(person ? { person: name(person) } : {}),
      ...(isPatient && address ? { email: openAddress(keys, _id, address) } : {}),
      since: (acceptedAt ?? createAt).toISOString(),
      ...(state === 'waiting' ? { expiresAt: expiresAt.toISOString() } : {}),
      ...(endedAt ? { endedAt: endedAt.toISOString() } : {}),
      ...(ending ? { ending } : {}),
    };
  });
}

export async function presentCarer(gateway: Gateway, viewer: Viewer, carer: CarerDoc): Promise<Carer> {
  const [shown] = await presentCarers(gateway, viewer, [carer]);
  return shown as Carer;
}
