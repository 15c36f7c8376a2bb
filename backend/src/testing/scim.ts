import { Client } from './client.js';
import { type Person, signIn } from './factories.js';
import type { TestGateway } from './gateway.js';

/** Calls SCIM as a provider does. */
export const scim = ({ url }: TestGateway, token: string, method: string, path: string, body?: object) =>
  fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/scim+json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

/** Makes a token of SCIM for the provider `clinic`. */
export async function makeScimToken(test: TestGateway, admin: Person): Promise<{ id: string; token: string }> {
  const session = new Client(test).as((await signIn(test.gateway, admin._id)).token);
  return (await session.post('/admin/scim-tokens', { name: 'Directory', provider: 'clinic' }).expect(201)).body.data;
}
