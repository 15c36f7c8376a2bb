import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Gateway } from '../context.js';

/** The addresses of the break-glass administrators, as the setting has them. */
export const namedIn = (setting: string): string[] =>
  setting
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean);

/** True for an administrator who may always sign in without a provider. Each such sign-in is told to the others. */
export const isBreakGlass = async ({ settings }: Gateway, { role, email }: UserDoc): Promise<boolean> =>
  role === 'admin' && namedIn(await settings.get('signIn.breakGlass')).includes(email);

/** True when an account may sign in with a password or a passkey of this product. */
export async function maySignInHere(gateway: Gateway, user: UserDoc): Promise<boolean> {
  const local = await gateway.settings.get('signIn.local');
  return local === 'all' || (local === 'patients' && user.role === 'patient') || isBreakGlass(gateway, user);
}
