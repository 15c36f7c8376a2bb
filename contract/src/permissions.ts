/** The three roles; the menu, the guards and `GET /roles` read them here. */
export const roles = ['patient', 'healthProvider', 'admin'] as const;
export type Role = (typeof roles)[number];

const everyone = roles;
const staff = ['healthProvider', 'admin'] as const;
const providers = ['healthProvider'] as const;
const patients = ['patient'] as const;
const admins = ['admin'] as const;

/**
 * The roles that may make a call at all. Each call names its permission. The server refuses other roles with 403 before
 * it reads a body, and `GET /roles/permissions` lists this table. The feature's `policy.ts` decides about single
 * records.
 */
export const permissions = {
  'session.end': everyone,
  'session.manage': everyone,
  'totp.manage': everyone,
  'token.manage': everyone,
  'password.change': everyone,
  'profile.read': everyone,
  'profile.write': everyone,
  /** All data of one’s own at once. Not `profile.read`, which is open to people who lack a second factor. */
  'ownData.read': everyone,
  'user.list': everyone,
  'user.read': everyone,
  'user.manage': admins,
  'user.approve': admins,
  'user.hold': admins,
  'stats.read': staff,
  'image.upload': staff,
  'image.listAll': admins,
  'image.listOwn': staff,
  'image.listShared': everyone,
  'image.read': everyone,
  'image.timeline': everyone,
  'image.delete': staff,
  'share.create': staff,
  'share.manage': staff,
  'share.verify': everyone,
  'share.resend': everyone,
  'emergency.open': providers,
  'emergency.read': everyone,
  'emergency.end': staff,
  'emergency.review': admins,
  'carer.use': patients,
  'analysis.run': staff,
  'analysis.read': everyone,
  'analysis.sign': providers,
  'analysis.withdraw': staff,
  'consent.manage': patients,
  'message.use': everyone,
  'notification.use': everyone,
  'push.use': everyone,
  'webhook.manage': everyone,
  /** Webhooks that get the events of the whole installation. */
  'webhook.manageAll': admins,
  /** The devices that may send files by DICOM. */
  'dicomNode.manage': admins,
  'audit.read': staff,
  'audit.verify': admins,
  'access.explain': admins,
  'role.read': admins,
  'setting.read': everyone,
  'setting.manage': admins,
  'overview.read': admins,
  'job.retry': admins,
  'job.read': admins,
  'selfCheck.run': admins,
  /** Tokens with which a provider of single sign-on manages its accounts. */
  'scim.manage': admins,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

export const roleMay = (role: Role, permission: Permission): boolean =>
  (permissions[permission] as readonly Role[]).includes(role);
