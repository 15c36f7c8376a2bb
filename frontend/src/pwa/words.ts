import type { PushPayload } from '@lightbox/contract/push/calls.js';
import { notifications as en } from '../i18n/en/notifications';
import { push as enPush } from '../i18n/en/push';
import { notifications as ur } from '../i18n/ur/notifications';
import { push as urPush } from '../i18n/ur/push';

interface Words {
  dir: 'ltr' | 'rtl';
  kinds: Record<PushPayload['kind'] | 'other', { title: string; text: string }>;
}

/** The texts of the service worker in each language: those of the notification centre, and one for messages. */
export const words: Record<string, Words> = {
  en: {
    dir: 'ltr',
    kinds: { ...en.kind, 'message.new': enPush.message, summary: enPush.summary, other: enPush.other },
  },
  ur: {
    dir: 'rtl',
    kinds: { ...ur.kind, 'message.new': urPush.message, summary: urPush.summary, other: urPush.other },
  },
};
