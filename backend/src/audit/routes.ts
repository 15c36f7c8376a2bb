import { auditCalls } from '@lightbox/contract/audit/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { checkAudit, listAudit } from './audit.js';
import { exportAudit } from './exportAudit.js';

export function auditRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, auditCalls.listAudit, listAudit);
  bind(router, gateway, auditCalls.exportAudit, exportAudit);
  bind(router, gateway, auditCalls.verifyAudit, checkAudit);
}
