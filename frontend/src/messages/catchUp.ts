import { messageCalls } from '@lightbox/contract/messages/calls.js';
import { waitAfter } from '@lightbox/contract/reconnecting.js';
import type { QueryClient } from '@tanstack/react-query';
import { socketAtom } from '../lib/connection';
import { ApiError, send } from '../lib/http';
import { queryClient, worthRetrying } from '../lib/query';
import { store } from '../lib/store';
import { me } from './keys';
import { takeMissed } from './take';

/** The cursor of the last `GET /message/since` of this account in this tab. */
let cursor: string | undefined;
let catching: Promise<void> | undefined;
let asked = 0;

/** Reads the messages that arrived while this tab was disconnected, from the stored cursor on. */
export function catchUp(cache: QueryClient = queryClient): Promise<void> {
  // After another disconnect, the pending answer may lack the newest messages: `readSince` then asks once more.
  asked += 1;
  catching ??= readSince(cache).finally(() => {
    catching = undefined;
  });
  return catching;
}

async function readSince(cache: QueryClient) {
  const owner = me();
  let failures = 0;
  for (let served = 0, more = false; served < asked || more; ) {
    const now = asked;
    const query = cursor ? { cursor } : {};
    let answer: Awaited<ReturnType<typeof send<typeof messageCalls.messagesSince>>>;
    try {
      answer = await send(messageCalls.messagesSince, { query }, { background: true });
    } catch (error) {
      // The server rejects an unknown cursor: start without one.
      if (cursor && error instanceof ApiError && error.status === 422) cursor = undefined;
      else if (!worthRetrying(error)) return;
      else await new Promise((done) => setTimeout(done, waitAfter(failures++)));
      // After a disconnect, the next connection calls `catchUp` again.
      if (me() !== owner || store.get(socketAtom) !== 'on') return;
      continue;
    }
    if (me() !== owner) return;
    ({ cursor, more } = answer.data);
    served = now;
    failures = 0;
    takeMissed(cache, answer.data.messages);
  }
}

/** Clears the cursor when the account changes or signs out. */
export function forgetCursor() {
  cursor = undefined;
}
