/**
 * The one way to change what is kept of the server's answers, for events and for one's own acts alike. An answer that is on
 * its way may not know of a change. So each change is made to what is held, and once more to every answer that was being
 * read at that moment, also to the first one.
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

// biome-ignore lint/suspicious/noExplicitAny: the library's own type for a query of whatever data
type Query = QueryOf<any, any, any, any>;

/**
 * A change of data of type T. With `fresh`, the data is an answer that may know of the change already, so making it twice
 * must be the same as making it once. Returns undefined when only the server can tell: the data is then read again.
 */
export type Change<T> = (data: T, fresh: boolean) => T | undefined;

/** The changes since each read began. */
const reads = new WeakMap<Query, Set<Change<unknown>[]>>();

const matching = (cache: QueryClient, queryKey: QueryKey): Query[] => cache.getQueryCache().findAll({ queryKey });

/** When nothing of it is being read any more. */
const settled = (cache: QueryClient, query: Query) =>
  new Promise<void>((done) => {
    if (query.state.fetchStatus === 'idle') return done();
    const stop = cache.getQueryCache().subscribe((event) => {
      if (event.query !== query || (event.type !== 'removed' && query.state.fetchStatus !== 'idle')) return;
      stop();
      done();
    });
  });

/** Sets data, and leaves what is due to be read again due: to the cache, data that was set is data that was just read. */
function set(query: Query, data: unknown) {
  const due = query.state.isInvalidated;
  query.setData(data, { manual: true });
  if (due) query.invalidate();
}

/** Every query of the client is read through this. */
async function live(read: QueryFunction, context: QueryFunctionContext, query: Query) {
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
    // A change may still come before the answer is in the cache.
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
      // The library reads through its `persister`, a list of pages as a whole. Its network mode would change with it.
      queries: { networkMode: 'online', persister: live, ...defaultOptions?.queries },
    },
  });

/** Changes all data whose key begins with this one: what is held, and what is being read. */
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

/** Takes the place of what is held, and is there before the first answer. Nobody's data is made up: there has to be a query. */
export function put<T>(cache: QueryClient, queryKey: QueryKey, data: T, wins: (answer: T) => boolean = () => true) {
  for (const query of matching(cache, queryKey)) {
    if (query.state.data === undefined) set(query, data);
  }
  change<T>(cache, queryKey, (held, fresh) => (fresh && !wins(held) ? undefined : data));
}

/**
 * Reads again what begins with this key, where a screen shows it; the rest when somebody looks. An answer that is on its
 * way is shown first, so that events in a row do not keep a screen empty, and then asked for again.
 */
export async function reread(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  await Promise.all(
    matching(cache, queryKey).map(async (query) => {
      await settled(cache, query);
      await cache.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    }),
  );
}

/** An answer that was asked for after this moment. */
export async function fetchAnew<T, Key extends QueryKey>(
  cache: QueryClient,
  options: FetchQueryOptions<T, Error, T, Key>,
): Promise<T> {
  await cache.cancelQueries({ queryKey: options.queryKey, exact: true });
  return cache.fetchQuery({ ...options, staleTime: 0 });
}

/** Whether data whose key begins with this one is being read. */
export const isRead = (cache: QueryClient, queryKey: QueryKey): boolean => cache.isFetching({ queryKey }) > 0;

/** Looks at what is held once no answer to it is on its way. */
export async function whenRead<T>(cache: QueryClient, queryKey: QueryKey, look: (data: T) => void): Promise<void> {
  for (const query of matching(cache, queryKey)) {
    await settled(cache, query);
    if (query.state.data !== undefined) look(query.state.data as T);
  }
}
