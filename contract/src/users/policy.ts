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

/** Roles a viewer finds in the directory, as long as the account is active. Admins find everybody. */
export const directory: Record<Exclude<Role, 'admin'>, readonly Role[]> = {
  patient: ['healthProvider', 'admin'],
  healthProvider: ['patient', 'healthProvider', 'admin'],
};

/**
 * `tied`: whether a provider and a patient know each other (`core/access/ties`). It matters while `directory.patients` is
 * `known`; with `all` everybody is as good as tied.
 */
const listed = (viewer: UserViewer, user: UserFacts, tied: boolean): boolean =>
  viewer.role === 'admin' ||
  (isUsable(user) && directory[viewer.role].includes(user.role) && (tied || !needsTie(viewer, user)));

/** Of whom a tie is asked at all: a patient, by a provider. */
export const needsTie = (viewer: Pick<UserViewer, 'role'>, user: Pick<UserViewer, 'role'>): boolean =>
  viewer.role === 'healthProvider' && user.role === 'patient';

export const userRules = {
  see: (viewer: UserViewer, user: UserFacts, tied: boolean): boolean =>
    viewer.id === user.id || listed(viewer, user, tied),
  /** The two must be able to see each other, and nobody writes to themselves. */
  message: (a: UserFacts, b: UserFacts, tied: boolean): boolean =>
    a.id !== b.id && isUsable(a) && isUsable(b) && listed(a, b, tied) && listed(b, a, tied),
};

/** What the list is sorted by: `name` is lastname, firstname; the others go on by name. */
export const userSorts = ['name', 'email', 'role', 'status', 'active', 'createAt'] as const;
export type UserSort = (typeof userSorts)[number];

/** An order tells of the field it follows, so it is only of fields that the viewer sees in the directory. */
export const maySortBy = (role: Role, key: UserSort): boolean =>
  role === 'admin' || key === 'name' || key === 'email' || key === 'role';

/** Health fields that a provider sees of a patient they are tied to, whatever the directory shows, and peers do not. */
export const clinicalFields = ['dob', 'bloodgroup', 'primphysician'] as const satisfies readonly ProfileField[];

/** How much of an account a viewer sees: everything, the directory entry, or that and the clinical fields. */
export const userView = (viewer: UserViewer, user: UserFacts, tied: boolean): 'full' | 'clinical' | 'basic' => {
  if (viewer.role === 'admin' || viewer.id === user.id) return 'full';
  return needsTie(viewer, user) && tied ? 'clinical' : 'basic';
};
