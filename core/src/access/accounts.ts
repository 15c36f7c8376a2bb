/** `isUsable` as a filter. */
export const usableAccount = { status: 'active', active: true, deletedAt: { $exists: false } } as const;

/** Administrators who can sign in. */
export const usableAdmin = { ...usableAccount, role: 'admin' } as const;
