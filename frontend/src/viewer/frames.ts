import type { ErrorCode } from '@lightbox/contract/errors.js';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, download, send } from '../lib/http';
import type { FrameRef } from './engine/frameId';
import { viewerKey } from './keysOfQueries';

// The bytes of frames are kept by the imaging library alone, and only in memory.

/** The token that reads frames: that of the session, or that of a guest's link. A guest's is in memory alone. */
let token = 'session';
export function readFramesWith(guestToken: string | undefined) {
  token = guestToken ?? 'session';
}
export const tokenOfFrames = () => token;

/** A worker makes facts and pictures of frames: the server answers `PREVIEW_PENDING` until they are there. */
const pending = (error: Error) => error instanceof ApiError && error.code === 'PREVIEW_PENDING';

const refusals = [401, 403, 404];
/** The answers about the file itself, to a person who may see the image: it is not drawn yet, or cannot be drawn. */
const aboutTheFile: readonly string[] = ['PREVIEW_PENDING', 'NO_PREVIEW', 'NO_FRAME'] satisfies ErrorCode[];
/** True when an answer means that the person may not see the image any more. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && refusals.includes(error.status) && !aboutTheFile.includes(error.code);

/** Facts and pictures of frames never change. They are read until they are there, and facts are forgotten with the screen. */
const once = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: (count: number, error: Error) =>
    pending(error) ? count < 20 : error instanceof ApiError && error.status === 0 && count < 2,
  retryDelay: 1_000,
} as const;

export const frameFacts = (id: string) =>
  queryOptions({
    queryKey: [...viewerKey, 'facts', id],
    queryFn: async ({ signal }): Promise<FrameFacts> =>
      (await send(imageCalls.getFrames, { params: { id } }, { signal, token })).data,
    ...once,
  });

/** The time after which the facts that are missing are asked for again. */
const AGAIN_MS = 1_500;

type Listed = { series?: readonly { images: readonly string[] }[] | undefined };

/** True when the answer has every image of the study. A worker may still draw the others. */
const hasAll = ({ series }: Listed, facts: Record<string, FrameFacts>) =>
  (series ?? []).every(({ images }) => images.every((id) => facts[id]));

/**
 * The facts of all images of a study in one answer, by the id of the image. It is one look. While images are missing, it
 * is asked for again.
 */
export const studyFacts = (id: string, study: Listed | undefined) =>
  queryOptions({
    queryKey: [...viewerKey, 'facts', 'study', id],
    queryFn: async ({ signal }): Promise<Record<string, FrameFacts>> =>
      (await send(studyCalls.getStudyFrames, { params: { id } }, { signal, token })).data,
    ...once,
    refetchInterval: ({ state: { data, error } }) =>
      study && data && !hasAll(study, data) && !isRefusal(error) ? AGAIN_MS : false,
  });

export const tagsOf = (id: string, search: string) =>
  queryOptions({
    queryKey: [...viewerKey, 'tags', id, search],
    queryFn: async ({ signal }) =>
      (await send(imageCalls.getTags, { params: { id }, query: { search } }, { signal })).data,
    gcTime: 0,
  });

/** The bytes of a frame, with the transfer syntax that the server states. */
export interface FrameBytes {
  blob: Blob;
  syntax: string | undefined;
}

const syntaxOf = (mediaType: string) => /transfer-syntax="?([\d.]+)"?/.exec(mediaType)?.[1];

export async function fetchFrame({ id, n }: FrameRef, facts: FrameFacts, signal: AbortSignal): Promise<FrameBytes> {
  const blob = await download(imageCalls.getFrame, { params: { id, n: String(n) } }, { signal, token });
  return { blob, syntax: syntaxOf(blob.type) ?? facts.transferSyntax };
}

/** The frame or page as the server draws it: a picture, for browsers that cannot decode the frame. */
const fetchRendered = ({ id, n }: FrameRef, signal?: AbortSignal) =>
  download(imageCalls.getFrame, { params: { id, n: String(n) }, query: { rendered: true } }, { signal, token });

/** The same for the imaging library, which asks once: the picture is asked for until a worker has made it. */
export async function untilRendered(ref: FrameRef, signal: AbortSignal): Promise<Blob> {
  for (let count = 0; ; count++) {
    try {
      return await fetchRendered(ref, signal);
    } catch (error) {
      if (signal.aborted || !once.retry(count, error as Error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, once.retryDelay));
    }
  }
}

/** The same for a pane without the imaging library. It is kept for a moment, for turning back to the page before. */
export const renderedFrame = (ref: FrameRef) =>
  queryOptions({
    queryKey: [...viewerKey, 'rendered', ref.id, ref.n],
    queryFn: ({ signal }) => fetchRendered(ref, signal),
    ...once,
    gcTime: 30_000,
  });
