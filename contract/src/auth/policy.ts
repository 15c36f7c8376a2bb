import type { Permission, Role } from '../permissions.js';

/** The people who must sign in with an authenticator app or a passkey: nobody, or providers and administrators. */
export const secondFactorRequirements = ['none', 'staff'] as const;
export type SecondFactorRequirement = (typeof secondFactorRequirements)[number];

export const mustUseSecondFactor = (requirement: SecondFactorRequirement, role: Role): boolean =>
  requirement === 'staff' && role !== 'patient';

/** Permissions of a person whose role needs an authenticator app or a passkey, until the account has one. */
const open: readonly Permission[] = ['session.end', 'session.manage', 'totp.manage', 'profile.read', 'setting.read'];
export const openWithoutSecondFactor = (permission: Permission): boolean => open.includes(permission);
