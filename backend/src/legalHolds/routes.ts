import { legalHoldCalls } from '@lightbox/contract/legalHolds/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { getLegalHold, setLegalHold } from './legalHolds.js';

export function legalHoldRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, legalHoldCalls, { getLegalHold, setLegalHold });
}
