import type { Role } from '../permissions.js';

/**
 * True when the viewer may filter entries by a person's id. Administrators read everybody's entries; others search the
 * names that they see.
 */
export const mayPickPerson = (role: Role): boolean => role === 'admin';

/**
 * True when the viewer may read the network addresses of entries. Only administrators may, because a provider's log
 * names patients who opened an image.
 */
export const mayReadAddresses = (role: Role): boolean => role === 'admin';
