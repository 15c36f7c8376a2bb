import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, up } from '@lightbox/campaigns/chaos/servers.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { type Signal, Signals } from '@lightbox/core/events/signals.js';
import { findValkey } from '@lightbox/launcher/binaries.js';
import { freePort } from '@lightbox/launcher/ports.js';
import type { EmbeddedServer } from '@lightbox/launcher/server.js';
import { valkeyServer } from '@lightbox/launcher/valkey.js';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';

const log = pino({ level: 'silent' });
const cutOf = (id: string): Signal => ({ cut: { sessions: [id], reason: 'test' } });

const children: ChildProcess[] = [];
const folders: string[] = [];
const open: Redis[] = [];

afterEach(async () => {
  for (const redis of open.splice(0)) redis.disconnect();
  await Promise.all(children.splice(0).map(kill));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Server {
  port: number;
  program: EmbeddedServer;
  child: ChildProcess;
  redis: Redis;
}

async function start(...args: string[]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-failover-'));
  folders.push(folder);
  const port = await freePort();
  const plain = valkeyServer(await findValkey(() => {}), folder, port);
  const program = { ...plain, args: [...plain.args, ...args] };
  const child = await up(program);
  children.push(child);
  return { port, program, child, redis: await connect(port, 'failFast') };
}

async function connect(port: number, kind: 'failFast' | 'patient'): Promise<Redis> {
  const redis = connectRedis(`redis://127.0.0.1:${port}`, kind);
  open.push(redis);
  await once(redis, 'ready');
  return redis;
}

/** Begins to read at `server`, and waits until a first signal has arrived. */
async function listenAt(server: Server) {
  const reader = await connect(server.port, 'patient');
  const heard = { signals: [] as Signal[], missed: 0 };
  new Signals(await connect(server.port, 'failFast'), log).listen(reader, {
    deliver: (signal) => heard.signals.push(signal),
    missed: () => {
      heard.missed++;
    },
  });
  await expect.poll(() => server.redis.info('clients')).toMatch(/blocked_clients:1/);
  await new Signals(server.redis, log).send([cutOf('before')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('before')]);
  // A machine that stood still for a second while the reader began makes it report a loss.
  heard.missed = 0;
  return { reader, heard };
}

it('A replica that takes over from a server that died counts as missed signals, though it holds as many as were read.', async () => {
  const master = await start();
  const replica = await start('--replicaof', '127.0.0.1', `${master.port}`);
  await expect.poll(() => replica.redis.info('replication')).toContain('master_link_status:up');
  const { reader, heard } = await listenAt(master);
  expect(await master.redis.wait(1, 0)).toBe(1);
  // The replica gets no more, the reader is away, and the master dies with the signal.
  await replica.redis.replicaof('NO', 'ONE');
  reader.options.retryStrategy = () => null;
  const closed = once(reader, 'close');
  await master.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await closed;
  const sender = new Signals(replica.redis, log);
  await new Signals(master.redis, log).send([cutOf('lost')]);
  await kill(master.child);
  await sender.send([cutOf('after')]);
  reader.options.port = replica.port;
  await reader.connect();
  await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('after'));
  await expect.poll(() => heard.missed).toBe(1);
  // A further disconnect from the same server is none.
  reader.options.retryStrategy = () => 50;
  await replica.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await sender.send([cutOf('again')]);
  await expect.poll(() => heard.signals.at(-1)).toEqual(cutOf('again'));
  expect(heard.signals).toEqual([cutOf('before'), cutOf('after'), cutOf('again')]);
  expect(heard.missed).toBe(1);
});

it('A server that was killed and starts again on its data counts as no missed signal.', async () => {
  const server = await start();
  const { heard } = await listenAt(server);
  await kill(server.child);
  children.push(await up(server.program));
  await expect.poll(() => server.redis.status).toBe('ready');
  await new Signals(server.redis, log).send([cutOf('after')]);
  await expect.poll(() => heard.signals).toEqual([cutOf('before'), cutOf('after')]);
  expect(heard.missed).toBe(0);
});
