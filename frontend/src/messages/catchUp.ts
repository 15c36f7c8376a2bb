import { messageCalls } from '@lightbox/contract/messages/calls.js';
import { waitAfter } from '@lightbox/contract/reconnecting.js';
import type { QueryClient } from '@tanstack/react-query';
import { socketAtom } from '../lib/connection';
import { ApiError, send } from '../lib/http';
import { queryClient, worthRetrying } from '../lib/query';
import { store } from '../lib/store';
import { me } from './keys';
import { takeMissed } from './take';

/** Where `GET /message/since` left off, for this account and this tab. */
let cursor: string | undefined;
let catching: Promise<void> | undefined;
let asked = 0;

/** Reads the messages that came while this tab was not connected, from the kept cursor on. */
export function catchUp(cache: QueryClient = queryClient): Promise<void> {
  // A connection that broke and came back meanwhile: the answer on its way may not know of what came between.
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
      // A place that the server no longer knows: on from its own.
      if (cursor && error instanceof ApiError && error.status === 422) cursor = undefined;
      else if (!worthRetrying(error)) return;
      else await new Promise((done) => setTimeout(done, waitAfter(failures++)));
      // Without a connection the next one asks again.
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

/** Another person has signed in, or nobody. */
export function forgetPlace() {
  cursor = undefined;
}
