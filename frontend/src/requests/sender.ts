import type { DataOf, Routes } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import type { requestCalls } from '@lightbox/contract/requests/calls.js';
import { senderRoutes } from '@lightbox/contract/requests/routes.js';
import { queryOptions } from '@tanstack/react-query';
import { Upload } from 'tus-js-client';
import { send } from '../lib/http';
import { asApiError, endpoint, keepWhatArrived, startUntil } from '../uploads/tus';

const calls: Routes<Pick<typeof requestCalls, keyof typeof senderRoutes>> = senderRoutes;

export type Opened = DataOf<typeof requestCalls.openRequest>;

/** Opens a request by its whole address. It never uses the session of this browser. */
export const open = async (address: string, signal?: AbortSignal): Promise<Opened> =>
  (await send(calls.openRequest, { body: { link: address } }, { token: 'none', signal })).data;

export const openedRequest = (address: string) =>
  queryOptions({
    queryKey: ['send', address],
    queryFn: ({ signal }) => open(address, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** True when a file with these bytes has arrived for the request. */
export const hasArrived = async (token: string, sha256: string, signal: AbortSignal): Promise<boolean> =>
  (await send(calls.findSent, { query: { sha256 } }, { token, signal })).data.known;

export const clear = (token: string) => send(calls.clearRequest, {}, { token });
export const finish = (token: string) => send(calls.finishRequest, {}, { token });

interface Sending {
  file: File;
  caption: string;
  token: string;
  /** The address of the upload, once it has begun: a later try goes on there. */
  url: string | undefined;
  onBegun: (url: string) => void;
  /** Gets the bytes that were sent. */
  onProgress: (bytes: number) => void;
  signal: AbortSignal;
}

/** Sends one file in pieces, or the rest of it. */
export function sendPieces({ file, caption, token, url, onBegun, onProgress, signal }: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint,
      ...(url && { uploadUrl: url }),
      metadata: { filename: file.name, filetype: file.type || 'application/octet-stream', caption },
      chunkSize: limits.pieceBytes,
      // The delivery repeats, because it knows the other files.
      retryDelays: null,
      storeFingerprintForResuming: false,
      headers: { Authorization: `Bearer ${token}` },
      // The library would send a request whose piece it read while the sender cancelled.
      onBeforeRequest: () => signal.throwIfAborted(),
      onAfterResponse: (request, response) => {
        if (response.getStatus() < 300) onProgress(Number(response.getHeader('Upload-Offset') ?? 0));
        return keepWhatArrived(request, response);
      },
      onUploadUrlAvailable: () => upload.url && onBegun(upload.url),
      onProgress: (bytes) => onProgress(bytes),
      onSuccess: () => resolve(),
      onError: (error) => void asApiError(error).then(reject),
    });
    startUntil(signal, upload, reject);
  });
}
