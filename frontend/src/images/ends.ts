import type { Image } from '@lightbox/contract/images/schemas.js';
import type { QueryClient } from '@tanstack/react-query';
import { endShare, shownImages } from './cache';

/** Longer waits than a timer can hold are taken in pieces. */
const LONGEST_MS = 3_600_000;

const endOf = (image: Image) => Date.parse(image.expiresAt ?? '');

/**
 * Puts a picture out at the very moment its share runs out, whether or not the server can tell us just then. Returns how
 * to stop.
 */
export function watchEnds(cache: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const now = Date.now();
    const shown = shownImages(cache).filter((image) => image.shareId && image.isVerified && image.expiresAt);
    for (const image of shown) if (endOf(image) <= now) endShare(cache, image.shareId as string, image.id);
    const next = Math.min(...shown.map(endOf).filter((end) => end > now), now + LONGEST_MS);
    clearTimeout(timer);
    timer = setTimeout(look, next - now);
  };
  const lookSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(look, 0);
  };
  const unsubscribe = cache.getQueryCache().subscribe(({ type, query }) => {
    if (query.queryKey[0] === 'images' && (type === 'updated' || type === 'added')) lookSoon();
  });
  // Timers stand still while the machine sleeps.
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    clearTimeout(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', look);
  };
}
