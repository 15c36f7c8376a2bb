import type { Permission, Role } from '../permissions.js';

/** Who has to sign in with an authenticator app: nobody, or providers and administrators. */
export const totpRequirements = ['none', 'staff'] as const;
export type TotpRequirement = (typeof totpRequirements)[number];

export const mustUseTotp = (requirement: TotpRequirement, role: Role): boolean =>
  requirement === 'staff' && role !== 'patient';

/** All that is open to somebody whose role needs an authenticator app, until it is set up. */
const open: readonly Permission[] = ['session.end', 'session.manage', 'totp.manage', 'profile.read', 'setting.read'];
export const openWithoutTotp = (permission: Permission): boolean => open.includes(permission);
