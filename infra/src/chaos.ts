// What breaks the product on purpose, and then looks for what was lost. See docs/reliability.md.
// `npm run chaos [-- --kills 100 --messages 20000 --uploads 200 --seed 1]`: kills gateways, workers, Valkey and MongoDB's
// primary while people chat and upload.
// `npm run chaos -- storm [--sockets 2000]`: cuts off everybody who is connected, and watches them come back.
// Each takes `--json <file>`, starts everything itself and leaves nothing behind.
import { parseArgs } from 'node:util';
import { printTable, type Row, writeJson } from './bench/report.js';
import { campaign } from './chaos/campaign.js';
import { type Cluster, startCluster } from './chaos/cluster.js';
import { storm } from './chaos/storm.js';

const { values, positionals } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    messages: { type: 'string', default: '20000' },
    uploads: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    sockets: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
  allowPositionals: true,
});

const size = { kills: Number(values.kills), messages: Number(values.messages), uploads: Number(values.uploads) };
const kinds: Record<string, (cluster: Cluster) => Promise<Row[]>> = {
  campaign: (cluster) => campaign(cluster, size, Number(values.seed)),
  storm: (cluster) => storm(cluster, Number(values.sockets)),
};

// `npm run` puts the name of the command first.
const name = positionals.find((word) => word !== 'chaos') ?? 'campaign';
const kind = kinds[name];
if (!kind) throw new Error(`There is no campaign "${name}": use ${Object.keys(kinds).join(', ')}.`);

console.log('Starting three mongods, Valkey, two gateways and two workers …');
const cluster = await startCluster();
const stopEarly = () => cluster.stop().finally(() => process.exit(130));
process.once('SIGINT', stopEarly);
process.once('SIGTERM', stopEarly);
try {
  const rows = await kind(cluster);
  printTable(rows);
  if (values.json) writeJson(values.json, rows);
  if (rows.some((row) => row.met === false)) process.exitCode = 1;
} finally {
  await cluster.stop();
}
