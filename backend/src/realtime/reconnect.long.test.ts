import { once } from 'node:events';
import { AppError } from '@lightbox/core/errors.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { startWire, type Wire } from '@lightbox/testkit/wire.js';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../gateway.js';
import { Client } from '../testing/client.js';
import { buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { firstAdmin, joinGateway, type TestGateway } from '../testing/gateway.js';

/** Two gateways on the same servers. The way of one to MongoDB is a wire that can be torn. */
let near: TestGateway;
let wired: TestGateway;
let mongodb: Wire;
let person: Person;
const open: Socket[] = [];

beforeAll(async () => {
  const config = await testConfig({ admin: firstAdmin, rateLimits: false });
  near = await joinGateway(config);
  const uri = new URL(config.mongodbUri);
  mongodb = await startWire(uri.hostname, Number(uri.port));
  uri.port = String(mongodb.port);
  uri.searchParams.delete('replicaSet');
  uri.searchParams.set('directConnection', 'true');
  wired = await joinGateway({ ...config, mongodbUri: uri.href }, near.clock);
  person = await buildPatient(near.gateway);
});
afterEach(() => {
  mongodb.tear(0);
  for (const socket of open.splice(0)) socket.close();
});
afterAll(async () => {
  await Promise.all([near.stop(), wired.stop()]);
  await mongodb.stop();
});

interface Stock {
  socket: Socket;
  /** For each `connect_error`, whether the client would come back by itself. */
  comesBack: boolean[];
}

/** An outside client: `socket.io-client` with its defaults, and nothing that reconnects for it. */
function stock(url: string, options: Partial<ManagerOptions & SocketOptions> = {}): Stock {
  const socket = io(url, { auth: { token: person.token }, forceNew: true, ...options });
  const comesBack: boolean[] = [];
  socket.on('connect_error', () => comesBack.push(socket.active));
  open.push(socket);
  return { socket, comesBack };
}

/** The defaults, which begin with polling, and WebSocket alone. */
const transports: Partial<ManagerOptions>[] = [{}, { transports: ['websocket'] }];

async function handshake(url: string, transport: 'polling' | 'websocket') {
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
  const headers = transport === 'websocket' ? { ...upgrade, 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' } : {};
  const { get } = await import('node:http');
  const req = get(`${url}/socket.io/?EIO=4&transport=${transport}`, { headers, agent: false });
  const [res] = (await once(req, 'response')) as [import('node:http').IncomingMessage];
  let body = '';
  for await (const chunk of res.setEncoding('utf8')) body += chunk;
  return { status: res.statusCode, retryAfter: res.headers['retry-after'], body: JSON.parse(body) as object };
}

describe('while MongoDB is away', () => {
  it.each(['polling', 'websocket'] as const)('a handshake by %s is answered 503, with the time to wait', async (by) => {
    mongodb.tear(1);
    await expect
      .poll(() => handshake(wired.url, by).catch(() => null))
      .toEqual({
        status: 503,
        retryAfter: '2',
        body: { error: 'UNAVAILABLE', message: expect.any(String), requestId: expect.any(String) },
      });
  });

  it('clients with every transport come back to a gateway that starts, and to one that runs', async () => {
    mongodb.tear(1);
    const starting = await startGateway({ ...wired.config, port: 0 }, near.clock);
    try {
      const urls = [`http://127.0.0.1:${starting.port}`, wired.url];
      const clients = transports.flatMap((by) => urls.map((url) => stock(url, by)));
      await expect.poll(() => clients.every(({ comesBack }) => comesBack.length > 0)).toBe(true);
      mongodb.tear(0);
      await expect.poll(() => clients.every(({ socket }) => socket.connected)).toBe(true);
      expect(clients.flatMap(({ comesBack }) => comesBack)).not.toContain(false);
    } finally {
      await starting.stop();
    }
  });

  it('clients with every transport come back when MongoDB goes between handshake and session', async () => {
    const clients = transports.map((by) => stock(wired.url, { ...by, autoConnect: false }));
    const closed = clients.map(({ socket }) => once(socket.io as never, 'close'));
    await Promise.all(clients.map(({ socket }) => new Promise<void>((resolve) => socket.io.open(() => resolve()))));
    mongodb.tear(1);
    for (const { socket } of clients) socket.connect();
    await Promise.all(closed);
    mongodb.tear(0);
    await expect.poll(() => clients.every(({ socket }) => socket.connected)).toBe(true);
    expect(clients.flatMap(({ comesBack }) => comesBack)).not.toContain(false);
  });
});

it('when Redis restarts empty, clients with default options reconnect and read what they missed', async () => {
  const provider = await buildProvider(near.gateway);
  const { socket } = stock(near.url);
  let connects = 0;
  socket.on('connect', () => connects++);
  await expect.poll(() => connects).toBe(1);
  const send = (content: string) =>
    new Client(wired.url).as(provider).post('/message/send', { recipientId: person.id, content }).expect(201);
  const heard: string[] = [];
  socket.on('message:new', ({ content }: { content: string }) => heard.push(content));
  await send('before');
  await expect.poll(() => heard).toEqual(['before']);
  await near.gateway.redis.flushdb();
  await expect.poll(() => connects).toBe(2);
  await send('after');
  await expect.poll(() => heard).toEqual(['before', 'after']);
});

it('after a live update that could not be read for long, those who did not get it reconnect, and nobody else', async () => {
  const provider = await buildProvider(near.gateway);
  const bystander = await buildProvider(near.gateway);
  const clients = [person, provider, bystander].map(({ token }) => {
    const client = { connects: 0, heard: 0 };
    const { socket } = stock(near.url, { auth: { token } });
    socket.on('connect', () => client.connects++);
    socket.on('message:new', () => client.heard++);
    return client;
  });
  const state = () => clients.map(({ connects, heard }) => `${connects} ${heard}`);
  await expect.poll(state).toEqual(['1 0', '1 0', '1 0']);
  const { elections } = near.gateway;
  const { steady } = elections;
  let reads = 0;
  // MongoDB goes after the first person was served, and is back when the gateway gives up.
  elections.steady = (work) =>
    ++reads > 1 && reads <= 51 ? Promise.reject(new AppError('UNAVAILABLE')) : (steady.call(elections, work) as never);
  onTestFinished(() => {
    elections.steady = steady;
  });
  await new Client(wired.url).as(provider).post('/message/send', { recipientId: person.id, content: 'x' }).expect(201);
  await expect.poll(() => clients.map(({ connects }) => connects).sort()).toEqual([1, 1, 2]);
  expect(state().sort()).toEqual(['1 0', '1 1', '2 0']);
  expect(clients[2]).toEqual({ connects: 1, heard: 0 });
});

it.each(transports)('A client with %s returns by itself when its gateway is restarted on purpose.', async (_, by) => {
  const gateway = await startGateway({ ...near.config, port: 0 }, near.clock);
  const { socket, comesBack } = stock(`http://127.0.0.1:${gateway.port}`, by);
  await expect.poll(() => socket.connected).toBe(true);
  await gateway.stop();
  const restarted = await startGateway({ ...near.config, port: gateway.port }, near.clock);
  try {
    await expect.poll(() => socket.connected).toBe(true);
    expect(comesBack).not.toContain(false);
  } finally {
    await restarted.stop();
  }
});
