import { Tokens } from '@lightbox/backend/auth/tokens.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import { loadConfig } from '@lightbox/core/config/env.js';
import { Clock } from '@lightbox/core/db/clock.js';
import { connectDatabase } from '@lightbox/core/db/connect.js';
import { createKeys } from '@lightbox/core/keys/keyring.js';
import { createModels } from '@lightbox/core/models/models.js';
import { startMailbox } from '@lightbox/testkit/mailbox.js';
import { startServers } from '@lightbox/testkit/servers.js';
import { closeConnections } from './client.js';
import { startProgram } from './processes.js';
import { judged, plain, type Row } from './report.js';
import { asksOf } from './scale/calls.js';
import { fill } from './scale/fill.js';
import { compare } from './scale/measure.js';
import { type Size, sizeOf, type World } from './scale/world.js';
import { environment, startGateway } from './site.js';

type Say = (line: string) => void;

const VERIFY = 'log: audit:verify';
const PROFILE_BYTES = 64 * 1024 * 1024;

export interface ScaleOptions {
  /** Those of the large database, which has five messages for each image. */
  images: number;
  logEntries: number;
  /** Measures the reads whose name contains this. */
  only: string;
}

/**
 * `npm run bench -- --scale`: fills a small and a large database, and measures every read of every screen in both, in
 * turn.
 */
export async function benchScale({ images, logEntries, only }: ScaleOptions, say: Say): Promise<Row[]> {
  const undo: (() => Promise<unknown>)[] = [async () => closeConnections()];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const early = () => stop().finally(() => process.exit(130));
  process.once('SIGINT', early);
  process.once('SIGTERM', early);
  try {
    const servers = await startServers(say);
    undo.push(servers.stop);
    const mailbox = await startMailbox();
    undo.push(mailbox.stop);
    const build = async (name: string, redis: number, size: Size): Promise<World> => {
      say(`Filling ${size.images} images, ${size.messages} messages, ${size.logEntries} entries of the log …`);
      const env = environment(servers, mailbox.url, { name, redis });
      // Making the indexes of the large database takes longer than any command of the product may.
      const db = await connectDatabase(loadConfig({ ...env, MONGODB_URI: `${env.MONGODB_URI}&socketTimeoutMS=0` }));
      undo.push(() => db.close());
      const keys = createKeys(loadConfig(env));
      const place = { models: createModels(db), keys, tokens: new Tokens(keys, new Clock()) };
      const filled = await fill(place, size, say);
      await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
      const gateway = await startGateway((main, more = {}) => startProgram(main, { ...env, ...more }));
      undo.push(gateway.stop);
      return { ...place, ...filled, size, gateway };
    };
    const small = await build('small', 1, sizeOf(10_000, 50_000, 10_000));
    const large = await build('large', 2, sizeOf(images, 5 * images, logEntries));
    const asks = (world: World) => asksOf(world).filter(({ name }) => name.includes(only));
    const rows = await compare(small, large, asks, say);
    return VERIFY.includes(only) ? [...rows, ...(await benchVerify(large))] : rows;
  } finally {
    await stop();
  }
}

/** Measures the recomputing of the whole chain, as `npm run audit:verify` does it. */
async function benchVerify({ models, keys }: World): Promise<Row[]> {
  const start = performance.now();
  const before = process.cpuUsage();
  const { ok, checked } = await verifyAudit(models, keys.audit);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return [
    judged(VERIFY, 'the chain is whole', ok ? 1 : 0, '1', ok),
    plain(VERIFY, 'entries', checked),
    plain(VERIFY, 'entries/s', checked / seconds),
    plain(VERIFY, 'minutes', seconds / 60),
    plain(VERIFY, 'processor µs for each', (user + system) / checked),
  ];
}
