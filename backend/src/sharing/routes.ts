import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { createShare, listShares, resendShare, revokeShare } from './shares.js';
import { verifyShare } from './verifyShare.js';

export function shareRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, shareCalls, {
    createShare,
    verifyShare,
    resendShare,
    revokeShare,
    listShares,
  });
}
