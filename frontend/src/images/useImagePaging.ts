import type { Pagination } from '@lightbox/contract/envelope.js';
import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { firstPage, type ListQuery } from './images';

/** The position in a list: the page number from the address, where `name` has it, and the server's cursor if it is known. */
export function useImagePaging(name: string) {
  const [params, setParams] = useSearchParams();
  const [known, setKnown] = useState<{ page: number; cursor?: string | undefined }>({ page: 1 });
  const page = Math.max(1, Math.trunc(Number(params.get(name))) || 1);
  const cursor = known.page === page ? known.cursor : undefined;
  /** Shows another page. A page that the person chose is an entry of the history; `replace` makes none. */
  const goTo = useCallback(
    (to: number, { by, replace = false }: { by?: string | undefined; replace?: boolean } = {}) => {
      setKnown({ page: to, cursor: by });
      setParams(
        (now) => {
          if (to === 1) now.delete(name);
          else now.set(name, String(to));
          return now;
        },
        { replace, preventScrollReset: true },
      );
    },
    [name, setParams],
  );
  // The first page in the default order has the same query key on every screen.
  const oldestFirst = params.get('sort') === 'createAt';
  const query: ListQuery = { ...firstPage, page, cursor, ...(oldestFirst && { sort: 'createAt' }) };
  return {
    page,
    query,
    goTo,
    next: (p: Pagination | undefined) => p?.hasNextPage && goTo(page + 1, { by: p.nextCursor }),
    prev: (p: Pagination | undefined) =>
      p?.hasPrevPage && goTo(Math.max(1, page - 1), { by: page <= 2 ? undefined : p.prevCursor }),
  };
}
