import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@lightbox/core/config/env.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { type Mailbox, startMailbox } from './mailbox.js';

const root = join(import.meta.dirname, '../..');
const TIMEOUT_MS = 180_000;

export interface Product {
  url: string;
  dataDir: string;
  mailbox: Mailbox;
  /** True while the launcher runs. It ends when a part of the product cannot be restarted. */
  lives: () => boolean;
  /** Returns the output of the product so far. */
  output: () => string;
  stop: () => Promise<void>;
}

/** Starts the whole product with `npm start`'s script, a new data folder and its own mail server. */
export async function startProduct(changes: Env = {}): Promise<Product> {
  const [mailbox, port] = await Promise.all([startMailbox(), freePort()]);
  const dataDir = mkdtempSync(join(tmpdir(), 'lightbox-product-'));
  const launcher = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_ENV: '',
      PORT: String(port),
      DATA_DIR: dataDir,
      SMTP_URL: mailbox.url,
      RATE_LIMITS: 'off',
      ...changes,
    },
  });
  let output = '';
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const stop = async () => {
    await ended(launcher);
    await mailbox.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const url = await ready(launcher, () => output);
    return { url, dataDir, mailbox, lives: () => isRunning(launcher), output: () => output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

async function ended(launcher: ChildProcess): Promise<void> {
  if (!isRunning(launcher)) return;
  const exit = new Promise((resolve) => launcher.once('exit', resolve));
  launcher.kill('SIGTERM');
  await exit;
}

function ready(launcher: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new Error(`${reason}\n${output()}`));
    };
    const timer = setTimeout(() => fail('The product was not ready in time.'), TIMEOUT_MS);
    launcher.stdout?.on('data', () => {
      const url = /Lightbox is ready on (\S+)/.exec(output())?.[1];
      if (!url) return;
      clearTimeout(timer);
      resolve(url);
    });
    launcher.once('exit', () => fail('The product ended.'));
  });
}
