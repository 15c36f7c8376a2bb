import { pushCalls } from '@lightbox/contract/push/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { getPushKey, subscribePush, unsubscribePush } from './subscriptions.js';

export function pushRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, pushCalls.getPushKey, getPushKey);
  bind(router, gateway, pushCalls.subscribePush, subscribePush);
  bind(router, gateway, pushCalls.unsubscribePush, unsubscribePush);
}
