import type { Message } from '@lightbox/contract/messages/calls.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';

export const presentMessage = (message: MessageDoc): Message => ({
  id: String(message._id),
  seq: message.seq,
  senderId: String(message.sender),
  recipientId: String(message.recipient),
  content: message.content,
  createAt: message.createAt.toISOString(),
  ...(message.clientId ? { clientId: message.clientId } : {}),
  ...(message.deliveredAt ? { deliveredAt: message.deliveredAt.toISOString() } : {}),
  ...(message.readAt ? { readAt: message.readAt.toISOString() } : {}),
});
