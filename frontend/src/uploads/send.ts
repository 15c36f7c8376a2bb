import { imageCalls } from '@lightbox/contract/images/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { send } from '../lib/http';
import type { Sending } from './sending';

async function sendAtOnce(sending: Sending): Promise<string> {
  const { file, caption, patientId, studyId, mismatchReason, idempotencyKey, onProgress, signal } = sending;
  const body = new FormData();
  body.set('caption', caption);
  if (patientId) body.set('patientId', patientId);
  if (studyId) body.set('studyId', studyId);
  if (mismatchReason) body.set('mismatchReason', mismatchReason);
  body.set('file', file);
  return (await send(imageCalls.uploadImage, { body }, { onProgress, signal, idempotencyKey })).data.id;
}

/** Sends one file and returns the id of the stored image. */
export async function sendFile(sending: Sending): Promise<string> {
  if (!sending.begun && (sending.file.size <= limits.resumableBytes || !sending.hash)) return sendAtOnce(sending);
  return (await import('./tus')).sendInPieces(sending);
}
