import { imageCalls } from '@lightbox/contract/images/calls.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { ApiError, send } from '../lib/http';

/** Returns the person's own image with these bytes. A server that does not answer it stores the file anyway. */
export async function knownImage(sha256: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { data } = await send(imageCalls.findKnown, { query: { sha256 } }, { signal, background: true });
    return data.imageId ?? undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400) return undefined;
    throw error;
  }
}

/** Creates a study of pictures and returns its id. */
export async function newStudy(title: string, patientId: string | undefined, idempotencyKey: string): Promise<string> {
  const body = { title, ...(patientId && { patientId }) };
  return (await send(studyCalls.createStudy, { body }, { idempotencyKey })).data.id;
}
