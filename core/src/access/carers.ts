import type { ImageViewer } from '@lightbox/contract/images/policy.js';
import type { ClientSession } from 'mongoose';
import { type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { CarerDoc } from '../models/carer.js';
import type { Models } from '../models/models.js';
import type { ShareDoc } from '../models/share.js';
import { openedOriginal } from './shares.js';

/** Carers that were accepted and have not ended, as a filter. */
const lasting = { live: true, state: 'accepted' as const };

/** Carers that nobody answered in time, as a filter. */
export const overdueCarer = (now: Date) => ({ state: 'waiting' as const, expiresAt: { $lte: now } });

/** A patient whom the viewer helps, with the patient's own verified shares of the images in question. */
export interface Care {
  carer: CarerDoc;
  shares: ShareDoc[];
}

/**
 * Returns the patients whom the viewer helps, with their live shares that match the filter and whose code was entered;
 * none for other roles. `among` selects the shares of some images, or of one study.
 */
export const caresOf = async (models: Models, viewer: ImageViewer, among: object, now: Date): Promise<Care[]> =>
  caresAmong(models, await patientsOf(models, viewer), among, now);

/** Returns the records by which the viewer is a carer; none for other roles. */
export const patientsOf = async (models: Models, { id, role }: ImageViewer): Promise<CarerDoc[]> =>
  role === 'patient'
    ? models.Carer.find({ carer: oid(id), ...lasting })
        .readConcern(NEWEST)
        .lean<CarerDoc[]>()
    : [];

/** Adds the shares of the patients. */
export async function caresAmong(
  models: Models,
  carers: readonly CarerDoc[],
  among: object,
  now: Date,
): Promise<Care[]> {
  if (carers.length === 0) return [];
  const patients = { $in: carers.map(({ patient }) => patient) };
  const shares = await models.Share.find({
    ...among,
    recipient: patients,
    ...openedOriginal(now),
  })
    .readConcern(NEWEST)
    .lean<ShareDoc[]>();
  return carers.map((carer) => ({
    carer,
    shares: shares.filter(({ recipient }) => recipient.equals(carer.patient)),
  }));
}

/** Returns the first of the patients with a share that matches; null when none has one. */
export const careFor = (cares: readonly Care[], matches: (share: ShareDoc) => boolean): CarerDoc | null =>
  cares.find(({ shares }) => shares.some(matches))?.carer ?? null;

/** Returns the carers of these people, for live updates. */
export const carersOf = (models: Models, people: readonly ObjectId[], session: ClientSession): Promise<ObjectId[]> =>
  models.Carer.distinct('carer', { patient: { $in: people }, ...lasting }).session(session);

/** True when the viewer is a carer of the patient. */
export const helps = async (models: Models, viewer: ObjectId, patient: ObjectId): Promise<boolean> =>
  (await models.Carer.exists({ carer: viewer, patient, ...lasting }).readConcern(NEWEST)) !== null;

/** Returns the people who are carers of the person, and those whom the person helps. */
export async function inCareWith(models: Models, person: ObjectId): Promise<ObjectId[]> {
  const records = await models.Carer.find({ $or: [{ carer: person }, { patient: person }], ...lasting })
    .readConcern(NEWEST)
    .lean<CarerDoc[]>();
  return records.flatMap(({ carer, patient }) => (carer?.equals(person) ? [patient] : (carer ?? [])));
}

/** True when one of the two is a carer of the other. */
export const careForEachOther = async (models: Models, a: ObjectId, b: ObjectId): Promise<boolean> =>
  (await helps(models, a, b)) || (await helps(models, b, a));
