import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Product } from '@lightbox/testkit/product.js';
import type { Campaign } from './campaign.js';
import type { FuzzRole, People } from './people.js';

export interface Desk {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a server that gives the generator of requests valid tokens and ids of existing records. */
export async function openDesk(
  { product, people, say }: Pick<Campaign, 'product' | 'people' | 'say'>,
  role: FuzzRole,
): Promise<Desk> {
  const badge = new Badge(people, role);
  const admin = new Badge(people, 'admin');
  const answers: Record<string, () => Promise<object>> = {
    '/token': async () => ({ token: await badge.token() }),
    '/known': async () => known(product, await admin.token()),
  };
  // Requests run one at a time: two sign-ins at once would mix up the codes.
  let before: Promise<unknown> = Promise.resolve();
  const server = createServer((req, res) => {
    const answer = before.then(() => answers[req.url ?? '']?.() ?? {});
    before = answer.catch(() => undefined);
    answer.then(
      (found) => res.end(JSON.stringify(found)),
      (error: Error) => {
        say(`  the desk failed: ${error.message}`);
        res.writeHead(500).end();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** A call does not show that a verification token has expired, so it is replaced well before its end. */
const VERIFICATION_MS = 5 * 60_000;

/** The token of a role. It is replaced when a call has ended the session or it expires. */
class Badge {
  private current: string | null = null;
  private at = 0;

  constructor(
    private readonly people: People,
    private readonly role: FuzzRole,
  ) {}

  async token(): Promise<string | null> {
    if (this.role === 'nobody') return null;
    if (this.current && (await this.lives(this.current))) return this.current;
    this.at = Date.now();
    this.current = await this.people.token(this.role);
    return this.current;
  }

  private lives(token: string): Promise<boolean> | boolean {
    if (this.role === 'verification') return Date.now() - this.at < VERIFICATION_MS;
    return this.people.isSignedIn(token);
  }
}

/** Returns the ids and addresses that an admin can see. */
async function known(product: Product, token: string | null): Promise<{ ids: string[]; emails: string[] }> {
  const list = async <T>(path: string): Promise<T[]> => {
    const answer = await fetch(`${product.url}/api${path}`, { headers: { Authorization: `Bearer ${token}` } });
    return answer.ok ? ((await answer.json()) as { data: T[] }).data : [];
  };
  const users = await list<{ id: string; email: string }>('/users?limit=20');
  const images = await list<{ id: string }>('/upload/images?limit=20');
  const settings = await list<{ id: string }>('/appsetting/');
  const shares = await Promise.all(images.slice(0, 5).map(({ id }) => list<{ id: string }>(`/sharing?imageId=${id}`)));
  return {
    ids: [...users, ...images, ...settings, ...shares.flat()].map(({ id }) => id),
    emails: users.map(({ email }) => email),
  };
}
