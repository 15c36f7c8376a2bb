import { knownSettings } from '@lightbox/contract/settings/known.js';
import { breakGlassAddresses, type LocalSignIn, localSignInRules } from '@lightbox/contract/signOn/policy.js';
import { holdUser } from '@lightbox/core/access/hold.js';
import type { Core } from '@lightbox/core/core.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { ClientSession } from 'mongoose';
import type { Gateway } from '../context.js';

/** True for an administrator who may always sign in without a provider. Each such sign-in is told to the others. */
export const isBreakGlass = async ({ settings }: Gateway, user: UserDoc): Promise<boolean> =>
  localSignInRules.isBreakGlass(await settings.all(), user);

/** True when an account may sign in with a password or a passkey of this product. */
export const maySignInHere = async ({ settings }: Gateway, user: UserDoc): Promise<boolean> =>
  localSignInRules.signInHere(await settings.all(), user);

/** Reads the settings of the sign-in as a transaction sees them. */
export async function localSignIn({ models }: Core, tx: ClientSession): Promise<LocalSignIn> {
  const rows = await models.Setting.find({ name: /^signIn\./ })
    .session(tx)
    .lean();
  const stored = (name: string) => rows.find((row) => row.name === name)?.value;
  const [local, breakGlass] = [knownSettings['signIn.local'], knownSettings['signIn.breakGlass']];
  return {
    'signIn.local': local.value.safeParse(stored('signIn.local')).data ?? local.fallback,
    'signIn.breakGlass': breakGlass.value.safeParse(stored('signIn.breakGlass')).data ?? breakGlass.fallback,
  };
}

/**
 * Returns false when the own sign-in is off and no break-glass administrator who can sign in would be left; `leaving` is
 * the account whose access ends. Part of every transaction that ends an administrator or changes the settings of the
 * sign-in. It writes the account that stays, so that two such transactions at once conflict.
 */
export async function leavesAWayIn(core: Core, tx: ClientSession, leaving?: UserDoc): Promise<boolean> {
  const settings = await localSignIn(core, tx);
  if (!localSignInRules.needsBreakGlass(settings)) return true;
  if (leaving && !localSignInRules.isBreakGlass(settings, leaving)) return true;
  const email = { $in: breakGlassAddresses(settings), ...(leaving ? { $ne: leaving.email } : {}) };
  return (await holdUser(core.models, { role: 'admin', email }, tx)) !== null;
}
