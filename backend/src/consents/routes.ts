import { consentCalls } from '@lightbox/contract/consents/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { getConsents, setConsents } from './consents.js';

export function consentRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, consentCalls, { getConsents, setConsents });
}
