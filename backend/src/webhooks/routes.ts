import { webhookCalls } from '@lightbox/contract/webhooks/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { listWebhookDeliveries, replayWebhookDelivery, testWebhook } from './deliveries.js';
import {
  changeWebhook,
  createInstallationWebhook,
  createWebhook,
  deleteWebhook,
  listInstallationWebhooks,
  listWebhooks,
  rotateWebhookSecret,
  switchWebhook,
} from './webhooks.js';

export function webhookRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, webhookCalls, {
    listWebhooks,
    createWebhook,
    listInstallationWebhooks,
    createInstallationWebhook,
    changeWebhook,
    switchWebhook,
    rotateWebhookSecret,
    deleteWebhook,
    testWebhook,
    listWebhookDeliveries,
    replayWebhookDelivery,
  });
}
