import { userCalls } from '@lightbox/contract/users/calls.js';
import type { Router } from 'express';
import { resetUserTotp } from '../auth/totp.js';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { changeRole } from './changeRole.js';
import {
  approveProvider,
  deleteProfile,
  deleteUser,
  rejectProvider,
  toggleUserStatus,
  updateProfile,
} from './changeUsers.js';
import { exportUsers } from './exportUsers.js';
import { getProfile, getStats, getUser, listUsers } from './listUsers.js';

export function userRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, userCalls.listUsers, listUsers);
  bind(router, gateway, userCalls.exportUsers, exportUsers);
  bind(router, gateway, userCalls.getProfile, getProfile);
  bind(router, gateway, userCalls.updateProfile, updateProfile);
  bind(router, gateway, userCalls.deleteProfile, deleteProfile);
  bind(router, gateway, userCalls.toggleUserStatus, toggleUserStatus);
  bind(router, gateway, userCalls.changeRole, changeRole);
  bind(router, gateway, userCalls.resetUserTotp, resetUserTotp);
  bind(router, gateway, userCalls.approveProvider, approveProvider);
  bind(router, gateway, userCalls.rejectProvider, rejectProvider);
  bind(router, gateway, userCalls.getUser, getUser);
  bind(router, gateway, userCalls.deleteUser, deleteUser);
  bind(router, gateway, userCalls.getStats, getStats);
}
