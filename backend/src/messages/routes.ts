import { messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { chat, chatList, messagesSince, readMessages } from './readMessages.js';
import { postMessage } from './sendMessage.js';

export function messageRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, messageCalls, {
    chatList,
    chat,
    sendMessage: postMessage,
    readMessages,
    messagesSince,
  });
}
