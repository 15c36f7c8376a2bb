import { waitAfter } from '@lightbox/contract/reconnecting.js';
import type { QueryClient, QueryKey, Query as QueryOf } from '@tanstack/react-query';
import { reread } from './live';
import { worthRetrying } from './query';

/** True when the last read ended, and the server was not reached or failed. */
const failed = ({ state }: QueryOf): boolean =>
  state.fetchStatus === 'idle' && state.error !== null && worthRetrying(state.error);

/**
 * Reads data again whose key begins with one of these, and repeats it with growing pauses for what a screen shows, until the
 * server has answered everything: until then a screen may show what has changed meanwhile. Returns how to end it.
 */
export function rereadUntilAnswered(cache: QueryClient, keys: readonly QueryKey[]): () => void {
  for (const queryKey of keys) void reread(cache, queryKey);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lookAfter = (rounds: number): void => {
    timer = setTimeout(() => {
      const shown = keys.flatMap((queryKey) => cache.getQueryCache().findAll({ queryKey, type: 'active' }));
      const left = shown.filter(failed);
      if (left.length === 0 && shown.every(({ state }) => state.fetchStatus === 'idle')) return;
      for (const { queryKey } of left) void reread(cache, queryKey);
      lookAfter(rounds + 1);
    }, waitAfter(rounds));
  };
  lookAfter(0);
  return () => clearTimeout(timer);
}
