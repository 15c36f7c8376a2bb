import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, up } from '@lightbox/campaigns/chaos/servers.js';
import { ConfigError, configExitCode, type Env } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { kindOfMongo } from '@lightbox/core/db/kindOfMongo.js';
import { findMongod, findValkey } from '@lightbox/launcher/binaries.js';
import { mongodServer } from '@lightbox/launcher/mongod.js';
import { freePort } from '@lightbox/launcher/ports.js';
import type { EmbeddedServer } from '@lightbox/launcher/server.js';
import { valkeyServer } from '@lightbox/launcher/valkey.js';
import { whenBusy } from '@lightbox/testkit/busy.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningProcess, spawnProcess } from './testing.js';

/** Servers that start later than the processes that need them (security.md, R75). */
const admin = { email: 'admin@start.example', password: 'Harbour-Lantern-42' };
/** A short timeout, so that the retries follow each other faster. */
const soon = 'serverSelectionTimeoutMS=1000';
const children: ChildProcess[] = [];
const processes: RunningProcess[] = [];
let folder: string;
let mailbox: Mailbox;
let mongodb: EmbeddedServer;
let valkey: EmbeddedServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-start-'));
  mailbox = await startMailbox();
  mongodb = mongodServer(await findMongod(() => {}), folder, await freePort(), 0.25);
  valkey = valkeyServer(await findValkey(() => {}), folder, await freePort());
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await Promise.all(children.map(kill));
  await mailbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const bring = async (server: EmbeddedServer) => children.push(await up(server));

async function run(main: 'backend' | 'workers', changes: Env = {}) {
  const [port, opsPort] = [await freePort(), await freePort()];
  const running = spawnProcess(main, {
    MONGODB_URI: `${mongodb.uri}&${soon}`,
    REDIS_URL: valkey.uri,
    SMTP_URL: mailbox.url,
    APP_KEYS: keys.app,
    ENCRYPTION_KEYS: keys.encryption,
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    DATA_DIR: folder,
    PORT: String(port),
    OPS_PORT: String(opsPort),
    LOG_LEVEL: 'warn',
    ...changes,
  });
  processes.push(running);
  return { ...running, url: `http://127.0.0.1:${port}`, ops: `http://127.0.0.1:${opsPort}` };
}
const keys = { app: makeKeys(), encryption: makeKeys() };

async function ask(url: string, body?: object) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(url, body ? init : {});
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as { status?: string },
  };
}
const listening = (url: string) => eventually(() => ask(`${url}/healthz`));

describe('a process whose servers are not there yet', () => {
  it('keeps running, reports the servers it waits for, and is ready as soon as all are there', async () => {
    const [gateway, worker] = await Promise.all([run('backend'), run('workers')]);
    const health = [`${gateway.url}`, gateway.ops, worker.ops];
    for (const url of health) {
      await listening(url);
      expect(await ask(`${url}/readyz`)).toMatchObject({
        status: 503,
        body: { status: 'starting', dependencies: { mongodb: 'away', redis: 'degraded' } },
      });
    }
    const login = () => ask(`${gateway.url}/api/auth/login`, admin);
    const handshake = () => ask(`${gateway.url}/socket.io/?EIO=4&transport=polling`);
    for (const answer of [await login(), await handshake()]) {
      expect(answer).toEqual({
        status: 503,
        retryAfter: '2',
        body: { error: 'UNAVAILABLE', message: expect.any(String), requestId: expect.any(String) },
      });
    }
    for (const { output } of [gateway, worker]) {
      await eventually(() => expect(output()).toContain('MongoDB is not there yet; waiting for it'));
      expect(output()).toContain('Redis is away');
    }

    await bring(mongodb);
    await Promise.all([gateway.ready, worker.ready]);
    for (const url of health)
      expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, body: { status: 'degraded' } });
    expect((await login()).status).toBe(200);

    await bring(valkey);
    for (const url of health) await eventually(async () => expect((await ask(`${url}/readyz`)).body.status).toBe('ok'));
    await mailbox.waitFor(admin.email, 'Your verification code');
    expect([gateway, worker].map(({ child }) => child.exitCode)).toEqual([null, null]);
  });

  // On a busy machine one of three tries is enough.
  it('ends within two seconds of SIGTERM', { retry: 2 }, async () => {
    const nowhere = { MONGODB_URI: `mongodb://127.0.0.1:${await freePort()}/x?replicaSet=rs0` };
    const waiting = await Promise.all([run('backend', nowhere), run('workers', nowhere)]);
    for (const { ops } of waiting) await listening(ops);
    for (const { child, ended } of waiting) {
      const since = performance.now();
      child.kill('SIGTERM');
      await ended;
      expect(performance.now() - since).toBeLessThan(whenBusy(2_000));
      expect(child.exitCode).toBe(0);
    }
  });
});

describe('a fault that waiting cannot repair ends the start with a message:', () => {
  const ofSet = (changes: string) => inject('servers').mongodbUri.replace('mongodb://', changes);

  it('credentials that MongoDB refuses, and the process with them', async () => {
    const { child, ended, output } = await run('backend', { MONGODB_URI: ofSet('mongodb://nobody:wrong@') });
    await ended;
    expect(child.exitCode).toBe(configExitCode);
    expect(output()).toMatch(/MONGODB_URI.*Authentication failed/);
    expect(output()).not.toContain('wrong');
  });

  // The process ends in the same way for each ConfigError.
  it.each([
    ['an address with an unknown setting', () => `${ofSet('mongodb://')}&nonsense=1`, /MONGODB_URI.*nonsense/],
    ['a MongoDB that is not a replica set', standalone, /not a replica set/],
  ])('%s', async (_, uri, says) => {
    const refused = await connectDatabase({ mongodbUri: await uri() }).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as Error).message).toMatch(says);
  });

  async function standalone(): Promise<string> {
    const port = await freePort();
    const { args, ...server } = mongodServer(await findMongod(() => {}), join(folder, 'alone'), port, 0.25);
    const alone = args.filter((arg) => !['--replSet', 'rs0', '--oplogSize', '256'].includes(arg));
    await bring({
      ...server,
      args: alone,
      answers: async () => {
        if (!(await kindOfMongo(server.uri))) throw new Error('not yet');
      },
    });
    return `${server.uri}&${soon}`;
  }
});
