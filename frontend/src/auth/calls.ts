import type { authCalls as declared } from '@lightbox/contract/auth/calls.js';
import { authRoutes } from '@lightbox/contract/auth/routes.js';
import type { Routes } from '@lightbox/contract/call.js';

/** The calls around signing in, typed as they are declared; their schemas, and zod with them, stay away. */
export const authCalls: Routes<typeof declared> = authRoutes;
