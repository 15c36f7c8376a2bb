import { type Product as Started, startProduct as start } from '@lightbox/core/testing/product.js';

export interface Product extends Started {
  admin: { email: string; password: string };
}

/** The whole product with one person in it: the admin of the configuration. */
export async function startProduct(): Promise<Product> {
  const admin = { email: 'root@example.org', password: 'Correct-Horse-7-Battery' };
  return { ...(await start({ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password })), admin };
}
