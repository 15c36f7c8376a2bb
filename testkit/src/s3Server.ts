import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { S3Config } from '@lightbox/core/config/config.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { vi } from 'vitest';

export interface S3Server {
  config: S3Config;
  stop: () => void;
}

/** Returns versitygw from the path or from Go's folder; undefined when it is on neither. */
export const findVersitygw = (): string | undefined =>
  ['versitygw', join(homedir(), 'go/bin/versitygw')].find((file) => !spawnSync(file, ['--version']).error);

/** Starts versitygw with one bucket. Its objects are files of a folder. */
export async function startS3(versitygw: string, folder: string): Promise<S3Server> {
  const bucket = 'lightbox';
  mkdirSync(join(folder, bucket), { recursive: true });
  const pair = { accessKeyId: 'tester', secretAccessKey: 'Harbour-Lantern-42' };
  const port = await freePort();
  const args = ['--access', pair.accessKeyId, '--secret', pair.secretAccessKey, '--port', `127.0.0.1:${port}`];
  const server = spawn(versitygw, [...args, 'posix', folder], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(endpoint), 20_000);
  return {
    config: { ...pair, endpoint, region: 'us-east-1', bucket, forcePathStyle: true },
    stop: () => server.kill(),
  };
}
