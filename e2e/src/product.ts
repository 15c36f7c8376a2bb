import type { Env } from '@lightbox/core/config/env.js';
import { joinEnv } from '@lightbox/launcher/instance.js';
import { type Product as Started, startProduct as start } from '@lightbox/testkit/product.js';

export interface Account {
  email: string;
  password: string;
}

export interface Product extends Started {
  admin: Account;
  /** For tests that change the database directly, where otherwise time would have to pass. */
  mongodbUri: () => string;
}

/**
 * Starts the whole product. With `demo` it has the demo people, their images and their chat; otherwise only one
 * administrator. `env` adds environment variables.
 */
export async function startProduct({ demo = false, env = {} }: { demo?: boolean; env?: Env } = {}): Promise<Product> {
  const admin = { email: 'root@example.org', password: 'Correct-Horse-7-Battery' };
  const people: Env = demo ? { DEMO: '1' } : { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password };
  const product = await start({ ...people, ...env });
  return { ...product, admin, mongodbUri: () => joinEnv({}, product.dataDir).MONGODB_URI ?? '' };
}

export type Role = 'admin' | 'healthProvider' | 'patient';

/** Reads the demo people by the call of the login page. */
export async function demoPeople(product: Product): Promise<Record<Role, Account>> {
  const answer = await fetch(`${product.url}/api/demo`);
  const { data } = (await answer.json()) as { data: (Account & { role: Role })[] };
  const of = (role: Role) => data.find((person) => person.role === role) ?? { email: '', password: '' };
  return { admin: of('admin'), healthProvider: of('healthProvider'), patient: of('patient') };
}
