// `npm run fuzz [-- api|dicomWeb|scim|signOn|drawings|files|resumable|guesses|sockets|timing …] [--examples n] [--minutes n] [--role r] [--seed n]`: sends wrong input to the
// whole product, which it starts with the people of the demonstration. Prints a table, and exits with 1 after a failure.
// See docs/security.md.
import { parseArgs } from 'node:util';
import { startProduct } from '@lightbox/testkit/product.js';
import { closeConnections } from './bench/client.js';
import { fuzzApi } from './fuzz/api.js';
import type { Campaign, Row, Wishes } from './fuzz/campaign.js';
import { fuzzDicomWeb } from './fuzz/dicomWeb.js';
import { fuzzDrawings } from './fuzz/drawings.js';
import { fuzzFiles } from './fuzz/files.js';
import { NoPython } from './fuzz/generator.js';
import { guessCodes } from './fuzz/guesses.js';
import { fuzzRoles, People } from './fuzz/people.js';
import { startProviders } from './fuzz/providers.js';
import { fuzzResumable } from './fuzz/resumable.js';
import { fuzzScim } from './fuzz/scim.js';
import { fuzzSignOn } from './fuzz/signOn.js';
import { fuzzSockets } from './fuzz/sockets.js';
import { measureTiming } from './fuzz/timing.js';

const campaigns: Record<string, (campaign: Campaign) => Promise<Row[]>> = {
  sockets: fuzzSockets,
  files: fuzzFiles,
  drawings: fuzzDrawings,
  dicomWeb: fuzzDicomWeb,
  scim: fuzzScim,
  signOn: fuzzSignOn,
  resumable: fuzzResumable,
  timing: measureTiming,
  guesses: guessCodes,
  // This campaign is last, because its admin changes everything.
  api: fuzzApi,
};

async function run(names: string[], wishes: Wishes): Promise<number> {
  console.log('Starting the product …');
  const providers = await startProviders();
  const env = { DEMO: '1', LOG_LEVEL: 'warn', TRUST_PROXY: '1', OIDC_PROVIDERS: providers.setting };
  const product = await startProduct(env);
  providers.serve(product);
  const stopEarly = () => product.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly);
  process.once('SIGTERM', stopEarly);
  try {
    const people = await People.of(product);
    const rows: Row[] = [];
    for (const name of names) {
      rows.push(...((await campaigns[name]?.({ product, people, providers, wishes, say: console.log })) ?? []));
    }
    console.table(rows);
    const [requests, failures] = [sum(rows, 'requests'), sum(rows, 'failures')];
    console.log(`${requests} requests, ${failures} failures, seed ${wishes.seed}`);
    return failures > 0 ? 1 : 0;
  } finally {
    closeConnections();
    await product.stop();
    await providers.stop();
  }
}

const sum = (rows: Row[], field: 'requests' | 'failures') => rows.reduce((total, row) => total + row[field], 0);

const { values, positionals: named } = parseArgs({
  options: {
    examples: { type: 'string' },
    minutes: { type: 'string' },
    role: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
const unknown = named.filter((name) => !Object.hasOwn(campaigns, name));
const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));

if (values.role !== undefined && !(fuzzRoles as readonly string[]).includes(values.role)) {
  console.error(`There is no role "${values.role}": use ${fuzzRoles.join(', ')}.`);
  process.exitCode = 2;
} else if (unknown.length > 0) {
  console.error(`There is no campaign "${unknown[0]}": use ${Object.keys(campaigns).join(', ')}, or none for all.`);
  process.exitCode = 2;
} else {
  const role = fuzzRoles.find((one) => one === values.role);
  const wishes = {
    examples: number(values.examples),
    minutes: number(values.minutes),
    role,
    seed: Number(values.seed),
  };
  process.exitCode = await run(named.length > 0 ? named : Object.keys(campaigns), wishes).catch((error) => {
    console.error(error instanceof NoPython ? error.message : error);
    return 2;
  });
}
