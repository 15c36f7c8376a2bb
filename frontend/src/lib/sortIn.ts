import type { SortOf } from '@lightbox/contract/envelope.js';

/** Returns the sort order in the address if the list has it, otherwise the list's default. */
export function sortIn<K extends string>(
  params: URLSearchParams,
  keys: readonly K[],
  fallback: SortOf<NoInfer<K>>,
): SortOf<K> {
  const named = params.get('sort') ?? '';
  return keys.some((key) => named === key || named === `-${key}`) ? (named as SortOf<K>) : fallback;
}
