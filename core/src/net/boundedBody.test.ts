import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectGarbage } from '@lightbox/testkit/garbage.js';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { boundedBody } from './boundedBody.js';

let server: Server;
let url: string;
const answers = new Set<ServerResponse>();

beforeAll(async () => {
  // Sends a byte now and then, and never ends.
  server = createServer((_request, response) => {
    const drip = setInterval(() => response.write('.'), 20);
    answers.add(response);
    response.on('close', () => {
      clearInterval(drip);
      answers.delete(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.closeAllConnections());

const refuse = () => new TypeError('too long');

it.each(['follow', 'error', 'manual'] as const)(
  'a body that never ends fails when its time is over, with redirects “%s”, also after garbage was collected',
  async (redirect) => {
    const read = async (signal: AbortSignal) => {
      const response = await fetch(url, { signal, redirect });
      return boundedBody(response, 1_000_000, refuse, signal).text();
    };
    onTestFinished(collectGarbage());
    await expect(read(AbortSignal.timeout(300))).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect.poll(() => answers.size).toBe(0);
  },
);

it('a body of more bytes than allowed fails, and its connection is closed', async () => {
  const response = await fetch(url);
  await expect(boundedBody(response, 3, refuse, null).text()).rejects.toThrow('too long');
  await expect.poll(() => answers.size).toBe(0);
});
