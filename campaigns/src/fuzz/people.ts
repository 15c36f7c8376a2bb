import type { Product } from '@lightbox/testkit/product.js';
import { data, postJson } from '../bench/client.js';

export const fuzzRoles = ['nobody', 'verification', 'patient', 'healthProvider', 'admin'] as const;
export type FuzzRole = (typeof fuzzRoles)[number];

interface Account {
  email: string;
  password: string;
}

const SUBJECT = 'Your verification code';

/** The people of the demonstration. They sign in as usual: password, mailed code, token. */
export class People {
  private constructor(
    private readonly product: Product,
    private readonly accounts: Map<string, Account>,
  ) {}

  static async of(product: Product): Promise<People> {
    const answer = await fetch(`${product.url}/api/demo`);
    const { data: people } = (await answer.json()) as { data: (Account & { role: string })[] };
    return new People(product, new Map(people.map((person) => [person.role, person])));
  }

  /** Returns a valid token for a role, or null for `nobody`. */
  async token(role: FuzzRole): Promise<string | null> {
    if (role === 'nobody') return null;
    const { email, password } = this.account(role === 'verification' ? 'patient' : role);
    const auth = `${this.product.url}/api/auth`;
    const before = this.product.mailbox.mails(email, SUBJECT).length;
    const { token } = await data<{ token: string }>(postJson(`${auth}/login`, { email, password }));
    if (role === 'verification') return token;
    // Generated requests have asked for codes too, so the next mail may belong to one of them.
    for (let next = before + 1; ; next++) {
      const mails = await this.product.mailbox.waitFor(email, SUBJECT, next);
      const code = /^Code: (\d{6})$/m.exec(mails[next - 1]?.text ?? '')?.[1];
      const reply = await postJson(`${auth}/confirm`, { code }, token);
      if (reply.status !== 422) return (await data<{ token: string }>(Promise.resolve(reply))).token;
    }
  }

  email(role: string): string {
    return this.account(role).email;
  }

  async isSignedIn(token: string): Promise<boolean> {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${this.product.url}/api/settings/public`, { headers })).ok;
  }

  private account(role: string): Account {
    const account = this.accounts.get(role);
    if (!account) throw new Error(`The demonstration has no ${role}.`);
    return account;
  }
}
