import type { QueryClient } from '@tanstack/react-query';
import { HOUR_MS } from '../lib/times';
import { endEmergencyAccess, endShare, shownImages, shownStudies } from './cache';

/** The longest timeout. A browser timer overflows after 24.8 days, so longer waits are split. */
const LONGEST_MS = HOUR_MS;

const endOf = ({ expiresAt }: { expiresAt?: string | undefined }) => Date.parse(expiresAt ?? '');

const shownThings = (cache: QueryClient) => [
  ...shownImages(cache).map((image) => ({ ...image, studyId: image.study?.id ?? image.studyId ?? undefined })),
  ...shownStudies(cache).map((study) => ({ ...study, id: study.leadId ?? study.id, studyId: study.id })),
];

/**
 * Removes a picture at the moment its share or the emergency access ends, even without a connection to the server. Returns a function that
 * stops the watch.
 */
export function watchEnds(cache: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    const now = Date.now();
    const things = shownThings(cache);
    const shown = things.filter(
      ({ shareId, isVerified, expiresAt, emergency }) => shareId && isVerified && expiresAt && !emergency,
    );
    const emergencies = new Map(
      things.flatMap(({ emergency }) => (emergency ? [[emergency.id, emergency.until]] : [])),
    );
    for (const thing of shown) {
      if (endOf(thing) <= now) endShare(cache, thing.shareId as string, thing.id, thing.studyId);
    }
    for (const [id, until] of emergencies) if (Date.parse(until) <= now) endEmergencyAccess(cache, id);
    const all = [...shown.map(endOf), ...[...emergencies.values()].map(Date.parse)];
    const next = Math.min(...all.filter((end) => end > now), now + LONGEST_MS);
    clearTimeout(timer);
    timer = setTimeout(check, next - now);
  };
  const checkSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(check, 0);
  };
  const unsubscribe = cache.getQueryCache().subscribe(({ type, query }) => {
    if (['images', 'studies'].includes(String(query.queryKey[0])) && (type === 'updated' || type === 'added'))
      checkSoon();
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
