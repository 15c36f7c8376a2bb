import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket as Wire } from 'node:net';
import { limits } from '@lightbox/contract/limits.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { Server } from 'socket.io';
import { io as connectTo } from 'socket.io-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Gateway } from '../context.js';
import { endWhenSlow } from './connections.js';
import type { Client, Io } from './rooms.js';

const content = '漢'.repeat(1_000);
const longest = '漢'.repeat(limits.messageLength);

/** Returns both ends of a connection. `read` says whether the client reads. */
async function connected(read: boolean) {
  // The time since the last drain is no part of these tests.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const http = createServer();
  const io: Io = new Server(http, { serveClient: false, perMessageDeflate: false });
  onTestFinished(async () => void (await io.close()));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const arrived = once(io as never, 'connection') as unknown as Promise<[Client]>;
  const client = connectTo(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, {
    transports: ['websocket'],
    reconnection: false,
  });
  onTestFinished(() => void client.disconnect());
  const [[socket]] = await Promise.all([arrived, once(client as never, 'connect')]);
  if (!read) (client.io.engine.transport as unknown as { ws: { _socket: Wire } }).ws._socket.pause();
  const warn = vi.fn();
  endWhenSlow({ log: { warn } } as unknown as Gateway, socket.conn);
  const { emit } = socket as unknown as { emit: (name: string, payload: object) => void };
  const send = (count: number, text = content) => {
    for (let i = 0; i < count; i++) emit.call(socket, 'message:new', { content: text });
  };
  return { client, socket, send, warn };
}

it('A client that does not read is disconnected when two thousand packets wait for it, however fast they came.', async () => {
  const { socket, send, warn } = await connected(false);
  // The first one is written, and the others wait.
  send(2_000);
  expect(socket.connected).toBe(true);
  send(1);
  expect(warn).toHaveBeenCalledOnce();
  await eventually(() => expect(socket.connected).toBe(false));
});

it('A client that does not read is disconnected sooner when the packets that wait for it are large.', async () => {
  const { socket, send, warn } = await connected(false);
  send(700, longest);
  expect(socket.connected).toBe(true);
  send(100, longest);
  expect(warn).toHaveBeenCalled();
  await eventually(() => expect(socket.connected).toBe(false));
});

it('A client that reads gets a burst of more than a thousand packets, and stays connected.', async () => {
  const { client, socket, send, warn } = await connected(true);
  let got = 0;
  client.on('message:new', () => got++);
  send(1_500);
  await eventually(() => expect(got).toBe(1_500));
  expect(socket.connected).toBe(true);
  expect(warn).not.toHaveBeenCalled();
});
