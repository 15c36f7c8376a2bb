import type { authCalls as declared } from '@lightbox/contract/auth/calls.js';
import { authRoutes } from '@lightbox/contract/auth/routes.js';
import type { Routes } from '@lightbox/contract/call.js';

/**
 * The calls of the sign-in with the types of their declarations, but without the schemas: the first page needs no zod.
 */
export const authCalls: Routes<typeof declared> = authRoutes;
