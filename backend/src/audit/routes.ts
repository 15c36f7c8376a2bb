import { auditCalls } from '@lightbox/contract/audit/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { checkAudit, listAudit } from './audit.js';
import { exportAudit } from './exportAudit.js';

export function auditRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, auditCalls, {
    listAudit,
    exportAudit,
    verifyAudit: checkAudit,
  });
}
