import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from './env.js';
import { faultOfKeys, makeKeys } from './keys.js';

const keyRing = z.string().refine((ring) => faultOfKeys(ring) === null);
const schema = z.object({
  appKeys: keyRing,
  encryptionKeys: keyRing,
  demo: z.object({ admin: z.string(), provider: z.string(), patient: z.string() }),
});

/** The secrets that an instance made for itself, once. Losing them loses the images. */
export type Secrets = z.output<typeof schema>;

/** Reads `secrets.json` of a data folder, and makes it first if there is none. Only its owner may read it. */
export function ensureSecrets(dataDir: string): Secrets {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file)) writeOnce(file, makeSecrets());
  if (process.platform !== 'win32' && statSync(file).mode & 0o077) chmodSync(file, 0o600);
  return readSecrets(file);
}

/** Makes new secrets without storing them, so that settings can be checked before anything is written. */
export const makeSecrets = (): Secrets => ({
  appKeys: makeKeys(),
  encryptionKeys: makeKeys(),
  demo: { admin: makePassword(), provider: makePassword(), patient: makePassword() },
});

/**
 * Reads the file, and never replaces a half-written or edited one: new keys would make every stored image unreadable.
 */
function readSecrets(file: string): Secrets {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ConfigError(
      `${file} is damaged. Restore a copy of it, or move the whole data folder away to start again.`,
    );
  }
}

/** Writes the file whole or not at all. The first of two processes wins. */
function writeOnce(file: string, secrets: Secrets): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/**
 * Makes a password that satisfies the password rule and has no characters that look alike: people copy it from a
 * terminal.
 */
function makePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `Demo7-${group()}-${group()}-${group()}`;
}
