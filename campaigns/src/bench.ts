// `npm run bench`: measures the throughput of the product on this machine, and its cost. It starts its own servers, gateways
// and workers, and leaves nothing behind. See docs/performance.md for its options.
import { parseArgs } from 'node:util';
import { benchLatency, benchStream, type Pair } from './bench/chat.js';
import { benchCrowd } from './bench/crowd.js';
import { benchDownloads, uploadSamples } from './bench/downloads.js';
import { benchIdle } from './bench/idle.js';
import { benchJobs } from './bench/jobs.js';
import { benchLists } from './bench/lists.js';
import { benchPeers } from './bench/peers.js';
import { type Person, signInPeople } from './bench/people.js';
import { printTable, type Row, writeJson } from './bench/report.js';
import { benchScale } from './bench/scale.js';
import { benchSignals } from './bench/signals.js';
import { type Site, startSite } from './bench/site.js';
import { benchSlowReader } from './bench/slowReader.js';
import { benchSoak } from './bench/soak.js';
import { benchStorm } from './bench/storm.js';
import { benchPointers } from './bench/together.js';
import { benchTraces } from './bench/traces.js';
import { benchLargeUploads, benchOneUpload, benchSmallUploads, benchUploadsBesidePreviews } from './bench/uploads.js';

const PAIRS = 20;

/** Measures every part, or those whose name contains `only`. */
async function measure(site: Site, only: string): Promise<Row[]> {
  const providers = await signInPeople(site, 'healthProvider', PAIRS);
  const patients = await signInPeople(site, 'patient', PAIRS);
  const [uploader, few, many] = providers as [Person, Person, Person];
  const samples = await uploadSamples(site, uploader);
  const pairs = providers.map((from, i): Pair => ({ from, to: patients[i] as Person }));
  const parts: [string, () => Promise<Row[]>][] = [
    // This part comes first, because it measures the memory of a gateway that has not grown yet.
    ['large uploads', () => benchLargeUploads(site, uploader)],
    ['message latency', () => benchLatency(site, pairs[0] as Pair)],
    ['pointers', () => benchPointers(site, uploader, samples.noise)],
    ['many messages', () => benchStream(site, pairs)],
    ['a crowd that writes', () => benchCrowd(site)],
    ['a slow reader', () => benchSlowReader(site, pairs[1] as Pair)],
    ['downloads', () => benchDownloads(site, uploader, samples)],
    ['one upload', () => benchOneUpload(site, uploader)],
    ['small uploads', () => benchSmallUploads(site, uploader)],
    ['uploads beside previews', () => benchUploadsBesidePreviews(site, uploader)],
    ['idle connections', () => benchIdle(site)],
    ['many sign-ins', () => benchStorm(site, uploader)],
    ['jobs', () => benchJobs(site)],
    ['lists', () => benchLists(site, few, many)],
  ];
  const rows: Row[] = [];
  for (const [name, part] of parts.filter(([name]) => name.includes(only))) {
    const start = performance.now();
    rows.push(...(await part()));
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  return rows;
}

/** Starts a site, and stops it after the work or on a signal. */
async function onSite(work: (site: Site) => Promise<Row[]>): Promise<Row[]> {
  console.log('Starting servers, two gateways and a worker …');
  const site = await startSite(console.log);
  const stopEarly = () => site.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly);
  process.once('SIGTERM', stopEarly);
  try {
    return await work(site);
  } finally {
    await site.stop();
  }
}

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: '' },
    scale: { type: 'boolean', default: false },
    images: { type: 'string', default: '1000000' },
    log: { type: 'string', default: '1000000' },
    signals: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

function chosen(): Promise<Row[]> {
  if (values.scale) {
    const [images, logEntries] = [Number(values.images), Number(values.log)];
    return benchScale({ images, logEntries, only: values.only }, console.log);
  }
  if (values.signals) return onSite(benchSignals);
  if (values.peers) return onSite((site) => benchPeers(site, values.only));
  if (values.traces) return onSite(benchTraces);
  // `npm run bench` itself is given the name of the command.
  if (values.soak)
    return onSite((site) => benchSoak(site, Number(positionals.find((text) => /^\d+$/.test(text)) ?? 30)));
  return onSite((site) => measure(site, values.only));
}

const rows = await chosen();
printTable(rows);
if (values.json) writeJson(values.json, rows);
