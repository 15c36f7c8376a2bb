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
