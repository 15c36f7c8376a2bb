import { createHash, randomUUID } from 'node:crypto';
import { noisePng } from '../bench/files.js';
import type { Account } from './account.js';

export interface Uploaded {
  id: string;
  sha256: string;
  /** The time of the acknowledgement. */
  at: number;
  by: Account;
  /** The share, if the image was shared. */
  shareId?: string;
}

const KB = 1024;
/** Sizes below and above one chunk. */
const SIZES = [60, 200, 700, 1500].map((size) => size * KB);

/** Uploads one picture, requests its analysis, and shares every third. Repeats each call with its key until it is answered. */
export async function uploadOne(by: Account, n: number, recipientId: string): Promise<Uploaded> {
  const file = noisePng(SIZES[n % SIZES.length] as number);
  const form = new FormData();
  form.set('caption', `campaign ${n}`);
  form.set('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'picture.png');
  const { id } = await by.ask<{ id: string }>('POST', '/upload/image', { body: form, headers: keyed() });
  const uploaded: Uploaded = { id, sha256: sha256(file), at: Date.now(), by };
  await by.ask('GET', `/analyze/${id}`);
  if (n % 3 === 0) {
    const body = { imagemetadataId: id, createdfor: recipientId };
    const share = await by.ask<{ id: string }>('POST', '/sharing/request', { body, headers: keyed() });
    uploaded.shareId = share.id;
  }
  return uploaded;
}

const keyed = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
