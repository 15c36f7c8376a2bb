import { messageCalls } from '@lightbox/contract/messages/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { checkAttachments } from './attachments.js';
import { chat, chatList, messagesSince, readMessages } from './readMessages.js';
import { searchChat } from './searchChat.js';
import { postMessage } from './sendMessage.js';
import { getVoice } from './voice/getVoice.js';
import { sendVoice } from './voice/sendVoice.js';

export function messageRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, messageCalls, {
    chatList,
    chat,
    sendMessage: postMessage,
    sendVoice,
    getVoice,
    checkAttachments,
    searchChat,
    readMessages,
    messagesSince,
  });
}
