import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { PATIENCE_MS } from '@lightbox/testkit/patience.js';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildPatient, PASSWORD } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test } = useGateway();
/** Keeps one connection. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

/** The headers that Java's client sends with each request over plain HTTP. */
const h2c = {
  Connection: 'Upgrade, HTTP2-Settings',
  Upgrade: 'h2c',
  'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
};

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string[];
}

/** Sends a request over the one connection, with its body in pieces, and returns the answer. */
async function send(path: string, { method = 'GET', headers = {}, body = [] }: Sent = {}) {
  const options = { agent, method, headers: { ...h2c, ...headers }, signal: AbortSignal.timeout(PATIENCE_MS) };
  const sent = request(`${test.url}${path}`, options);
  for (const piece of body) sent.write(piece);
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: (await json(answer)) as Record<string, unknown> };
}

describe('a request that asks for HTTP/2 as well is answered as an ordinary one,', () => {
  it('each time on one connection', async () => {
    let connection: Socket | undefined;
    const seen = (socket: Socket) => {
      connection = socket;
    };
    test.server.on('connection', seen);
    onTestFinished(() => {
      test.server.off('connection', seen);
    });
    for (let i = 0; i < 12; i++) expect((await send('/healthz')).status).toBe(200);
    for (const name of ['timeout', 'error', 'close', 'drain']) {
      expect(connection?.listenerCount(name), name).toBeLessThan(4);
    }
  });

  it.each([
    ['a length', (text: string) => ({ 'Content-Length': String(text.length) })],
    ['chunks', () => ({ 'Transfer-Encoding': 'chunked' })],
  ])('with its body in %s', async (_, framing) => {
    const { email } = await buildPatient(test.gateway);
    const text = JSON.stringify({ email, password: PASSWORD });
    const headers = { 'Content-Type': 'application/json', ...framing(text) };
    const answer = await send('/api/auth/login', { method: 'POST', headers, body: [text.slice(0, 9), text.slice(9)] });
    expect(answer).toMatchObject({ status: 200, body: { data: { user: { email } } } });
  });

  it('also when it is refused', async () => {
    expect(await send('/api/users')).toMatchObject({ status: 401, body: { error: 'UNAUTHENTICATED' } });
    const foreign = await send('/api/users', { headers: { Host: 'evil.example' } });
    expect(foreign).toMatchObject({ status: 421, body: { error: 'MISDIRECTED' } });
  });

  it('on the path of the live updates', async () => {
    const { status, body } = await send('/socket.io/?EIO=4&transport=none');
    expect([status, body]).toEqual([400, { code: 0, message: 'Transport unknown' }]);
  });
});

it('A WebSocket where there is none is answered as an ordinary request.', async () => {
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
  expect(await send('/api/nothing', { headers })).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
});

it('A connection that asks for another protocol before it has its answer is closed.', async () => {
  const { hostname, port } = new URL(test.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = Object.entries({ Host: hostname, ...h2c }).map(([name, value]) => `${name}: ${value}`);
  const ask = (path: string, headers: string[]) => `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
  socket.resume().write(ask('/api/users', [`Host: ${hostname}`]) + ask('/healthz', lines));
  // Sooner than an idle connection, which is closed after 65 seconds.
  await once(socket, 'close', { signal: AbortSignal.timeout(40_000) });
});

it('A foreign host that asks for a WebSocket is refused, and its connection is closed.', async () => {
  const { hostname, port } = new URL(test.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const lines = ['Host: evil.example', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const arriving = once(test.server, 'connection') as Promise<[Socket]>;
  socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const [connection] = await arriving;
  // This side never closes.
  if (!connection.destroyed) await once(connection, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
  await expect.poll(() => Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 421 /);
  socket.destroy();
});
