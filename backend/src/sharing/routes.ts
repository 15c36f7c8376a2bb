import { shareCalls } from '@lightbox/contract/sharing/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { createShare, listShares, resendShare, revokeShare } from './shares.js';
import { verifyShare } from './verifyShare.js';

export function shareRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, shareCalls.createShare, createShare);
  bind(router, gateway, shareCalls.verifyShare, verifyShare);
  bind(router, gateway, shareCalls.resendShare, resendShare);
  bind(router, gateway, shareCalls.revokeShare, revokeShare);
  bind(router, gateway, shareCalls.listShares, listShares);
}
