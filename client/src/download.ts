import { randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { imageCalls } from '@lightbox/contract/images/calls.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { type Login, open } from './http.js';

/** The name of the file: the id, which is opaque, and the ending that the server gives. */
function nameOf(answer: Response, id: string): string {
  const ending = /filename="[^"]*(\.[a-z0-9]{1,8})"/i.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return `${id}${ending}`;
}

const parts = new Set<string>();
process.on('exit', () => {
  for (const part of parts) rmSync(part, { force: true });
});

/**
 * Saves the original of an image, or a study as a zip, in a folder. Returns the path; null when the file is there
 * already. The file has its name only when it is whole.
 */
export async function download(
  login: Login,
  id: string,
  { to, study, force }: { to: string; study: boolean; force: boolean },
): Promise<string | null> {
  if (!/^[0-9a-f]{24}$/i.test(id)) throw new Error('This is no id.');
  const answer = await open(login, study ? studyCalls.getStudyContent : imageCalls.getImageContent, { id });
  const path = join(to, nameOf(answer, id));
  const there = await stat(path).catch(() => null);
  if ((there && !force) || !answer.body) {
    await answer.body?.cancel();
    return null;
  }
  await mkdir(to, { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  parts.add(part);
  try {
    // `wx`: a link that somebody has put there is not followed.
    await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(part, { mode: 0o600, flags: 'wx' }));
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
    parts.delete(part);
  }
  return path;
}
