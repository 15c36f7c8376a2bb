import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Login } from './http.js';

/** The folder of the client's own files. */
export const folder = (): string =>
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
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}`;
  await writeFile(part, JSON.stringify(value), { mode: 0o600 });
  await rename(part, path);
}

export const keepLogin = (login: Login): Promise<void> => writePrivately(file(), login);
export const dropLogin = (): Promise<void> => rm(file(), { force: true });

/** Returns the login of `LIGHTBOX_URL` and `LIGHTBOX_TOKEN`, or the one that `lightbox login` has kept. */
export async function readLogin(): Promise<Login> {
  const { LIGHTBOX_URL: url, LIGHTBOX_TOKEN: token } = process.env;
  if (url && token) return { url: originOf(url), token };
  try {
    return JSON.parse(await readFile(file(), 'utf8')) as Login;
  } catch {
    throw new Error('You are not logged in. Create a token in your profile, and run `lightbox login <address>`.');
  }
}

/** The uploads that began and did not end: the address of each at the server, by a hash. No names are stored. */
export class Unfinished {
  private written: Promise<void> = Promise.resolve();

  private constructor(private readonly begun: Record<string, string>) {}

  private static path = (): string => join(folder(), 'uploads.json');

  static async read(): Promise<Unfinished> {
    return new Unfinished(
      await readFile(Unfinished.path(), 'utf8')
        .then((text) => JSON.parse(text) as Record<string, string>)
        .catch(() => ({})),
    );
  }

  get(key: string): string | undefined {
    return this.begun[key];
  }

  keep(key: string, url: string): Promise<void> {
    this.begun[key] = url;
    return this.write();
  }

  async drop(key: string): Promise<void> {
    if (!(key in this.begun)) return;
    delete this.begun[key];
    await this.write();
  }

  /** Writes one after another: several files are sent at the same time. */
  private write(): Promise<void> {
    this.written = this.written.then(() => writePrivately(Unfinished.path(), this.begun));
    return this.written;
  }
}
