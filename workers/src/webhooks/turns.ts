import type { WebhookDoc } from '@lightbox/core/models/webhook.js';

/** Tries of one webhook at the same time in this process: a slow address must not take the places of the others. */
const MOST = 3;
const MOST_WHILE_FAILING = 1;

const underWay = new Map<string, number>();

/** Takes a place among the tries of a webhook; false when all are taken. */
export function takeTurn({ _id, failingSince }: Pick<WebhookDoc, '_id' | 'failingSince'>): boolean {
  const key = String(_id);
  const count = underWay.get(key) ?? 0;
  if (count >= (failingSince ? MOST_WHILE_FAILING : MOST)) return false;
  underWay.set(key, count + 1);
  return true;
}

/** Gives the place back. */
export function leaveTurn({ _id }: Pick<WebhookDoc, '_id'>): void {
  const key = String(_id);
  const left = (underWay.get(key) ?? 1) - 1;
  if (left > 0) underWay.set(key, left);
  else underWay.delete(key);
}
