import { pushCalls } from '@lightbox/contract/push/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { getPushKey, subscribePush, unsubscribePush } from './subscriptions.js';

export function pushRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, pushCalls, {
    getPushKey,
    subscribePush,
    unsubscribePush,
  });
}
