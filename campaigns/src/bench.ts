// `npm run bench [-- --json <file>]`: measures the throughput of the product on this machine, and its cost. It starts its
// own servers, gateways and workers, and leaves nothing behind. See docs/performance.md.
import { parseArgs } from 'node:util';
import { benchLatency, benchStream, type Pair } from './bench/chat.js';
import { benchCrowd } from './bench/crowd.js';
import { benchDownloads, uploadSamples } from './bench/downloads.js';
import { benchLists } from './bench/lists.js';
import { type Person, signInPeople } from './bench/people.js';
import { printTable, type Row, writeJson } from './bench/report.js';
import { benchScale } from './bench/scale.js';
import { type Site, startSite } from './bench/site.js';
import { benchSlowReader } from './bench/slowReader.js';
import { benchPointers } from './bench/together.js';
import { benchLargeUploads, benchSmallUploads, benchUploadsBesidePreviews } from './bench/uploads.js';

const PAIRS = 20;

async function measure(site: Site): Promise<Row[]> {
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
    ['small uploads', () => benchSmallUploads(site, uploader)],
    ['uploads beside previews', () => benchUploadsBesidePreviews(site, uploader)],
    ['lists', () => benchLists(site, few, many)],
  ];
  const rows: Row[] = [];
  for (const [name, part] of parts) {
    const start = Date.now();
    rows.push(...(await part()));
    console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(0)} s`);
  }
  return rows;
}

async function run(jsonFile: string | undefined): Promise<void> {
  console.log('Starting servers, two gateways and a worker …');
  const site = await startSite(console.log);
  const stopEarly = () => site.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly);
  process.once('SIGTERM', stopEarly);
  try {
    const rows = await measure(site);
    printTable(rows);
    if (jsonFile) writeJson(jsonFile, rows);
  } finally {
    await site.stop();
  }
}

/** Runs one part of its own, with its own servers, in place of the bench. */
async function only(part: Promise<Row[]>, jsonFile: string | undefined): Promise<void> {
  const rows = await part;
  printTable(rows);
  if (jsonFile) writeJson(jsonFile, rows);
}

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    scale: { type: 'boolean', default: false },
    images: { type: 'string', default: '1000000' },
    log: { type: 'string', default: '1000000' },
  },
  allowPositionals: true,
});
if (values.scale) await only(benchScale(Number(values.images), Number(values.log), console.log), values.json);
else await run(values.json);
