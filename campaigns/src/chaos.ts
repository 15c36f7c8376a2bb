// Breaks the product on purpose and then searches for lost data. See docs/reliability.md.
// `npm run chaos [-- --kills 100 --messages 20000 --uploads 200 --seed 1]`: kills gateways, workers, Valkey and MongoDB's
// primary while people chat and upload. `--backup` also backs up the product meanwhile, and restores it on other servers.
// `npm run chaos -- storm [--sockets 2000]`: disconnects all clients, and measures how they reconnect.
// `npm run chaos -- disk`: fills the disks of MongoDB and Valkey, which are small ones of their own; needs Linux.
// Each accepts `--json <file>`, starts everything itself and leaves nothing behind.
import { parseArgs } from 'node:util';
import { printTable, type Row, writeJson } from './bench/report.js';
import { findBackupTools } from './chaos/backups.js';
import { campaign } from './chaos/campaign.js';
import { type Cluster, type Ground, startCluster } from './chaos/cluster.js';
import { disk } from './chaos/disk.js';
import { failPoints } from './chaos/replicaSet.js';
import { againWithMounts } from './chaos/smallDisks.js';
import { storm } from './chaos/storm.js';

const { values, positionals } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    messages: { type: 'string', default: '20000' },
    uploads: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    backup: { type: 'boolean', default: false },
    sockets: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
  allowPositionals: true,
});

const size = { kills: Number(values.kills), messages: Number(values.messages), uploads: Number(values.uploads) };
const kinds: Record<string, () => Promise<Row[]>> = {
  campaign: async () => {
    if (values.backup) await findBackupTools();
    const work = (cluster: Cluster) => campaign(cluster, size, Number(values.seed), values.backup);
    return onCluster(work, { mongodOptions: failPoints });
  },
  // One mongod: on a small machine with two cores, three would dominate the measurement.
  storm: () => onCluster((cluster) => storm(cluster, Number(values.sockets)), { members: 1 }),
  disk,
};

async function onCluster(work: (cluster: Cluster) => Promise<Row[]>, ground?: Partial<Ground>): Promise<Row[]> {
  console.log('Starting MongoDB, Valkey, two gateways and two workers …');
  const cluster = await startCluster(ground);
  const stopEarly = () => cluster.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly);
  process.once('SIGTERM', stopEarly);
  return work(cluster).finally(cluster.stop);
}

async function run(kind: () => Promise<Row[]>): Promise<void> {
  const rows = await kind();
  printTable(rows);
  if (values.json) writeJson(values.json, rows);
  if (rows.some((row) => row.met === false)) process.exitCode = 1;
}

const [name = 'campaign'] = positionals;
const kind = kinds[name];
if (!kind) throw new Error(`There is no campaign "${name}": use ${Object.keys(kinds).join(', ')}.`);
const elsewhere = name === 'disk' ? await againWithMounts() : null;
if (elsewhere === null) await run(kind);
else process.exitCode = elsewhere;
