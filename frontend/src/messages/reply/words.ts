import type { Quote } from '@lightbox/contract/messages/quote.js';
import type { TFunction } from 'i18next';

/** The words of a quoted message, or its kind when it has none. */
export const wordsOfQuote = (t: TFunction, { content, images = 0, voice }: Quote): string =>
  content.replace(/\s+/g, ' ') || (voice ? t('messages.voice.message') : t('messages.attach.sent', { count: images }));
