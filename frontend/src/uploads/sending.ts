import { ApiError } from '../lib/http';
import type { Unfinished } from './resumable';

/** Everything that the server needs to store one file. */
export interface Sending {
  file: File;
  /** SHA-256 of the file; '' when this browser could not compute it. */
  hash: string;
  caption: string;
  patientId?: string | undefined;
  studyId?: string | undefined;
  mismatchReason?: string | undefined;
  idempotencyKey: string;
  /** The upload of an earlier page to go on with. */
  begun?: Unfinished | undefined;
  /** Gets the share that was sent, 0…1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** The same request may succeed later. `CONFLICT`: the server still works on the request that a pause cut off. */
export const isAway = (error: unknown) =>
  error instanceof ApiError &&
  (error.status === 0 || error.code === 'CONFLICT' || [408, 423, 502, 503, 504].includes(error.status));

/** Every further file would fail in the same way. */
export const isFull = (error: unknown) =>
  error instanceof ApiError && ['QUOTA_REACHED', 'STORAGE_FULL'].includes(error.code);

/** The server itself has failed. */
export const isServerError = (error: unknown) => error instanceof ApiError && error.status >= 500 && !isFull(error);
/** Tries after an error of the server itself. */
export const mostTries = 3;

/** Reads a file to find out whether it was changed or deleted on the disk since it was chosen. Returns the reason. */
const unreadable = (file: File): Promise<unknown> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );

/**
 * Returns why the file was not sent. To the browser, a file that it cannot read any more is a lost connection: waiting for
 * it would never end.
 */
export const reasonOf = async (error: unknown, file: File): Promise<unknown> =>
  (error instanceof ApiError && error.status === 0 && (await unreadable(file))) || error;
