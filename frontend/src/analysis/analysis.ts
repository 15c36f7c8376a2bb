import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { AnalysisAnswer } from '@lightbox/contract/analysis/schemas.js';
import type { AnalysisStatus } from '@lightbox/contract/images/schemas.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { viewerNow } from '../auth/session';
import { patchImage } from '../images/cache';
import { send } from '../lib/http';
import { put, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

export const keyOf = (imageId: string) => ['analysis', imageId] as const;
export const versionsKey = (imageId: string) => ['analysisVersions', imageId] as const;
export const beforeKey = (imageId: string) => ['analysisBefore', imageId] as const;

export const isRunning = (answer: AnalysisAnswer | undefined) =>
  answer?.status === 'queued' || answer?.status === 'active';

/** The analysis of an image. The first request starts it. */
export const analysisOf = (imageId: string) =>
  queryOptions({
    queryKey: keyOf(imageId),
    queryFn: async ({ signal }) => (await send(analysisCalls.getAnalysis, { params: { imageId } }, { signal })).data,
  });

/**
 * Applies an event to the cache. An event counts as newer than a pending answer. Only if the answer reports an end and the
 * event does not, the analysis is read again.
 */
function apply(cache: QueryClient, imageId: string, status: AnalysisStatus, answer: AnalysisAnswer) {
  put(cache, keyOf(imageId), answer, (read) => isRunning(read) || !isRunning(answer));
  patchImage(cache, imageId, (image) => ({ ...image, analysis: { ...image.analysis, status } }));
}

/** Runs the analysis again. Shows it as queued at once: the answer and the first event may arrive in any order. */
export async function runAgain(cache: QueryClient, imageId: string) {
  const before = cache.getQueryData<AnalysisAnswer>(keyOf(imageId));
  apply(cache, imageId, 'queued', { status: 'queued', progress: 0 });
  try {
    await send(analysisCalls.startAnalysis, { params: { imageId }, body: {} });
  } catch (error) {
    if (before) put(cache, keyOf(imageId), before);
    void reread(cache, keyOf(imageId));
    throw error;
  }
}

/** The text itself is read again: the event says only that it was signed or withdrawn. */
function reviewed(cache: QueryClient, imageId: string, signed: boolean) {
  for (const queryKey of [keyOf(imageId), versionsKey(imageId)]) void reread(cache, queryKey);
  const runs = roleMay(viewerNow().role, 'analysis.run');
  patchImage(cache, imageId, (image) => {
    const status = runs ? (image.analysis?.status ?? 'completed') : signed ? 'completed' : 'none';
    return { ...image, analysis: { status, ...(signed ? { signed: true as const } : {}) } };
  });
}

export const analysisEvents = {
  feeds: [['analysis'], ['analysisVersions']],
  'analysis:progress': ({ imageId, progress }, cache) =>
    apply(cache, imageId, 'active', { status: 'active', progress }),
  'analysis:completed': (result, cache) => {
    apply(cache, result.imageId, 'completed', { status: 'completed', ...result });
    void reread(cache, versionsKey(result.imageId));
  },
  'analysis:signed': ({ imageId }, cache) => reviewed(cache, imageId, true),
  'analysis:withdrawn': ({ imageId }, cache) => reviewed(cache, imageId, false),
  'analysis:failed': ({ imageId, ...why }, cache) => apply(cache, imageId, 'failed', { status: 'failed', ...why }),
} satisfies SocketRows;

/** Removes the asterisks that some models use as markup. Entries that contain only these are left out. */
export const plain = (text: string) => text.replaceAll('**', '').trim();
export const plainEntries = (entries: readonly string[]) => entries.map(plain).filter(Boolean);

/** Returns the key of the word for a confidence. */
export const sureness = (confidence: number) =>
  confidence < 0.5 ? 'unsure' : confidence < 0.8 ? 'fairlyUnsure' : 'fairlySure';
