import type { Role } from '../permissions.js';
import type { SettingValues } from '../settings/known.js';

/** The settings that decide who may sign in without a provider. */
export type LocalSignIn = Pick<SettingValues, 'signIn.local' | 'signIn.breakGlass'>;

/** Returns the addresses of the break-glass administrators, as the setting has them. */
export const breakGlassAddresses = (settings: LocalSignIn): string[] =>
  settings['signIn.breakGlass']
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean);

interface Account {
  role: Role;
  email: string;
}

/** The rules of signing in with a password or a passkey of this product. */
export const localSignInRules = {
  /** An administrator who may always sign in without a provider. The other administrators are told each time. */
  isBreakGlass: (settings: LocalSignIn, { role, email }: Account): boolean =>
    role === 'admin' && breakGlassAddresses(settings).includes(email),
  signInHere: (settings: LocalSignIn, account: Account): boolean =>
    settings['signIn.local'] === 'all' ||
    (settings['signIn.local'] === 'patients' && account.role === 'patient') ||
    localSignInRules.isBreakGlass(settings, account),
  /** While it is true, a break-glass administrator who can sign in must stay: nobody else could when no provider answers. */
  needsBreakGlass: (settings: LocalSignIn): boolean => settings['signIn.local'] !== 'all',
};
