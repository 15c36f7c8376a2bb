// `npm run check:fhir`: starts a product of its own with the people of the demonstration and some records, reads all of FHIR
// as each role, and has HAPI's validator judge every answer. It also plants faults, which the validator must refuse. Prints
// what was judged, and exits with 1 after a fault. It needs Java 17 or newer and Maven, which downloads the validator once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fhirTypes } from '@lightbox/contract/fhir/resources.js';
import { startProduct } from '@lightbox/testkit/product.js';
import { closeConnections } from './bench/client.js';
import { collect } from './fhir/collect.js';
import { faulty } from './fhir/faulty.js';
import { plant } from './fhir/plant.js';

const sources = join(import.meta.dirname, '../src/fhir');

/** Returns the class path of the validator. */
function validator(): string {
  const folder = resolve('.cache/fhir');
  const lib = join(folder, 'lib');
  if (!existsSync(lib)) {
    const fresh = join(folder, 'new');
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    console.log('Downloading the validator with Maven …');
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${fresh}`, '-DincludeScope=runtime'];
    run('mvn', ['-q', '-B', '-f', join(sources, 'pom.xml'), ...goal]);
    renameSync(fresh, lib);
  }
  return join(lib, '*');
}

function run(program: string, args: string[], input = ''): string {
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, stdio, maxBuffer: 1024 ** 3 });
  if (error) throw new Error(`${program} cannot be started: ${error.message}`);
  if (status !== 0) throw new Error(`${program} failed: ${stderr.toString().slice(-2000)}`);
  return stdout.toString();
}

/** Returns the faults of each resource: an empty text for none. */
function judge(classPath: string, resources: readonly object[]): string[] {
  const lines = resources.map((resource) => JSON.stringify(resource)).join('\n');
  const verdicts = run('java', ['-cp', classPath, join(sources, 'Validate.java')], `${lines}\n`).split('\n');
  if (verdicts.length < resources.length) throw new Error('The validator judged only a part.');
  return verdicts.slice(0, resources.length);
}

async function check(): Promise<number> {
  const classPath = validator();
  console.log('Starting the product …');
  const product = await startProduct({ DEMO: '1', LOG_LEVEL: 'warn' });
  try {
    const answers = await collect(product, await plant(product));
    const bad = faulty(answers.map(({ resource }) => resource));
    console.log(`Judging ${answers.length} answers and ${bad.length} planted faults …`);
    const verdicts = judge(classPath, [
      ...answers.map(({ resource }) => resource),
      ...bad.map(({ resource }) => resource),
    ]);
    const faults = answers.flatMap(({ name }, i) => (verdicts[i] === '' ? [] : [`${name}: ${verdicts[i]}`]));
    const missed = bad.flatMap(({ name }, i) => (verdicts[answers.length + i] === '' ? [`${name}: not refused`] : []));
    const kinds = new Set(answers.map(({ resource }) => resource.resourceType));
    const unseen = fhirTypes.filter((type) => !kinds.has(type)).map((type) => `${type}: there was none to judge`);
    for (const type of kinds) {
      const count = answers.filter(({ resource }) => resource.resourceType === type).length;
      console.log(`${type.padEnd(20)} ${count}`);
    }
    const all = [...faults, ...missed, ...unseen];
    for (const line of all) console.log(line);
    console.log(`${faults.length} faults; ${bad.length - missed.length} of ${bad.length} planted faults refused.`);
    return all.length > 0 ? 1 : 0;
  } finally {
    closeConnections();
    await product.stop();
  }
}

process.exitCode = await check();
