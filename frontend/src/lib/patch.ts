import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Changes cached data where there is something to change. What was due to be read again still is: to the cache, data that
 * was set is data that was just read.
 */
export function patchQueries<T>(cache: QueryClient, queryKey: QueryKey, change: (data: T) => T): void {
  for (const query of cache.getQueryCache().findAll({ queryKey })) {
    const data = query.state.data as T | undefined;
    const changed = data === undefined ? data : change(data);
    if (changed === data) continue;
    const due = query.state.isInvalidated;
    cache.setQueryData<T>(query.queryKey, changed as T);
    if (due) void cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
}
