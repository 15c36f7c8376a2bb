import { mustUseTotp, openWithoutTotp } from '@lightbox/contract/auth/policy.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Gateway, Viewer } from '../context.js';

/** Whether a role has to have an authenticator app now. */
export const needsTotp = async (gateway: Gateway, role: Viewer['role']): Promise<boolean> =>
  mustUseTotp(await gateway.settings.get('security.requireTotp'), role);

/** Throws unless the role may do this, and has the authenticator app that the role may have to have. Calls and events come through here. */
export async function authorize(gateway: Gateway, viewer: Viewer, permission: Permission): Promise<void> {
  if (!roleMay(viewer.role, permission)) throw new AppError('FORBIDDEN');
  if (viewer.totp || openWithoutTotp(permission)) return;
  if (!(await needsTotp(gateway, viewer.role))) return;
  // A socket knows the person as they were when it was opened.
  if (!(await gateway.readUser(viewer._id))?.totpAt) throw new AppError('TOTP_REQUIRED');
}
