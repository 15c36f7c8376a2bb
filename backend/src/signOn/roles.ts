import type { Role } from '@lightbox/contract/permissions.js';
import type { SignOnProvider } from '@lightbox/core/config/singleSignOn.js';

/** The order of the roles: of several groups the one with the most rights counts. */
const strongest = ['admin', 'healthProvider', 'patient'] as const satisfies readonly Role[];

/**
 * Returns the role that a provider gives a person: by its claim, else its default role. Null when neither names one.
 * Only a provider that may make administrators ever gives that role, whatever its claim says.
 */
export function mappedRole(provider: SignOnProvider, claims: Readonly<Record<string, unknown>>): Role | null {
  const { roleClaim, roles, defaultRole, allowAdmin } = provider;
  const given = roleClaim === undefined ? [] : [claims[roleClaim]].flat().filter((value) => typeof value === 'string');
  const mapped = given.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value]] : []));
  return strongest.find((role) => mapped.includes(role) && (role !== 'admin' || allowAdmin)) ?? defaultRole ?? null;
}
