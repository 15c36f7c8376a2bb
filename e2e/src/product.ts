import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinEnv } from '@lightbox/core/embedded/instance.js';
import { freePort } from '@lightbox/core/embedded/ports.js';
import { type Mailbox, startMailbox } from '@lightbox/core/testing/mailbox.js';

const root = join(import.meta.dirname, '../..');
const PATIENCE_MS = 180_000;

export interface Account {
  email: string;
  password: string;
}

export interface Product {
  url: string;
  mailbox: Mailbox;
  admin: Account;
  /** For what only time would do. */
  mongodbUri: () => string;
  stop: () => Promise<void>;
}

/**
 * The whole product, started as a newcomer starts it, with a data folder and a mail server of its own. With `demo` it
 * comes with its demo people, their images and their chat; without, with nobody but an administrator. `env` is further
 * environment.
 */
export async function startProduct({
  demo = false,
  env = {},
}: {
  demo?: boolean;
  env?: Record<string, string>;
} = {}): Promise<Product> {
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
      ...(demo ? { DEMO: '1' } : { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password }),
      RATE_LIMITS: 'off',
      ...env,
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

export type Role = 'admin' | 'healthProvider' | 'patient';

/** The demo people, as the login page gets them. */
export async function demoPeople(product: Product): Promise<Record<Role, Account>> {
  const answer = await fetch(`${product.url}/api/demo`);
  const { data } = (await answer.json()) as { data: (Account & { role: Role })[] };
  const of = (role: Role) => data.find((person) => person.role === role) ?? { email: '', password: '' };
  return { admin: of('admin'), healthProvider: of('healthProvider'), patient: of('patient') };
}

function ready(launcher: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => {
      launcher.kill('SIGTERM');
      reject(new Error(`${reason}\n${output}`));
    };
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
