import type { Env } from '@lightbox/core/config/env.js';
import { joinEnv } from '@lightbox/launcher/instance.js';
import { startProduct as start } from '@lightbox/testkit/product.js';
import { type Account, type Mails, postTo, sessionOf } from './session.js';

/** A running product, as a journey uses it. */
export interface Product {
  url: string;
  mailbox: Mails;
  admin: Account;
  /** Returns the token of a session of `admin`, for calls without a browser. */
  adminToken: () => Promise<string>;
  /** For tests that change the database directly, where otherwise time would have to pass. */
  mongodbUri: () => string;
}

/** A product that only one test file uses. */
export interface OwnProduct extends Product {
  /** Returns the output of the product so far. */
  output: () => string;
  stop: () => Promise<void>;
}

/** An access token is valid for longer than this. */
const RENEW_MS = 300_000;

/**
 * Starts the whole product. With `demo` it has the demo people, their images and their chat; otherwise only one
 * administrator. `env` adds environment variables.
 */
export async function startProduct({
  demo = false,
  env = {},
}: {
  demo?: boolean;
  env?: Env;
} = {}): Promise<OwnProduct> {
  const first = { email: 'root@example.org', password: 'Correct-Horse-7-Battery' };
  const people: Env = demo ? { DEMO: '1' } : { ADMIN_EMAIL: first.email, ADMIN_PASSWORD: first.password };
  const { url, mailbox, dataDir, output, stop } = await start({ ...people, ...env });
  const admin = demo ? (await demoPeople({ url })).admin : first;
  let token: Promise<string> | undefined;
  let renewAt = 0;
  const adminToken = () => {
    if (!token || Date.now() > renewAt) {
      renewAt = Date.now() + RENEW_MS;
      token = sessionOf(mailbox, admin, postTo(url)).then((session) => session.token);
    }
    return token;
  };
  return { url, mailbox, admin, adminToken, mongodbUri: () => joinEnv({}, dataDir).MONGODB_URI ?? '', output, stop };
}

export type Role = 'admin' | 'healthProvider' | 'patient';

/** Reads the demo people by the call of the login page. */
export async function demoPeople({ url }: Pick<Product, 'url'>): Promise<Record<Role, Account>> {
  const answer = await fetch(`${url}/api/demo`);
  const { data } = (await answer.json()) as { data: (Account & { role: Role })[] };
  const of = (role: Role) => data.find((person) => person.role === role) ?? { email: '', password: '' };
  return { admin: of('admin'), healthProvider: of('healthProvider'), patient: of('patient') };
}
