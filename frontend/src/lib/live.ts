/**
 * The only module that changes cached answers, for socket events and for the person's own actions. An answer that is
 * being read may not contain a change that happens meanwhile. So each change is applied to the cached data, and again
 * to every answer that was being read at that moment, the first one included.
 */
import {
  type FetchQueryOptions,
  QueryClient,
  type QueryClientConfig,
  type QueryFunction,
  type QueryFunctionContext,
  type QueryKey,
  type Query as QueryOf,
} from '@tanstack/react-query';
import { unasked } from './http';

// biome-ignore lint/suspicious/noExplicitAny: the library's own type for a query of any data
type Query = QueryOf<any, any, any, any>;

/**
 * A change of data of type T. With `fresh`, the data is an answer that may contain the change already, so the change
 * must be idempotent. Returns undefined when the client cannot compute the result: the data is then read again.
 */
export type Change<T> = (data: T, fresh: boolean) => T | undefined;

/** For each query, one list per running read: the changes since that read began. */
const reads = new WeakMap<Query, Set<Change<unknown>[]>>();

const matching = (cache: QueryClient, queryKey: QueryKey): Query[] => cache.getQueryCache().findAll({ queryKey });

/** Resolves when no read of the query is running. */
const settled = (cache: QueryClient, query: Query) =>
  new Promise<void>((done) => {
    if (query.state.fetchStatus === 'idle') return done();
    const stop = cache.getQueryCache().subscribe((event) => {
      if (event.query !== query || (event.type !== 'removed' && query.state.fetchStatus !== 'idle')) return;
      stop();
      done();
    });
  });

/** Sets data, but leaves an invalidated query invalidated: `setData` alone would mark the data as fresh. */
function set(query: Query, data: unknown) {
  const due = query.state.isInvalidated;
  query.setData(data, { manual: true });
  if (due) query.invalidate();
}

/**
 * True for a read without an act of the person: after an event, a reconnect or a pause. It must not extend the session of
 * somebody who is away. The first read for a screen counts, a further page of a list, and what a click or a key has caused
 * a moment ago.
 */
const isUnasked = ({ state, meta }: Query): boolean =>
  Boolean(state.dataUpdateCount || state.errorUpdateCount || meta?.unasked) &&
  !state.fetchMeta?.fetchMore &&
  !navigator.userActivation?.isActive;

/** Runs every read of the client and applies the changes that happen during the read. */
async function live(read: QueryFunction, context: QueryFunctionContext, query: Query) {
  if (isUnasked(query)) unasked.add(context.signal);
  const changes: Change<unknown>[] = [];
  const open = reads.get(query) ?? new Set();
  reads.set(query, open.add(changes));
  const through = (data: unknown, some: Change<unknown>[]) =>
    some.reduce((now, change) => {
      const next = change(now, true);
      if (next === undefined) void reread(context.client, query.queryKey);
      return next ?? now;
    }, data);
  try {
    const answer = through(await read(context), changes);
    const made = changes.length;
    // Changes may still arrive before the library has put the answer into the cache.
    void settled(context.client, query).then(() => {
      open.delete(changes);
      const { data } = query.state;
      const next = data === undefined ? data : through(data, changes.slice(made));
      if (next !== data) set(query, next);
    });
    return answer;
  } catch (error) {
    open.delete(changes);
    throw error;
  }
}

export const liveClient = ({ defaultOptions, ...config }: QueryClientConfig = {}): QueryClient =>
  new QueryClient({
    ...config,
    defaultOptions: {
      ...defaultOptions,
      // The library calls `persister` for each read; for an infinite query once for all pages. A persister changes the
      // default network mode, so it is set here.
      queries: { networkMode: 'online', persister: live, ...defaultOptions?.queries },
    },
  });

/** Applies a change to all data whose key begins with this one: to the cached data and to the answers being read. */
export function change<T>(cache: QueryClient, queryKey: QueryKey, to: Change<T>): void {
  for (const query of matching(cache, queryKey)) {
    for (const changes of reads.get(query) ?? []) changes.push(to as Change<unknown>);
    const { data } = query.state;
    if (data === undefined) continue;
    const next = to(data as T, false);
    if (next === undefined) void reread(cache, query.queryKey);
    else if (next !== data) set(query, next);
  }
}

/**
 * Replaces the cached data, also before the first answer. It creates no query: without one, nothing is stored. `wins`
 * returns true when the data is newer than an answer that was being read; otherwise the query is read again.
 */
export function put<T>(cache: QueryClient, queryKey: QueryKey, data: T, wins: (answer: T) => boolean = () => true) {
  for (const query of matching(cache, queryKey)) {
    if (query.state.data === undefined) set(query, data);
  }
  change<T>(cache, queryKey, (held, fresh) => (fresh && !wins(held) ? undefined : data));
}

/**
 * Reads data again whose key begins with this one: at once where a screen shows it, otherwise when a screen needs it. A
 * running read finishes first and shows its answer, so that many events in a row do not keep a screen empty.
 */
export async function reread(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  await Promise.all(
    matching(cache, queryKey).map(async (query) => {
      await settled(cache, query);
      await cache.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    }),
  );
}

/** Reads the data again for which `concerned` is true, also when it is in an answer that is being read. */
export const rereadWhere = <T>(cache: QueryClient, queryKey: QueryKey, concerned: (data: T) => boolean) =>
  change<T>(cache, queryKey, (data) => (concerned(data) ? undefined : data));

/** Returns an answer to a request that is sent after this call: a running read is cancelled. It is for an event. */
export async function fetchAnew<T, Key extends QueryKey>(
  cache: QueryClient,
  options: FetchQueryOptions<T, Error, T, Key>,
): Promise<T> {
  await cache.cancelQueries({ queryKey: options.queryKey, exact: true });
  return cache.fetchQuery({ ...options, staleTime: 0, meta: { unasked: true } });
}

/** True while data whose key begins with this one is being read. */
export const isRead = (cache: QueryClient, queryKey: QueryKey): boolean => cache.isFetching({ queryKey }) > 0;

/** Calls `use` with the cached data when no read of it is running. */
export async function whenRead<T>(cache: QueryClient, queryKey: QueryKey, use: (data: T) => void): Promise<void> {
  for (const query of matching(cache, queryKey)) {
    await settled(cache, query);
    if (query.state.data !== undefined) use(query.state.data as T);
  }
}
