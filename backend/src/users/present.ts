import { languageCodes } from '@lightbox/contract/languages.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { clinicalFields, userView } from '@lightbox/contract/users/policy.js';
import {
  type ProfileField,
  profileFields,
  type User,
  type UserRef,
  type UserRow,
} from '@lightbox/contract/users/schemas.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { userFacts } from '@lightbox/core/access/users.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';

interface UserViewer {
  id: string;
  role: Role;
}

/** Returns the fields of the account that this viewer may see. The others are absent. */
function fields(viewer: UserViewer, user: Person, tied: boolean) {
  const basic = {
    id: String(user._id),
    email: user.email,
    username: user.username,
    firstname: user.firstname ?? '',
    lastname: user.lastname ?? '',
    ...(user.photo ? { photo: String(user.photo) } : {}),
    active: user.active,
    ...pick(user, ['gender']),
  };
  const view = userView(viewer, userFacts(user), tied);
  if (view === 'basic') return basic;
  if (view === 'clinical') return { ...basic, ...pick(user, clinicalFields) };
  return {
    ...basic,
    ...pick(user, Object.keys(profileFields) as ProfileField[]),
    status: user.status,
    createAt: user.createAt.toISOString(),
    language: user.language ?? languageCodes[0],
    ...(viewer.id === String(user._id) ? { readReceipts: user.readReceipts !== false } : {}),
    ...(user.totpAt ? { totp: true } : {}),
    ...(user.passkeyAt ? { passkeys: true } : {}),
  };
}

function pick(user: Person, names: readonly ProfileField[]): Partial<Record<ProfileField, string>> {
  return Object.fromEntries(names.filter((name) => user[name]).map((name) => [name, user[name]]));
}

/** `tied` is true when the viewer has a care relationship with this patient (`tiedPatients`). */
export const presentUser = (viewer: UserViewer, user: Person, tied = false): User => ({
  ...fields(viewer, user, tied),
  role: { name: user.role },
});

export const presentUserRow = (viewer: UserViewer, user: Person, tied: boolean): UserRow => ({
  ...fields(viewer, user, tied),
  role: user.role,
});

export const presentOneself = (user: Person): User => presentUser({ id: String(user._id), role: user.role }, user);

/** Presents an account whose code was not entered yet: name, role and status, nothing about health. */
export const presentUnconfirmed = (user: UserDoc): User => ({
  id: String(user._id),
  email: user.email,
  username: user.username,
  firstname: user.firstname ?? '',
  lastname: user.lastname ?? '',
  active: user.active,
  status: user.status,
  role: { name: user.role },
});

/** The fields of an account that `presentRef` takes, as a projection. */
export const refFields = { firstname: 1, lastname: 1, deletedAt: 1, photo: 1, active: 1, status: 1 } as const;

export function presentRef(user: Pick<UserDoc, '_id' | keyof typeof refFields> | undefined, id: string): UserRef {
  if (!user || user.deletedAt) return { id, firstname: 'Deleted', lastname: 'user' };
  const { firstname = '', lastname = '', photo } = user;
  // Only administrators see an account that is not usable.
  return { id, firstname, lastname, ...(photo && isUsable(user) ? { photo: String(photo) } : {}) };
}
