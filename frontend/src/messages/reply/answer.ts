import type { Message } from '@lightbox/contract/messages/calls.js';
import { quoteOf } from '@lightbox/contract/messages/quoteOf.js';
import { keepAnswered } from '../outbox';

/** Makes the next message of a chat an answer to this one, and goes to the message field. */
export function answer(userId: string, { attachments, ...message }: Message) {
  keepAnswered(userId, quoteOf({ ...message, images: attachments?.length }));
  document.querySelector<HTMLElement>('[data-composer]')?.focus();
}
