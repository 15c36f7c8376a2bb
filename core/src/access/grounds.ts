import type { ImageViewer } from '@lightbox/contract/images/policy.js';
import type { ClientSession } from 'mongoose';
import type { Core } from '../core.js';
import type { ObjectId } from '../db/ids.js';
import type { CarerDoc } from '../models/carer.js';
import type { EmergencyDoc } from '../models/emergency.js';
import type { ImageDoc } from '../models/image.js';
import type { Models } from '../models/models.js';
import type { StudyDoc } from '../models/study.js';
import { type Care, carersOf, caresOf } from './carers.js';
import { type Covered, emergenciesOf, watching } from './emergencies.js';

/** The facts on which access can rest beside the viewer's own shares. */
export interface Grounds {
  /** All of the viewer's emergency accesses that last. */
  emergencies: readonly EmergencyDoc[];
  /** The patients whom the viewer helps, with their shares of the images in question. */
  cares: readonly Care[];
}

/** The record on which the right to open an image or a study rests, when it is not the viewer's own share. */
export interface OpenedBy {
  emergency: EmergencyDoc | null;
  carer: CarerDoc | null;
}

export const noGrounds: Grounds = { emergencies: [], cares: [] };

/** `among`: the shares of the images, or of the study, in question, as a filter. */
export async function groundsOf(models: Models, viewer: ImageViewer, among: object, now: Date): Promise<Grounds> {
  const [emergencies, cares] = await Promise.all([
    emergenciesOf(models, viewer, now),
    caresOf(models, viewer, among, now),
  ]);
  return { emergencies, cares };
}

/**
 * Returns the people who see the image or the study, for live updates: its owner and its audience, and, while it is not
 * held, those who see it without a share of their own.
 */
export async function seenBy(
  core: Pick<Core, 'models' | 'clock'>,
  covered: Covered & Pick<ImageDoc | StudyDoc, 'held'>,
  audience: readonly ObjectId[],
  session: ClientSession,
): Promise<ObjectId[]> {
  const people = [covered.owner, ...audience];
  if (covered.held) return people;
  return [...people, ...(await watching(core, covered, session)), ...(await carersOf(core.models, audience, session))];
}
