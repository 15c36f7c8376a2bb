import { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import type { AnalysisAnswer } from '@lightbox/contract/analysis/schemas.js';
import type { AnalysisStatus } from '@lightbox/contract/images/schemas.js';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { patchImage } from '../images/cache';
import { send } from '../lib/http';
import { put, reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';

const key = (imageId: string) => ['analysis', imageId] as const;

export const isRunning = (answer: AnalysisAnswer | undefined) =>
  answer?.status === 'queued' || answer?.status === 'active';

/** The analysis of an image; asking the first time starts it. */
export const analysisOf = (imageId: string) =>
  queryOptions({
    queryKey: key(imageId),
    queryFn: async ({ signal, client }) => {
      // A look after an event or a gap must not keep an idle session alive.
      const background = isRunning(client.getQueryData<AnalysisAnswer>(key(imageId)));
      return (await send(analysisCalls.getAnalysis, { params: { imageId } }, { signal, background })).data;
    },
  });

/**
 * An event is newer than an answer that is on its way, unless that one tells of an end and the event does not: then it is
 * read again.
 */
function take(cache: QueryClient, imageId: string, status: AnalysisStatus, answer: AnalysisAnswer) {
  put(cache, key(imageId), answer, (read) => isRunning(read) || !isRunning(answer));
  patchImage(cache, imageId, (image) => ({ ...image, analysis: { status } }));
}

/** Runs it again: waiting from this moment on, whatever the answer and the first event race about. */
export async function runAgain(cache: QueryClient, imageId: string) {
  const before = cache.getQueryData<AnalysisAnswer>(key(imageId));
  take(cache, imageId, 'queued', { status: 'queued', progress: 0 });
  try {
    await send(analysisCalls.startAnalysis, { params: { imageId }, body: {} });
  } catch (error) {
    if (before) put(cache, key(imageId), before);
    void reread(cache, key(imageId));
    throw error;
  }
}

export const analysisEvents = {
  feeds: [['analysis']],
  'analysis:progress': ({ imageId, progress }, cache) => take(cache, imageId, 'active', { status: 'active', progress }),
  'analysis:completed': (result, cache) => take(cache, result.imageId, 'completed', { status: 'completed', ...result }),
  'analysis:failed': ({ imageId, ...why }, cache) => take(cache, imageId, 'failed', { status: 'failed', ...why }),
} satisfies SocketRows;

/** Some models mark their words up with asterisks; an entry of nothing else is no entry. */
export const plain = (text: string) => text.replaceAll('**', '').trim();
export const plainEntries = (entries: readonly string[]) => entries.map(plain).filter(Boolean);

/** A percentage also in a word. */
export const sureness = (confidence: number) =>
  confidence < 0.5 ? 'unsure' : confidence < 0.8 ? 'fairlyUnsure' : 'fairlySure';
