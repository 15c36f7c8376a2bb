import type { EmergencyParties } from '@lightbox/contract/emergencies/policy.js';
import type { ImageFacts, ImageViewer } from '@lightbox/contract/images/policy.js';
import type { ClientSession } from 'mongoose';
import type { Core } from '../core.js';
import { type ObjectId, oid } from '../db/ids.js';
import { NEWEST } from '../db/newest.js';
import type { EmergencyDoc } from '../models/emergency.js';
import type { Models } from '../models/models.js';
import { notHeld } from './requests.js';

/** `isLiveEmergency` as a filter. */
export const liveEmergency = (now: Date) => ({ live: true, until: { $gt: now } });
/** Accesses whose hour is over and that maintenance has not ended yet. */
export const overdueEmergency = (now: Date) => ({ live: true, until: { $lte: now } });

export const partiesOf = ({ provider, patient }: Pick<EmergencyDoc, 'provider' | 'patient'>): EmergencyParties => ({
  providerId: String(provider),
  patientId: String(patient),
});

/** The people of an image or a study: an emergency access covers it when it is to one of them. */
export interface Covered {
  owner: ObjectId;
  patient?: ObjectId | undefined;
}

/** The images and studies that an emergency access to a patient covers, as a filter. */
export const coveredBy = (patient: ObjectId) => ({ ...notHeld, $or: [{ patient }, { owner: patient }] });

/** Returns a provider's own emergency accesses that last; none for everybody else. */
export const emergenciesOf = async (models: Models, { id, role }: ImageViewer, now: Date): Promise<EmergencyDoc[]> =>
  role === 'healthProvider'
    ? models.Emergency.find({ provider: oid(id), ...liveEmergency(now) })
        .readConcern(NEWEST)
        .lean<EmergencyDoc[]>()
    : [];

/** Returns the access that covers the image or the study; null when none does. */
export const emergencyFor = (
  emergencies: readonly EmergencyDoc[],
  { owner, patient: named }: Covered,
): EmergencyDoc | null =>
  emergencies.find(({ patient }) => patient.equals(owner) || (named !== undefined && patient.equals(named))) ?? null;

/** Returns the providers who see the image or the study by an emergency access, for live updates. */
export const watching = (
  { models, clock }: Pick<Core, 'models' | 'clock'>,
  { owner, patient }: Covered,
  session: ClientSession,
): Promise<ObjectId[]> =>
  models.Emergency.distinct('provider', {
    patient: { $in: [owner, ...(patient ? [patient] : [])] },
    ...liveEmergency(clock.now()),
  }).session(session);

/** The fact about a viewer's emergency accesses, for the policy of an image or a study. */
export const emergencyFact = (emergencies: readonly EmergencyDoc[], covered: Covered): Pick<ImageFacts, 'emergency'> =>
  emergencyFor(emergencies, covered) ? { emergency: true } : {};
