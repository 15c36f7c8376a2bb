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
  undoApproval,
  updateProfile,
} from './changeUsers.js';
import { listDisclosures } from './disclosures.js';
import { exportUsers } from './exportUsers.js';
import { getProfile, getStats, getUser, listUsers } from './listUsers.js';
import { exportProfile } from './ownData/exportProfile.js';
import { getPhoto, removePhoto, setPhoto } from './photos.js';

export function userRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, userCalls, {
    listUsers,
    exportUsers,
    getProfile,
    updateProfile,
    exportProfile,
    listDisclosures,
    setPhoto,
    removePhoto,
    getPhoto,
    deleteProfile,
    toggleUserStatus,
    changeRole,
    resetUserTotp,
    approveProvider,
    undoApproval,
    rejectProvider,
    getUser,
    deleteUser,
    getStats,
  });
}
