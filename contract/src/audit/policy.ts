import type { Role } from '../permissions.js';

/** Whose deeds may be picked out by id: administrators read everybody's. Others search the names that they see. */
export const mayPickPerson = (role: Role): boolean => role === 'admin';

/** Who reads the network addresses of entries: administrators, for a provider's log names patients who opened an image. */
export const mayReadAddresses = (role: Role): boolean => role === 'admin';
