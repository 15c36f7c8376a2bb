import type { Pagination } from '@lightbox/contract/envelope.js';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Paging } from './usePaging';

/**
 * Like `usePaging`, but page and page size are in the address, so that a reload or a link shows the same rows. The
 * server's cursor is in memory and is used only for the address it belongs to. `filter` changes other parameters of the
 * address and returns to page 1.
 */
export function useUrlPaging(sizes: readonly [number, ...number[]]): Paging & {
  params: URLSearchParams;
  filter: (change: Record<string, string>) => void;
} {
  const [params, setParams] = useSearchParams();
  const [known, setKnown] = useState<{ address: string; cursor: string | undefined }>();
  const limit = sizes.find((size) => String(size) === params.get('rows')) ?? sizes[0];
  const page = Math.max(1, Math.trunc(Number(params.get('page'))) || 1);
  const cursor = known?.address === params.toString() ? known.cursor : undefined;

  // `setParams` takes effect at the next render. A second change before that must start from the first one's result.
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  }, [params]);
  /** A page that the person chose is an entry of the history; a filter is not. */
  const set = (change: Record<string, string>, paged?: { to: number; by?: string | undefined }) => {
    const { to, by } = paged ?? { to: 1 };
    const next = new URLSearchParams(latest.current);
    for (const [name, value] of Object.entries({ ...change, page: to === 1 ? '' : String(to) })) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    latest.current = next;
    setKnown({ address: next.toString(), cursor: by });
    setParams(next, { replace: !paged, preventScrollReset: true });
  };
  const at = { page, limit, cursor };
  return {
    ...at,
    sizes,
    key: at,
    query: at,
    params,
    filter: (change) => set(change),
    restart: (size = limit) => set({ rows: size === sizes[0] ? '' : String(size) }),
    next: (p: Pagination | undefined) => p?.hasNextPage && set({}, { to: page + 1, by: p.nextCursor }),
    prev: (p: Pagination | undefined) =>
      p?.hasPrevPage && set({}, { to: Math.max(1, page - 1), by: page <= 2 ? undefined : p.prevCursor }),
  };
}
