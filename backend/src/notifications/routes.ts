import { notificationCalls } from '@lightbox/contract/notifications/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { listNotifications, readAllNotifications, readNotification } from './notifications.js';

export function notificationRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, notificationCalls.listNotifications, listNotifications);
  bind(router, gateway, notificationCalls.readAllNotifications, readAllNotifications);
  bind(router, gateway, notificationCalls.readNotification, readNotification);
}
