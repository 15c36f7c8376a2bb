import type { BodyInput } from '@lightbox/contract/call.js';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../lib/http';
import { browserTimeZone } from '../lib/timeZone';
import { type ListName, lists } from './cache';

/** The months of a list of the gallery. They are in the body of a call, as the search is. */
export const monthsOf = (list: ListName, search: ImageSearch) =>
  queryOptions({
    // Not below the key of the lists: this is no page of images.
    queryKey: ['months', lists[0], list, search],
    queryFn: async ({ signal }) => {
      const body = { list, search, timeZone: browserTimeZone() };
      return (await send(imageCalls.listMonths, { body }, { signal, background: true })).data;
    },
  });

type Sort = BodyInput<typeof imageCalls.findPlace>['sort'];

/** Finds the page on which the images of a time begin. */
export const findPlace = async (list: ListName, search: ImageSearch, at: string, sort: Sort) =>
  (await send(imageCalls.findPlace, { body: { list, search, at, sort, limit: limits.pageLimit } })).data;
