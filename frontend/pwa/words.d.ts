import type { PushPayload } from '@lightbox/contract/push/calls.js';

interface Words {
  dir: 'ltr' | 'rtl';
  kinds: Record<
    PushPayload['kind'] | 'other',
    {
      title: string;
      text: string;
    }
  >;
}
/** The words of device notifications in each language: those of the notification centre, and one sentence for messages. */
export declare const words: Record<string, Words>;
