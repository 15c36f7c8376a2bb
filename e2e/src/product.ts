import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinEnv } from '@lightbox/core/embedded/instance.js';
import { freePort } from '@lightbox/core/embedded/ports.js';
import { type Mailbox, startMailbox } from '@lightbox/core/testing/mailbox.js';

const root = join(import.meta.dirname, '../..');
const PATIENCE_MS = 90_000;

export interface Product {
  url: string;
  mailbox: Mailbox;
  admin: { email: string; password: string };
  /** For what only time would do. */
  mongodbUri: () => string;
  stop: () => Promise<void>;
}

/** The whole product, started as a newcomer starts it, with a data folder and a mail server of its own. */
export async function startProduct(): Promise<Product> {
  const [mailbox, port] = await Promise.all([startMailbox(), freePort()]);
  const dataDir = mkdtempSync(join(tmpdir(), 'lightbox-journey-'));
  const admin = { email: 'root@example.org', password: 'Correct-Horse-7-Battery' };
  const launcher = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_ENV: '',
      PORT: String(port),
      DATA_DIR: dataDir,
      SMTP_URL: mailbox.url,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      RATE_LIMITS: 'off',
    },
  });
  const url = await ready(launcher);
  return {
    url,
    mailbox,
    admin,
    mongodbUri: () => joinEnv({}, dataDir).MONGODB_URI ?? '',
    stop: async () => {
      const ended = new Promise((resolve) => launcher.once('exit', resolve));
      launcher.kill('SIGTERM');
      await ended;
      await mailbox.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function ready(launcher: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => reject(new Error(`${reason}\n${output}`));
    const timer = setTimeout(() => fail('The product was not ready in time.'), PATIENCE_MS);
    const read = (chunk: Buffer) => {
      output += chunk;
      const url = /Lightbox is ready on (\S+)/.exec(output)?.[1];
      if (!url) return;
      clearTimeout(timer);
      resolve(url);
    };
    launcher.stdout?.on('data', read);
    launcher.stderr?.on('data', read);
    launcher.once('exit', () => fail('The product ended.'));
  });
}
