import { mustUseSecondFactor, openWithoutSecondFactor } from '@lightbox/contract/auth/policy.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { AppError } from '@lightbox/core/errors.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Gateway, Viewer } from '../context.js';

/** True when the settings require an authenticator app or a passkey of this role. */
export const needsSecondFactor = async (gateway: Gateway, role: Viewer['role']): Promise<boolean> =>
  mustUseSecondFactor(await gateway.settings.get('security.requireSecondFactor'), role);

/** True when the account has more than its password and its mail: an authenticator app, or a passkey. */
export const hasSecondFactor = (user: Pick<UserDoc, 'totpAt' | 'passkeyAt'> | null): boolean =>
  Boolean(user?.totpAt || user?.passkeyAt);

/**
 * Throws unless the role has the permission and the person has the second factor that the settings require. All calls
 * and socket events are checked here.
 */
export async function authorize(gateway: Gateway, viewer: Viewer, permission: Permission): Promise<void> {
  if (!roleMay(viewer.role, permission)) throw new AppError('FORBIDDEN');
  if (viewer.secondFactor || openWithoutSecondFactor(permission)) return;
  if (!(await needsSecondFactor(gateway, viewer.role))) return;
  // The viewer of a socket was read when it was opened: read the account again.
  if (!hasSecondFactor(await gateway.readUser(viewer._id))) throw new AppError('TOTP_REQUIRED');
}
