import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { limits } from '@lightbox/contract/limits.js';
import type { Login } from './http.js';

/** The folder of the client's own files. */
const folder = (): string =>
  join(process.env.XDG_CONFIG_HOME || process.env.APPDATA || join(homedir(), '.config'), 'lightbox');
const file = (): string => join(folder(), 'login.json');

const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns the origin of an address. Throws for an address without TLS that is not on this machine: the token and the
 * images would travel in clear text.
 */
export function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : new URL(`https://${address}`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local.test(url.hostname))) {
    throw new Error(`${url.origin} is not https. Without TLS, others could read the token and the images.`);
  }
  return url.origin;
}

/** Writes a file that only this user can read. It has its name when it is whole: the client may be killed at any time. */
async function writePrivately(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${randomUUID()}`;
  await writeFile(part, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
  await rename(part, path);
}

export const keepLogin = (login: Login): Promise<void> => writePrivately(file(), login);
export const dropLogin = (): Promise<void> => rm(file(), { force: true });

/** Returns the login of `LIGHTBOX_URL` and `LIGHTBOX_TOKEN`, or the one that `lightbox login` has kept. */
export async function readLogin(): Promise<Login> {
  const { LIGHTBOX_URL: url, LIGHTBOX_TOKEN: token } = process.env;
  if (Boolean(url) !== Boolean(token)) throw new Error('Set both LIGHTBOX_URL and LIGHTBOX_TOKEN, or neither.');
  if (url && token) return { url: originOf(url), token };
  try {
    return JSON.parse(await readFile(file(), 'utf8')) as Login;
  } catch {
    throw new Error('You are not logged in. Create a token in your profile, and run `lightbox login <address>`.');
  }
}

/**
 * The uploads that began and did not end: the address of each at the server, in a file named by a hash, so that several
 * runs at the same time do not disturb each other. No names are stored.
 */
export const unfinished = {
  path: (key: string): string => join(folder(), 'uploads', key),
  get: (key: string): Promise<string | undefined> =>
    readFile(unfinished.path(key), 'utf8').then(
      (text) => JSON.parse(text) as string,
      () => undefined,
    ),
  keep: (key: string, url: string): Promise<void> => writePrivately(unfinished.path(key), url),
  drop: (key: string): Promise<void> => rm(unfinished.path(key), { force: true }),
  /** Removes those that the server has removed by now. */
  async dropOld(): Promise<void> {
    const oldest = Date.now() - limits.resumableHours * 60 * 60_000;
    for (const key of await readdir(join(folder(), 'uploads')).catch(() => [])) {
      const kept = await stat(unfinished.path(key)).catch(() => undefined);
      if (kept && kept.mtimeMs < oldest) await unfinished.drop(key);
    }
  },
};
