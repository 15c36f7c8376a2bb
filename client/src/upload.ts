import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { uploadCalls } from '@lightbox/contract/uploads/calls.js';
import { DetailedError, type HttpResponse, Upload } from 'tus-js-client';
import type { Unfinished } from './account.js';
import { ApiError, failureOf, type Login, patiently, send } from './http.js';

/** A file to send. `named`: the person has named it, and not only its folder. */
export interface Found {
  path: string;
  size: number;
  named: boolean;
}

/** Lists the files of these paths, with those of all folders below them, in the order of their names. */
export async function filesOf(paths: string[], named = true): Promise<Found[]> {
  const found: Found[] = [];
  for (const path of paths) {
    const about = await stat(path);
    if (about.isDirectory()) {
      const inside = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
      found.push(
        ...(await filesOf(
          inside.map((name) => join(path, name)),
          false,
        )),
      );
    } else if (about.isFile()) {
      found.push({ path, size: about.size, named });
    }
  }
  return found;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export interface Wish {
  caption: string;
  patientId?: string;
  mismatchReason?: string;
}

/** `known`: the person has this file at the server already. `skipped`: it is no picture, PDF or DICOM file. */
export type Outcome = { state: 'stored' | 'known'; imageId: string } | { state: 'skipped'; reason: string };

/** Bytes of one request. */
const PIECE = 8 * 1024 ** 2;

/**
 * Sends a file, unless the person has it at the server already. An upload that was cut off goes on where it ended, also
 * in a later run.
 */
export async function upload(
  login: Login,
  { path, size, named }: Found,
  wish: Wish,
  unfinished: Unfinished,
  onProgress: (sent: number) => void,
): Promise<Outcome> {
  const sha256 = await sha256Of(path);
  const { data } = await send(login, imageCalls.findKnown, { query: { sha256 } });
  if (data.imageId) return { state: 'known', imageId: data.imageId };
  const key = createHash('sha256')
    .update(JSON.stringify([login.url, sha256, wish]))
    .digest('hex');
  try {
    const imageId = await patiently(() => transfer(login, { path, size }, wish, key, unfinished, onProgress));
    await unfinished.drop(key);
    return { state: 'stored', imageId };
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) await unfinished.drop(key);
    if (!named && error instanceof ApiError && error.code === 'UNSUPPORTED_TYPE') {
      return { state: 'skipped', reason: error.message };
    }
    throw error;
  }
}

function transfer(
  { url, token }: Login,
  { path, size }: Pick<Found, 'path' | 'size'>,
  { caption, patientId, mismatchReason }: Wish,
  key: string,
  unfinished: Unfinished,
  onProgress: (sent: number) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let imageId = '';
    const begun = unfinished.get(key);
    const sending = new Upload(createReadStream(path), {
      endpoint: `${url}/api${uploadCalls.createUpload.path}`,
      ...(begun ? { uploadUrl: begun } : {}),
      uploadSize: size,
      chunkSize: PIECE,
      headers: { authorization: `Bearer ${token}` },
      metadata: {
        filename: basename(path),
        filetype: 'application/octet-stream',
        caption: caption.slice(0, limits.captionLength),
        ...(patientId ? { patientId } : {}),
        ...(mismatchReason ? { mismatchReason } : {}),
      },
      retryDelays: null,
      storeFingerprintForResuming: false,
      onUploadUrlAvailable: () => sending.url && void unfinished.keep(key, sending.url),
      onProgress,
      onAfterResponse: (_: unknown, response: HttpResponse) => {
        imageId = response.getHeader('Lightbox-Image') ?? imageId;
      },
      onSuccess: () => resolve(imageId),
      onError: (error) => reject(asApiError(error, url)),
    });
    sending.start();
  });
}

function asApiError(error: Error | DetailedError, url: string): Error {
  if (!(error instanceof DetailedError)) return error;
  const answer = error.originalResponse;
  if (!answer) return new ApiError(0, 'UNREACHABLE', `${url} cannot be reached.`);
  return failureOf(answer.getStatus(), answer.getBody(), answer.getHeader('retry-after'));
}
