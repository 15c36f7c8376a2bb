import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { type Login, open } from './http.js';

/** The name that the server gives to the file: opaque, with the ending of its type. */
function nameOf(answer: Response, id: string): string {
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  return basename(name ?? id);
}

/**
 * Saves the original of an image, or a study as a zip, in a folder. Returns the path; null when the file is there
 * already. The file has its name only when it is whole.
 */
export async function download(
  login: Login,
  id: string,
  { to, study, force }: { to: string; study: boolean; force: boolean },
): Promise<string | null> {
  const answer = await open(login, study ? studyCalls.getStudyContent : imageCalls.getImageContent, { id });
  const path = join(to, nameOf(answer, id));
  const there = await stat(path).catch(() => null);
  if ((there && !force) || !answer.body) {
    await answer.body?.cancel();
    return null;
  }
  await mkdir(to, { recursive: true });
  const part = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return path;
}
