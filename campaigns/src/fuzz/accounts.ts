import type { Product } from '@lightbox/testkit/product.js';
import { call, data, postJson } from '../bench/client.js';
import type { Findings } from './campaign.js';
import type { People } from './people.js';
import { CLINIC } from './providers.js';

/** An account as an administrator sees it. */
interface Account {
  id: string;
  email: string;
  role: { name: string };
  status: string;
  active: boolean;
  firstname: string;
  lastname: string;
}

/** Makes a token of SCIM, as an administrator. */
export async function scimToken({ url }: Product, people: People): Promise<string> {
  const body = { name: 'Directory', provider: CLINIC };
  const admin = (await people.token('admin')) ?? undefined;
  return (await data<{ token: string }>(postJson(`${url}/api/admin/scim-tokens`, body, admin))).token;
}

/** Returns all accounts, by their ids. */
export async function accountsOf({ url }: Product, people: People): Promise<Map<string, Account>> {
  const token = (await people.token('admin')) ?? undefined;
  const found = new Map<string, Account>();
  for (let cursor = ''; ; ) {
    const { status, body } = await call(`${url}/api/users?limit=100${cursor && `&cursor=${cursor}`}`, { token });
    if (status !== 200) throw new Error(`The list of users answered ${status}.`);
    const page = JSON.parse(body.toString()) as { data: Account[]; pagination: { nextCursor: string | null } };
    for (const account of page.data) found.set(account.id, account);
    if (!page.pagination.nextCursor) return found;
    cursor = page.pagination.nextCursor;
  }
}

/** Checks that accounts which a door may not change are as before, and that no other was made than its answers name. */
export function expectAccounts(
  findings: Findings,
  before: Map<string, Account>,
  after: Map<string, Account>,
  made: ReadonlySet<string>,
): void {
  const text = (account: Account | undefined) =>
    account &&
    [account.email, account.role.name, account.status, account.active, account.firstname, account.lastname].join();
  for (const [id, account] of before) {
    if (text(after.get(id)) !== text(account)) findings.add(`the account ${id} is another: ${text(after.get(id))}`);
  }
  for (const [id, account] of after) {
    if (before.has(id)) continue;
    if (!made.has(id)) findings.add(`the account ${id} was stored without a success`);
    if (account.role.name === 'admin') findings.add(`the account ${id} is an administrator's`);
  }
}
