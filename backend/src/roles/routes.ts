import { permissions, roles } from '@lightbox/contract/permissions.js';
import { roleCalls } from '@lightbox/contract/roles/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';

const named = (names: readonly string[]) => names.map((name) => ({ name }));

export function roleRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, roleCalls, {
    listRoles: async () => ({ data: named(roles) }),
    listPermissions: async () => ({ data: named(Object.keys(permissions)) }),
  });
}
