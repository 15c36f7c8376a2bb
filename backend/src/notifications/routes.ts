import { notificationCalls } from '@lightbox/contract/notifications/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { getNoticeSettings, setNoticeSettings } from './noticeSettings.js';
import { listNotifications, readAllNotifications, readNotification } from './notifications.js';

export function notificationRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, notificationCalls, {
    listNotifications,
    readAllNotifications,
    readNotification,
    getNoticeSettings,
    setNoticeSettings,
  });
}
