import { limits } from '@lightbox/contract/limits.js';
import { tusPath } from '@lightbox/contract/uploads/tusPath.js';
import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { active } from '../lib/activity';
import { ApiError, failure, freshToken, liveToken } from '../lib/http';
import { hashOf } from './reader';
import { dropUnfinished, findUnfinished, keepUnfinished, type Unfinished } from './resumable';
import { isAway, isServerError, type Sending } from './sending';

export const endpoint = `/api${tusPath}`;

/** The name is sent as in a form. The server seals it, and orders the pictures of a study by it. */
const metadataOf = ({ file, caption, patientId, studyId, mismatchReason }: Sending) => ({
  filename: file.name,
  filetype: file.type || 'application/octet-stream',
  caption,
  ...(patientId && { patientId }),
  ...(studyId && { studyId }),
  ...(mismatchReason && { mismatchReason }),
});

const failureOf = (answer: HttpResponse) =>
  failure({
    status: answer.getStatus(),
    headers: { get: (name) => answer.getHeader(name) ?? null },
    text: async () => answer.getBody(),
  });

export async function asApiError(error: Error | DetailedError): Promise<Error> {
  if (!(error instanceof DetailedError)) return error;
  if (error.causingError instanceof ApiError) return error.causingError;
  return error.originalResponse ? failureOf(error.originalResponse) : new ApiError(0, 'UNREACHABLE', '');
}

/**
 * Throws when the server cannot say now how much of an upload has arrived. The library would begin the upload anew, as it
 * does when the server no longer has it.
 */
export async function keepWhatArrived(request: HttpRequest, response: HttpResponse): Promise<void> {
  if (request.getMethod() !== 'HEAD' || response.getStatus() < 400) return;
  const error = await failureOf(response);
  if ([401, 429].includes(error.status) || isAway(error) || isServerError(error)) throw error;
}

/** Starts an upload, unless the signal has ended it before; from then on the signal stops it. */
export function startUntil(signal: AbortSignal, upload: Upload, reject: (reason: unknown) => void) {
  if (signal.aborted) return reject(signal.reason);
  const stop = () => {
    void upload.abort();
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  upload.start();
}

/** Sends the rest of an upload, or all of it. Resolves to the id of the stored image. */
function transfer(sending: Sending, begun: Unfinished | undefined, keep: (url: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let imageId = '';
    let token = '';
    let refused: string | undefined;
    const upload = new Upload(sending.file, {
      // An upload that the person goes on with by choosing the file again has no metadata here.
      endpoint: sending.begun ? null : endpoint,
      ...(begun && { uploadUrl: begun.url }),
      metadata: metadataOf(sending),
      chunkSize: limits.pieceBytes,
      // The queue repeats, because it knows about the connection and the other files. The library goes on by itself only
      // with a new token: by a slow clock, an expired one looks good.
      retryDelays: [0],
      onShouldRetry: (error) => {
        const { causingError, originalResponse } = error as DetailedError;
        const status = causingError instanceof ApiError ? causingError.status : originalResponse?.getStatus();
        if (status !== 401) return false;
        refused = token;
        return true;
      },
      // The product keeps its own records, without names.
      storeFingerprintForResuming: false,
      onBeforeRequest: async (request) => {
        token = refused === undefined ? await liveToken() : await freshToken(refused);
        refused = undefined;
        // The upload may have ended meanwhile, and the token may be that of the next person.
        sending.signal.throwIfAborted();
        request.setHeader('Authorization', `Bearer ${token}`);
      },
      onAfterResponse: (request, response) => {
        if (response.getStatus() < 300) active();
        imageId = response.getHeader('Lightbox-Image') ?? imageId;
        return keepWhatArrived(request, response);
      },
      onUploadUrlAvailable: () => upload.url && keep(upload.url),
      onProgress: (sent, total) => sending.onProgress(sent / total),
      onSuccess: () => resolve(imageId),
      onError: (error) => void asApiError(error).then(reject),
    });
    startUntil(sending.signal, upload, reject);
  });
}

/** The server no longer has the upload, or has refused what it contains. */
const isOver = (error: unknown) =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  !isAway(error) &&
  ![401, 429].includes(error.status);

/** Sends a large file in pieces. It goes on where an earlier try ended, also after a reload. */
export async function sendInPieces(sending: Sending): Promise<string> {
  const { file, hash } = sending;
  const fingerprint =
    sending.begun?.fingerprint ?? (await hashOf(new Blob([hash, JSON.stringify(metadataOf(sending))])));
  const begun = sending.begun ?? findUnfinished(fingerprint);
  try {
    const imageId = await transfer(sending, begun, (url) =>
      keepUnfinished({ fingerprint, hash, url, size: file.size, at: begun?.at ?? Date.now() }),
    );
    dropUnfinished(fingerprint);
    return imageId;
  } catch (error) {
    if (isOver(error)) dropUnfinished(fingerprint);
    throw error;
  }
}

/** Deletes an unfinished upload here and at the server, which otherwise does it within a day. */
export async function abandon({ fingerprint, url }: Unfinished): Promise<void> {
  // The next person may have signed in since it was asked for. They have no such upload, and it is not deleted in their name.
  if (!findUnfinished(fingerprint)) return;
  dropUnfinished(fingerprint);
  const token = await liveToken().catch(() => '');
  if (!token) return;
  const headers = { Authorization: `Bearer ${token}` };
  await Upload.terminate(url, { headers, retryDelays: null }).catch(() => {});
}
