import type { SortOf } from '@lightbox/contract/envelope.js';

/** The order that an address names, if it is one of the list's. */
export function sortIn<K extends string>(
  params: URLSearchParams,
  keys: readonly K[],
  fallback: SortOf<NoInfer<K>>,
): SortOf<K> {
  const named = params.get('sort') ?? '';
  return keys.some((key) => named === key || named === `-${key}`) ? (named as SortOf<K>) : fallback;
}
