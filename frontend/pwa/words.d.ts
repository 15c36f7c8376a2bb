import type { PushKind } from '@lightbox/contract/push/calls.js';

interface Words {
  dir: 'ltr' | 'rtl';
  kinds: Record<
    PushKind | 'other',
    {
      title: string;
      text: string;
    }
  >;
}
/** What the service worker says in each language: the notification centre's own sentences, and one for messages. */
export declare const words: Record<string, Words>;
