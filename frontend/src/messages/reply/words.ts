import type { Quote } from '@lightbox/contract/messages/quote.js';
import type { TFunction } from 'i18next';

/** The kind of a message that may have no text. */
type Kind = Partial<Pick<Quote, 'images' | 'voice' | 'pinned'>>;

/** The words for a message without text. */
export function wordsOfKind(t: TFunction, { images = 0, voice, pinned }: Kind): string {
  if (voice) return t('messages.voice.message');
  return pinned ? t('messages.pinned.place') : t('messages.attach.sent', { count: images });
}

/** The words of a quoted message, or its kind when it has none. */
export const wordsOfQuote = (t: TFunction, quote: Quote): string =>
  quote.content.replace(/\s+/g, ' ') || wordsOfKind(t, quote);
