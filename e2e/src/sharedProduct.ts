import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acknowledgeInMemory } from '@lightbox/testkit/journal.js';
import type { TestProject } from 'vitest/node';
import { type OwnProduct, type Product, startProduct } from './product.js';
import type { Account } from './session.js';

declare module 'vitest' {
  interface ProvidedContext {
    sharedProduct: string;
  }
}

/** The facts of the shared product that another process needs. */
interface Facts {
  url: string;
  admin: Account;
  mongodbUri: string;
}

/** The calls between a process with test files and the process that has started the product. */
const calls = {
  facts: async ({ url, admin, mongodbUri }: OwnProduct): Promise<Facts> => ({ url, admin, mongodbUri: mongodbUri() }),
  adminToken: async ({ adminToken }: OwnProduct) => adminToken(),
  mails: async ({ mailbox }: OwnProduct, ...of: Parameters<Product['mailbox']['mails']>) => mailbox.mails(...of),
  waitFor: async ({ mailbox }: OwnProduct, ...of: Parameters<Product['mailbox']['waitFor']>) => mailbox.waitFor(...of),
};
type Calls = typeof calls;
type Name = keyof Calls;
type Arguments<N extends Name> = Parameters<Calls[N]> extends [OwnProduct, ...infer A] ? A : never;

/** No journey kills the servers of the shared product. */
async function begin(): Promise<OwnProduct> {
  const product = await startProduct();
  await acknowledgeInMemory(product.mongodbUri());
  return product;
}

async function bodyOf(request: IncomingMessage): Promise<unknown[]> {
  let body = '';
  for await (const part of request) body += part;
  return JSON.parse(body) as unknown[];
}

/**
 * Runs once before all journeys: the product that they share starts with the first journey that needs it, and all processes
 * with test files reach it and its mails by an address on this machine.
 */
export default async function serveProduct(project: TestProject): Promise<() => Promise<void>> {
  let product: Promise<OwnProduct> | undefined;
  const server = createServer((request, response) => {
    const answer = async () => {
      product ??= begin();
      const call = calls[(request.url ?? '').slice(1) as Name] as (
        product: OwnProduct,
        ...of: unknown[]
      ) => Promise<unknown>;
      return call(await product, ...(await bodyOf(request)));
    };
    answer().then(
      (value) => response.end(JSON.stringify(value)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('sharedProduct', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    await (await product)?.stop();
    server.closeAllConnections();
    server.close();
  };
}

/** Reaches the shared product from a process with test files. */
export async function reachProduct(address: string): Promise<Product> {
  const ask = async <N extends Name>(name: N, ...of: Arguments<N>): Promise<Awaited<ReturnType<Calls[N]>>> => {
    const answer = await fetch(`${address}/${name}`, { method: 'POST', body: JSON.stringify(of) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Awaited<ReturnType<Calls[N]>>;
  };
  const { url, admin, mongodbUri } = await ask('facts');
  const mailbox: Product['mailbox'] = {
    mails: (...of) => ask('mails', ...of),
    waitFor: (...of) => ask('waitFor', ...of),
  };
  return { url, admin, mailbox, adminToken: () => ask('adminToken'), mongodbUri: () => mongodbUri };
}
