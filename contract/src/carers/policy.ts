import { type Role, roleMay } from '../permissions.js';
import type { CarerState } from './states.js';

interface Viewer {
  id: string;
  role: Role;
}

/** The two people, and the state between them. `carerId` is null when the named address has no account of a patient. */
export interface CarerFacts {
  patientId: string;
  carerId: string | null;
  state: CarerState;
}

const isParty = (viewer: Viewer, { patientId, carerId }: CarerFacts): boolean =>
  roleMay(viewer.role, 'carer.use') && (viewer.id === patientId || viewer.id === carerId);

/** The rules of the record of a carer. The access to images is decided by the rules of images. */
export const carerRules = {
  see: isParty,
  accept: (viewer: Viewer, facts: CarerFacts): boolean =>
    isParty(viewer, facts) && viewer.id === facts.carerId && facts.state === 'waiting',
  /** Either side ends it; the carer declines in the same way. */
  end: (viewer: Viewer, facts: CarerFacts): boolean => isParty(viewer, facts) && facts.state !== 'ended',
  /** The carer sees the name of the patient, and the images that the policy of images allows. */
  help: (viewer: Viewer, facts: CarerFacts): boolean =>
    isParty(viewer, facts) && viewer.id === facts.carerId && facts.state === 'accepted',
};
export type CarerRule = keyof typeof carerRules;
