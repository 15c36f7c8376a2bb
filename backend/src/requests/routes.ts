import { requestCalls } from '@lightbox/contract/requests/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { createRequest, declineRequest, getRequest, listRequests, revokeRequest } from './requests.js';
import { clearRequest, findSent, finishRequest, openRequest } from './send.js';
import { takeRequest } from './takeRequest.js';

export function requestRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, requestCalls, {
    createRequest,
    listRequests,
    getRequest,
    takeRequest,
    declineRequest,
    revokeRequest,
    openRequest,
    findSent,
    clearRequest,
    finishRequest,
  });
}
