import type { Role } from '../permissions.js';
import type { ProfileField, UserStatus } from './schemas.js';
import { isUsable } from './states.js';

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

/** The roles that a viewer finds in the directory, while the account is active. Admins find everybody. */
export const directory: Record<Exclude<Role, 'admin'>, readonly Role[]> = {
  patient: ['healthProvider', 'admin'],
  healthProvider: ['patient', 'healthProvider', 'admin'],
};

/**
 * `tied`: a provider and a patient have a care relationship (`core/access/ties`). It matters only while
 * `directory.patients` is `known`; with `all`, everybody counts as tied.
 */
const listed = (viewer: UserViewer, user: UserFacts, tied: boolean): boolean =>
  viewer.role === 'admin' ||
  (isUsable(user) && directory[viewer.role].includes(user.role) && (tied || !needsTie(viewer, user)));

/** True when the viewer needs a care relationship with the user: a provider with a patient. */
export const needsTie = (viewer: Pick<UserViewer, 'role'>, user: Pick<UserViewer, 'role'>): boolean =>
  viewer.role === 'healthProvider' && user.role === 'patient';

export const userRules = {
  /** `helped`: one of the two is a carer of the other, who is in no list. */
  see: (viewer: UserViewer, user: UserFacts, tied: boolean, helped: boolean): boolean =>
    viewer.id === user.id || listed(viewer, user, tied) || (helped && isUsable(user)),
  /** Both must see each other in the directory, and nobody may write to themselves. */
  message: (a: UserFacts, b: UserFacts, tied: boolean): boolean =>
    a.id !== b.id && isUsable(a) && isUsable(b) && listed(a, b, tied) && listed(b, a, tied),
};

/** The sort keys of the list. `name` is lastname, firstname; the other keys sort equal values by name. */
export const userSorts = ['name', 'email', 'role', 'status', 'active', 'createAt'] as const;
export type UserSort = (typeof userSorts)[number];

/**
 * True when the viewer may sort by this field. An order reveals its field, so it must be one that the directory shows
 * to the viewer.
 */
export const maySortBy = (role: Role, key: UserSort): boolean =>
  role === 'admin' || key === 'name' || key === 'email' || key === 'role';

/**
 * Health fields of a patient that a provider with a care relationship sees, whatever the directory shows. Peers do not
 * see them.
 */
export const clinicalFields = ['dob', 'bloodgroup', 'primphysician'] as const satisfies readonly ProfileField[];

/**
 * Returns how much of an account a viewer sees: everything, the directory entry, or the entry and the clinical fields.
 */
export const userView = (viewer: UserViewer, user: UserFacts, tied: boolean): 'full' | 'clinical' | 'basic' => {
  if (viewer.role === 'admin' || viewer.id === user.id) return 'full';
  return needsTie(viewer, user) && tied ? 'clinical' : 'basic';
};
