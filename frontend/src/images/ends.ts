import type { Image } from '@lightbox/contract/images/schemas.js';
import type { QueryClient } from '@tanstack/react-query';
import { endShare, shownImages } from './cache';

/** The longest timeout. A browser timer overflows after 24.8 days, so longer waits are split. */
const LONGEST_MS = 3_600_000;

const endOf = (image: Image) => Date.parse(image.expiresAt ?? '');

/**
 * Removes a picture at the moment its share expires, even without a connection to the server. Returns a function that
 * stops the watch.
 */
export function watchEnds(cache: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    const now = Date.now();
    const shown = shownImages(cache).filter((image) => image.shareId && image.isVerified && image.expiresAt);
    for (const image of shown) if (endOf(image) <= now) endShare(cache, image.shareId as string, image.id);
    const next = Math.min(...shown.map(endOf).filter((end) => end > now), now + LONGEST_MS);
    clearTimeout(timer);
    timer = setTimeout(check, next - now);
  };
  const checkSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(check, 0);
  };
  const unsubscribe = cache.getQueryCache().subscribe(({ type, query }) => {
    if (query.queryKey[0] === 'images' && (type === 'updated' || type === 'added')) checkSoon();
  });
  // Timers do not run while the machine sleeps: check again when the page becomes visible.
  document.addEventListener('visibilitychange', check);
  check();
  return () => {
    clearTimeout(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', check);
  };
}
