import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { uploadCalls } from '@lightbox/contract/uploads/calls.js';
import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { unfinished } from './account.js';
import { ApiError, elsewhere, failureOf, isAway, type Login, patiently, send } from './http.js';

/** A file to send. `named`: the person has named it, and not only its folder. */
export interface Found {
  path: string;
  size: number;
  named: boolean;
}

/** A path that is not sent. `failed`: the person wanted it, or it could not be read. */
export interface LeftOut {
  path: string;
  state: 'failed' | 'skipped';
  reason: string;
}

/**
 * Lists the files of these paths, with those of all folders below them, in the order of their names. Links in folders are
 * not followed: they may lead in circles, or out of the folder.
 */
export async function filesOf(paths: string[]): Promise<{ files: Found[]; leftOut: LeftOut[] }> {
  const [files, leftOut]: [Found[], LeftOut[]] = [[], []];
  const look = async (path: string, named: boolean): Promise<void> => {
    try {
      const about = named ? await stat(path) : await lstat(path);
      if (about.isFile()) files.push({ path, size: about.size, named });
      else if (about.isDirectory()) {
        for (const name of (await readdir(path)).sort()) if (!name.startsWith('.')) await look(join(path, name), false);
      } else {
        const reason = about.isSymbolicLink() ? 'Links in a folder are not followed.' : 'This is no file.';
        leftOut.push({ path, state: named ? 'failed' : 'skipped', reason });
      }
    } catch (error) {
      leftOut.push({ path, state: 'failed', reason: (error as Error).message });
    }
  };
  for (const path of paths) await look(path, true);
  return { files, leftOut };
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

/**
 * Sends a file, unless the person has it at the server already. An upload that was cut off goes on where it ended, also
 * in a later run.
 */
export async function upload(
  login: Login,
  { path, size, named }: Found,
  wish: Wish,
  onProgress: (sent: number) => void,
): Promise<Outcome> {
  const sha256 = await sha256Of(path);
  const { data } = await send(login, imageCalls.findKnown, { query: { sha256 } });
  if (data.imageId) return { state: 'known', imageId: data.imageId };
  const key = createHash('sha256')
    .update(JSON.stringify([login.url, sha256, wish]))
    .digest('hex');
  try {
    const imageId = await patiently(() => transfer(login, { path, size }, wish, key, onProgress), passes);
    await unfinished.drop(key);
    return { state: 'stored', imageId };
  } catch (error) {
    if (error instanceof ApiError && isFinal(error)) await unfinished.drop(key);
    if (!named && error instanceof ApiError && error.code === 'UNSUPPORTED_TYPE') {
      return { state: 'skipped', reason: error.message };
    }
    throw error;
  }
}

/** `CONFLICT`: the server still works on the piece that the end of an earlier run cut off. */
const passes = (error: ApiError): boolean => isAway(error) || error.code === 'CONFLICT';

/** True when the server has refused the file. Other refusals pass: a new token, or some patience, and the upload goes on. */
const isFinal = (error: ApiError): boolean =>
  error.status >= 400 && error.status < 500 && !passes(error) && ![401, 403].includes(error.status);

async function transfer(
  { url, token }: Login,
  { path, size }: Pick<Found, 'path' | 'size'>,
  { caption, patientId, mismatchReason }: Wish,
  key: string,
  onProgress: (sent: number) => void,
): Promise<string> {
  const begun = await unfinished.get(key);
  return new Promise((resolve, reject) => {
    let imageId = '';
    const sending = new Upload(createReadStream(path), {
      endpoint: `${url}/api${uploadCalls.createUpload.path}`,
      ...(begun ? { uploadUrl: begun } : {}),
      uploadSize: size,
      chunkSize: limits.pieceBytes,
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
      // Without the note the upload still ends in this run.
      onUploadUrlAvailable: () => sending.url && void unfinished.keep(key, sending.url).catch(() => undefined),
      // The server, or a proxy without TLS, names the address of the upload.
      onBeforeRequest: (request) => {
        if (new URL(request.getURL()).origin !== url) throw elsewhere(url);
      },
      onProgress,
      onAfterResponse: (request: HttpRequest, response: HttpResponse) => {
        imageId = response.getHeader('Lightbox-Image') ?? imageId;
        // The library would begin anew when the server cannot say now how much has arrived.
        const failure = failureIn(response);
        if (request.getMethod() === 'HEAD' && (isAway(failure) || failure.status >= 500)) throw failure;
      },
      onSuccess: () => resolve(imageId),
      onError: (error) => reject(asApiError(error, url)),
    });
    sending.start();
  });
}

const failureIn = (answer: HttpResponse): ApiError =>
  failureOf(answer.getStatus(), answer.getBody(), answer.getHeader('retry-after'));

function asApiError(error: Error | DetailedError, url: string): Error {
  if (!(error instanceof DetailedError)) return error;
  if (error.causingError instanceof ApiError) return error.causingError;
  const answer = error.originalResponse;
  if (!answer) return new ApiError(0, 'UNREACHABLE', `${url} cannot be reached.`);
  return failureIn(answer);
}
