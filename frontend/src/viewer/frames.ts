import { imageCalls } from '@lightbox/contract/images/calls.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, download, send } from '../lib/http';
import type { FrameRef } from './engine/frameId';

/** The calls of the viewer. The bytes of frames are kept by the imaging library alone, and only in memory. */
export const viewerKey = ['viewer'] as const;

/** A worker makes the facts soon after the upload: the server answers `PREVIEW_PENDING` until they are there. */
const pending = (error: Error) => error instanceof ApiError && error.code === 'PREVIEW_PENDING';

export const frameFacts = (id: string) =>
  queryOptions({
    queryKey: [...viewerKey, 'facts', id],
    queryFn: async ({ signal }): Promise<FrameFacts> =>
      (await send(imageCalls.getFrames, { params: { id } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: (count, error) =>
      pending(error) ? count < 20 : error instanceof ApiError && error.status === 0 && count < 2,
    retryDelay: 1_000,
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
  const blob = await download(imageCalls.getFrame, { params: { id, n: String(n) } }, { signal });
  return { blob, syntax: syntaxOf(blob.type) ?? facts.transferSyntax };
}

/** The frame or page as the server draws it: a picture, for browsers that cannot decode the frame. */
export const fetchRendered = ({ id, n }: FrameRef, signal?: AbortSignal) =>
  download(imageCalls.getFrame, { params: { id, n: String(n) }, query: { rendered: true } }, { signal });
