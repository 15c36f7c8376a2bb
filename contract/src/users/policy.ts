import type { Role } from '../permissions.js';
import type { ProfileField, UserStatus } from './schemas.js';

export interface UserViewer {
  id: string;
  role: Role;
}
export interface UserFacts {
  id: string;
  role: Role;
  status: UserStatus;
  active: boolean;
}

/** Roles a viewer finds in the directory, as long as the account is active. Admins find everybody. */
export const directory: Record<Exclude<Role, 'admin'>, readonly Role[]> = {
  patient: ['healthProvider', 'admin'],
  healthProvider: ['patient', 'healthProvider', 'admin'],
};

const listed = (viewer: UserViewer, user: UserFacts): boolean =>
  viewer.role === 'admin' || (user.status === 'active' && user.active && directory[viewer.role].includes(user.role));

export const userRules = {
  see: (viewer: UserViewer, user: UserFacts): boolean => viewer.id === user.id || listed(viewer, user),
  /** The two must be able to see each other, and nobody writes to themselves. */
  message: (a: UserFacts, b: UserFacts): boolean =>
    a.id !== b.id && usable(a) && usable(b) && listed(a, b) && listed(b, a),
};

/** Approved and switched on: without it nobody signs in, and no session goes on. */
export const usable = (user: Pick<UserFacts, 'status' | 'active'>) => user.status === 'active' && user.active;

/** Health fields that a provider sees of a patient, and a patient's peers do not. */
export const clinicalFields = ['dob', 'bloodgroup', 'primphysician'] as const satisfies readonly ProfileField[];

/** How much of an account a viewer sees: everything, the directory entry, or that and the clinical fields. */
export const userView = (viewer: UserViewer, user: UserFacts): 'full' | 'clinical' | 'basic' => {
  if (viewer.role === 'admin' || viewer.id === user.id) return 'full';
  return viewer.role === 'healthProvider' && user.role === 'patient' ? 'clinical' : 'basic';
};
