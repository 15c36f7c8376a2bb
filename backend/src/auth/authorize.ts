import { mustUseSecondFactor, openWithoutSecondFactor } from '@lightbox/contract/auth/policy.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { AppError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Gateway, Viewer } from '../context.js';

/** Whether a role has to have an authenticator app or a passkey now. */
export const needsSecondFactor = async (gateway: Gateway, role: Viewer['role']): Promise<boolean> =>
  mustUseSecondFactor(await gateway.settings.get('security.requireSecondFactor'), role);

/** Whether the account has more than its password and its mail: an authenticator app, or a passkey. */
export const hasSecondFactor = (user: Pick<UserDoc, 'totpAt' | 'passkeyAt'> | null): boolean =>
  Boolean(user?.totpAt || user?.passkeyAt);

/** Throws unless the role may do this, and the person has the second factor that the role may have to have. Calls and events come through here. */
export async function authorize(gateway: Gateway, viewer: Viewer, permission: Permission): Promise<void> {
  if (!roleMay(viewer.role, permission)) throw new AppError('FORBIDDEN');
  if (viewer.secondFactor || openWithoutSecondFactor(permission)) return;
  if (!(await needsSecondFactor(gateway, viewer.role))) return;
  // A socket knows the person as they were when it was opened.
  if (!hasSecondFactor(await gateway.readUser(viewer._id))) throw new AppError('TOTP_REQUIRED');
}
