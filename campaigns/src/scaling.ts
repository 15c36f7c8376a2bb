// `npm run scale [-- --only workers --json <file>]`: measures on this machine if two workers do more than one, and if a gateway that is added
// under load takes its share. It needs a quiet machine with two cores or more. See docs/performance.md.
import { parseArgs } from 'node:util';
import { signInPeople } from './bench/people.js';
import { printTable, type Row, writeJson } from './bench/report.js';
import { type Site, startSite } from './bench/site.js';
import { scaleGateways } from './scaling/gateways.js';
import { scaleAnalyses, scalePreviews } from './scaling/workers.js';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, json: { type: 'string' } },
});

/** Its own worker does neither previews nor analyses: the workers that are measured do. */
const site: Site = await startSite(console.log, 'mail,notifications,webhooks,audit,maintenance');
const stopEarly = () => site.stop().finally(() => process.exit(130));
process.once('SIGINT', stopEarly);
process.once('SIGTERM', stopEarly);
const rows: Row[] = [];
try {
  const [provider] = await signInPeople(site, 'healthProvider', 1);
  if (!provider) throw new Error('Nobody was signed in.');
  const parts: [string, () => Promise<Row[]>][] = [
    ['workers, previews', () => scalePreviews(site, provider)],
    ['workers, analyses', () => scaleAnalyses(site, provider)],
    ['gateways', () => scaleGateways(site)],
  ];
  for (const [name, part] of parts.filter(([name]) => name.includes(values.only))) {
    console.log(`${name} …`);
    rows.push(...(await part()));
  }
} finally {
  await site.stop();
}
printTable(rows);
if (values.json) writeJson(values.json, rows);
process.exit(rows.some((row) => row.met === false) ? 1 : 0);
