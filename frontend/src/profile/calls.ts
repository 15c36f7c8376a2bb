import type { QueryInput } from '@lightbox/contract/call.js';
import { userCalls } from '@lightbox/contract/users/calls.js';
import type { Disclosure } from '@lightbox/contract/users/disclosures.js';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { download, send } from '../lib/http';
import { datedName, saveBlob } from '../lib/save';

/** Downloads all own data as a zip. The server records it. */
export const useExportProfile = (fallback: string) =>
  useMutation({
    mutationFn: async () => saveBlob(await download(userCalls.exportProfile, {}), datedName('lightbox', 'zip')),
    meta: { fallback },
  });

/** Rows of one request, and the number of requests after which the list asks for a shorter period. */
const LIMIT = 100;
const MAX_PAGES = 20;

export interface Disclosures {
  rows: Disclosure[];
  /** False: the period has more entries than the page shows. */
  whole: boolean;
}

type Period = Pick<QueryInput<typeof userCalls.listDisclosures>, 'from' | 'to'>;

/** Reads all disclosures of a period, page by page, because a printed list must be whole. */
export const disclosures = (period: Period) =>
  queryOptions({
    queryKey: ['users', 'disclosures', period],
    queryFn: async ({ signal }): Promise<Disclosures> => {
      const rows: Disclosure[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { ...period, limit: LIMIT, ...(cursor ? { cursor } : {}) };
        const answer = await send(userCalls.listDisclosures, { query }, { signal });
        rows.push(...answer.data);
        cursor = answer.pagination?.nextCursor;
        if (!cursor) return { rows, whole: true };
      }
      return { rows, whole: false };
    },
    staleTime: 0,
  });
