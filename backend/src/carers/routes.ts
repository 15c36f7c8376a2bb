import { carerCalls } from '@lightbox/contract/carers/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { acceptCarer, endCarer, listCarerImages, listCarers, nameCarer } from './carers.js';

export function carerRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, carerCalls, { listCarers, nameCarer, acceptCarer, endCarer, listCarerImages });
}
