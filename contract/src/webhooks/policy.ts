import { type Role, roleMay } from '../permissions.js';

/** `ownerId` is null for a webhook of the installation. */
export interface WebhookFacts {
  ownerId: string | null;
}

/** The rule of a webhook and of its deliveries. It decides nothing about the records of an event. */
export const mayManageWebhook = (viewer: { id: string; role: Role }, { ownerId }: WebhookFacts): boolean =>
  ownerId === null ? roleMay(viewer.role, 'webhook.manageAll') : viewer.id === ownerId;
