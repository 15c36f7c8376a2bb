import { messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bind } from '../http/handle.js';
import { chat, chatList, messagesSince, readMessages } from './readMessages.js';
import { postMessage } from './sendMessage.js';

export function messageRoutes(router: Router, gateway: Gateway): void {
  bind(router, gateway, messageCalls.chatList, chatList);
  bind(router, gateway, messageCalls.chat, chat);
  bind(router, gateway, messageCalls.sendMessage, postMessage);
  bind(router, gateway, messageCalls.readMessages, readMessages);
  bind(router, gateway, messageCalls.messagesSince, messagesSince);
}
