import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { changeShare } from './changeShare.js';
import { cancelInvitation, listInvitations, resendInvitation } from './invitations.js';
import { shareBatch } from './shareBatch.js';
import { createShare, listShares, resendShare, revokeShare } from './shares.js';
import { verifyShare } from './verifyShare.js';

export function shareRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, shareCalls, {
    createShare,
    shareBatch,
    verifyShare,
    resendShare,
    changeShare,
    revokeShare,
    listShares,
    listInvitations,
    resendInvitation,
    cancelInvitation,
  });
}
