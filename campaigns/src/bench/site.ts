import { Tokens } from '@lightbox/backend/auth/tokens.js';
import { loadConfig } from '@lightbox/core/config/env.js';
import { makeKeys } from '@lightbox/core/config/keys.js';
import { Clock } from '@lightbox/core/db/clock.js';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { createKeys } from '@lightbox/core/keys/keyring.js';
import { createModels, type Models } from '@lightbox/core/models/models.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { startServers } from '@lightbox/testkit/servers.js';
import { closeConnections } from './client.js';
import { type Peer, type Recipe, startPeer } from './peers/program.js';
import { type Program, startProgram } from './processes.js';

/** The whole product on this machine, with its own servers and mailbox. */
export interface Site {
  gateways: [GatewayProgram, GatewayProgram];
  worker: Program;
  /** Address of the bare target. */
  bare: string;
  models: Models;
  /** Signs tokens as the gateways do. */
  tokens: Tokens;
  mailbox: Mailbox;
  redisUrl: string;
  /** Start one more of these, whose memory can be read after a collection. */
  startGateway: (more?: Record<string, string>) => Promise<GatewayProgram>;
  startBare: () => Promise<GatewayProgram>;
  startBareWorker: () => Promise<Program>;
  startSignalReader: () => Promise<Program>;
  /** Starts a process that draws previews. Without it, measurements are of the gateway alone. */
  startPreviews: () => Promise<Program>;
  /** Starts a worker for one queue. */
  startWorker: (queue: string, env?: Record<string, string>) => Promise<Program>;
  /** Starts a server of another project. */
  startPeer: (recipe: Recipe) => Promise<Peer>;
  stop: () => Promise<void>;
}

export interface GatewayProgram extends Program {
  /** The base address of the calls. */
  api: string;
  origin: string;
}

const ALL_BUT_PREVIEWS = 'analysis,mail,notifications,webhooks,audit,maintenance';

/** Starts the product. Its worker serves `queues`. */
export async function startSite(say: (line: string) => void, queues = ALL_BUT_PREVIEWS): Promise<Site> {
  const undo: (() => Promise<void>)[] = [async () => closeConnections()];
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  // A second call waits for the same end: a signal stops the site, and the failure that follows stops it again.
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= undoAll();
    return stopped;
  };
  const keep = <T extends { stop: () => Promise<void> }>(started: T): T => {
    undo.push(started.stop);
    return started;
  };
  try {
    const servers = keep(await startServers(say));
    const mailbox = keep(await startMailbox());
    const env = environment(servers, mailbox.url);
    const config = loadConfig(env);
    const db = await connectDatabase(config);
    undo.push(() => db.close());
    const start: Start = (main, more = {}, collects = false) =>
      startProgram(main, { ...env, ...more }, { collects }).then(keep);
    const gateways: Site['gateways'] = [await startGateway(start), await startGateway(start)];
    const worker = await start('workers/dist/main.js', { WORKER_QUEUES: queues });
    const bare = await startBare(start);
    return {
      gateways,
      worker,
      bare: bare.origin,
      redisUrl: env.REDIS_URL,
      startGateway: (more) => startGateway((main, own) => start(main, { ...own, ...more }, true)),
      startBare: () => startBare((main, more) => start(main, more, true)),
      startBareWorker: () => start('campaigns/dist/bench/bareWorker.js'),
      startSignalReader: () => start('campaigns/dist/bench/signalReader.js'),
      models: createModels(db),
      tokens: new Tokens(createKeys(config), new Clock()),
      mailbox,
      startPreviews: () => start('workers/dist/main.js', { WORKER_QUEUES: 'previews' }),
      startWorker: (queue, more = {}) => start('workers/dist/main.js', { WORKER_QUEUES: queue, ...more }),
      startPeer: (recipe) => startPeer(servers.folder, recipe).then(keep),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the environment of the product's processes. Each database has its own, with keys of its own. */
export function environment(
  servers: { mongodbUri: string; redisUrl: string; folder: string },
  smtpUrl: string,
  { name, redis } = { name: 'bench', redis: 0 },
): Record<'MONGODB_URI' | 'REDIS_URL', string> & Record<string, string> {
  const database = new URL(servers.mongodbUri);
  database.pathname = `/${name}`;
  return {
    MONGODB_URI: database.href,
    REDIS_URL: `${servers.redisUrl}/${redis}`,
    SMTP_URL: smtpUrl,
    APP_KEYS: makeKeys(),
    ENCRYPTION_KEYS: makeKeys(),
    ADMIN_EMAIL: 'admin@bench.example',
    ADMIN_PASSWORD: 'Granite-Willow-77',
    DATA_DIR: servers.folder,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
}

type Start = (main: string, env?: Record<string, string>, collects?: boolean) => Promise<Program>;

export async function startGateway(start: Start): Promise<GatewayProgram> {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const program = await start('backend/dist/main.js', { PORT: new URL(origin).port });
  return { ...program, origin, api: `${origin}/api` };
}

async function startBare(start: Start): Promise<GatewayProgram> {
  const program = await start('campaigns/dist/bench/bareServer.js');
  const origin = `http://127.0.0.1:${(program.ready as { port: number }).port}`;
  return { ...program, origin, api: origin };
}
