import type { Pagination } from '@lightbox/contract/envelope.js';
import { useState } from 'react';

/**
 * The position in a list that the server pages. Next and previous use the server's cursors, so that a page costs the
 * same in a list of a thousand and of a million; `page` is only shown. `key` must be part of the query's key.
 */
export function usePaging(sizes: readonly [number, ...number[]]) {
  const start = { page: 1, limit: sizes[0], cursor: undefined as string | undefined };
  const [at, setAt] = useState(start);
  return {
    ...at,
    sizes,
    key: at,
    query: { page: at.page, limit: at.limit, cursor: at.cursor },
    /** Returns to page 1, after a new search, filter or page size. */
    restart: (limit = at.limit) => setAt({ ...start, limit }),
    next: (pagination: Pagination | undefined) =>
      pagination?.hasNextPage && setAt({ ...at, page: at.page + 1, cursor: pagination.nextCursor }),
    prev: (pagination: Pagination | undefined) =>
      pagination?.hasPrevPage &&
      setAt({ ...at, page: Math.max(1, at.page - 1), cursor: at.page === 2 ? undefined : pagination.prevCursor }),
  };
}

export type Paging = ReturnType<typeof usePaging>;
