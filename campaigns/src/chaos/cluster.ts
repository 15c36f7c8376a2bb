import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { type Core, createCore } from '@lightbox/core/core.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { findValkey } from '@lightbox/launcher/binaries.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { valkeyServer } from '@lightbox/launcher/valkey.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { type Program, startProgram } from '../bench/processes.js';
import { type ReplicaSet, startReplicaSet } from './replicaSet.js';
import { kill, up } from './servers.js';

/** The product as a small hospital group runs it: two gateways, two workers, three mongods, one Valkey. */
export interface Cluster {
  gateways: [Replaceable, Replaceable];
  workers: [Replaceable, Replaceable];
  mongodb: ReplicaSet;
  valkey: {
    uri: string;
    killAndRestart: (awayMs: number) => Promise<void>;
    /** Kills Valkey, runs `work`, and starts it again on the same data. */
    awayDuring: (work: () => Promise<unknown>) => Promise<void>;
    empty: () => Promise<void>;
  };
  mailbox: Mailbox;
  /** The settings of its processes. */
  env: Record<string, string>;
  /** Reads the stored records for the campaign, and changes nothing. */
  core: Core;
  stop: () => Promise<void>;
}

export const admin = { email: 'admin@chaos.example', password: 'Granite-Willow-77' };

/** The folders of the servers, the number of mongods, and their further options. */
export interface Ground {
  mongodb: string;
  valkey: string;
  members: number;
  mongodOptions: string[];
}

export async function startCluster(ground: Partial<Ground> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-chaos-'));
  const undo: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const mongodb = await startReplicaSet(ground.mongodb ?? folder, ground.members, ground.mongodOptions);
    undo.push(mongodb.stop);
    const valkey = await startValkey(ground.valkey ?? folder);
    undo.push(valkey.stop);
    const mailbox = await startMailbox();
    undo.push(mailbox.stop);
    const env = environment(mongodb.uri('chaos'), valkey.uri, mailbox.url, folder);
    const start = async (main: string, more: Record<string, string>) => {
      const member = new Replaceable(main, { ...env, ...more });
      await member.start();
      undo.push(member.stop);
      return member;
    };
    const gateway = async () => start('backend/dist/main.js', { PORT: String(await freePort()) });
    const worker = () => start('workers/dist/main.js', {});
    const gateways: Cluster['gateways'] = [await gateway(), await gateway()];
    const workers: Cluster['workers'] = [await worker(), await worker()];
    const core = await createCore(loadConfig(env), 'chaos');
    undo.push(core.close);
    return { gateways, workers, mongodb, valkey, mailbox, env, core, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function environment(
  mongodbUri: string,
  redisUrl: string,
  smtpUrl: string,
  folder: string,
): Record<string, string> {
  return {
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    SMTP_URL: smtpUrl,
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
}

/** Prints log lines with the code INTERNAL. Lines about a server that is away are expected. */
const sayInternal = (line: string): void => {
  if (line.includes('"code":"INTERNAL"')) console.log(line);
};

/** A gateway or worker that can be killed and is started again on the same port. */
export class Replaceable {
  private program: Program | null = null;
  private stopped = false;
  /** Runs the operations one after the other: two starts at once would both need the port. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly main: string,
    private readonly env: Record<string, string>,
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.env.PORT}`;
  }

  async start(): Promise<void> {
    this.program = await startProgram(this.main, this.env, { hear: sayInternal });
  }

  /** Starts it, and retries until it succeeds: the servers that it needs may be away. */
  private async startAgain(): Promise<void> {
    while (!this.stopped) {
      this.program = await startProgram(this.main, this.env, { hear: sayInternal }).catch(() => null);
      if (this.program) return;
      await sleep(500);
    }
  }

  killAndRestart = (): Promise<void> =>
    this.inTurn(async () => {
      if (this.program) await kill(this.program.child);
      await this.startAgain();
    });

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** Restarts it as a rolling deployment does: SIGTERM, wait, start. Returns the milliseconds until it had ended. */
  endAndRestart = (): Promise<number> =>
    this.inTurn(async () => {
      const since = Date.now();
      // A frozen process does not receive SIGTERM.
      this.program?.child.kill('SIGCONT');
      await this.program?.stop();
      const took = Date.now() - since;
      await this.startAgain();
      return took;
    });

  /** Freezes the process for a while. */
  async freeze(ms: number): Promise<void> {
    const child = this.program?.child;
    child?.kill('SIGSTOP');
    await sleep(ms);
    // This has no effect when the process was killed meanwhile.
    child?.kill('SIGCONT');
  }

  stop = async (): Promise<void> => {
    this.stopped = true;
    await this.program?.stop();
  };
}

export async function startValkey(folder: string) {
  const server = valkeyServer(await findValkey(() => {}), folder, await freePort());
  let child = await up(server);
  const awayDuring = async (work: () => Promise<unknown>) => {
    await kill(child);
    await work();
    child = await up(server);
  };
  return {
    uri: server.uri,
    killAndRestart: (awayMs: number) => awayDuring(() => sleep(awayMs)),
    awayDuring,
    /** Deletes everything, as after a failover to an empty replica. Waits for Valkey when it is away. */
    empty: async () => {
      const redis = connectRedis(server.uri, 'patient');
      await redis.flushall().finally(() => redis.disconnect());
    },
    stop: () => kill(child),
  };
}
