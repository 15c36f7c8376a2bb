import type { Role } from '../permissions.js';

/** Whose deeds may be picked out by id: administrators read everybody's. Others search the names that they see. */
export const mayPickPerson = (role: Role): boolean => role === 'admin';
