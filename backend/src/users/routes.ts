import { userCalls } from '@lightbox/contract/users/calls.js';
import type { Router } from 'express';
import { resetUserTotp } from '../auth/totp.js';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
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
  bindAll(router, gateway, userCalls, {
    listUsers,
    exportUsers,
    getProfile,
    updateProfile,
    deleteProfile,
    toggleUserStatus,
    changeRole,
    resetUserTotp,
    approveProvider,
    rejectProvider,
    getUser,
    deleteUser,
    getStats,
  });
}
