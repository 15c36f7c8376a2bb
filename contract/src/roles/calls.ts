import { z } from 'zod';
import { call } from '../call.js';

const Names = z.array(z.object({ name: z.string() }));

export const roleCalls = {
  listRoles: call({
    method: 'get',
    path: '/roles',
    who: 'role.read',
    action: 'role.list',
    summary: 'Role names',
    data: Names,
  }),
  listPermissions: call({
    method: 'get',
    path: '/roles/permissions',
    who: 'role.read',
    action: 'role.list',
    summary: 'Permission names, from the policy that the server enforces',
    data: Names,
  }),
};
