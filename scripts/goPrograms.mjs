// Programs of other projects that checks need. Those that are missing on the path are built with Go, in a temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isOnPath } from './chart/run.mjs';
import { StepError } from './setup.mjs';

const databaseTools = ['github.com/mongodb/mongo-tools', 'v0.0.0-20240723193119-837c2bc263f4'];
const age = ['filippo.io/age', 'v1.3.2'];
/** The module of each program, its version, and the folder of the program in it. */
const programs = {
  mongodump: [...databaseTools, 'mongodump/main'],
  mongorestore: [...databaseTools, 'mongorestore/main'],
  age: [...age, 'cmd/age'],
  'age-keygen': [...age, 'cmd/age-keygen'],
  versitygw: ['github.com/versity/versitygw', 'v1.8.0', 'cmd/versitygw'],
  promtool: ['github.com/prometheus/prometheus', 'v0.316.0', 'cmd/promtool'],
  helm: ['helm.sh/helm/v3', 'v3.22.0', 'cmd/helm'],
  kubeconform: ['github.com/yannh/kubeconform', 'v0.8.0', 'cmd/kubeconform'],
};

/** Does the work of a command with the named programs on the path. `work` gets the temporary folder. */
export async function withPrograms(names, work) {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-tools-'));
  try {
    provide(folder, names);
    await work(folder);
  } catch (error) {
    console.error(error instanceof StepError || error.code === 'ERR_ASSERTION' ? error.message : error.stack);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds those of the named programs that are missing on the path, and puts them on it. */
function provide(folder, names) {
  const missing = names.filter((name) => !isOnPath(name));
  if (missing.length > 0 && !isOnPath('go'))
    throw new StepError(`Missing on the path: ${missing.join(', ')}; and Go, with which they could be built.`);
  process.env.PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  for (const name of missing) {
    const [module, version, path] = programs[name];
    // A module of its own: `go install` refuses modules that replace others, or whose list of versions it cannot read.
    const source = join(folder, `${name}-source`);
    mkdirSync(source, { recursive: true });
    const lines = ['module build', 'go 1.22', `require ${module} ${version}`];
    writeFileSync(join(source, 'go.mod'), lines.join('\n'));
    console.log(`Building ${name} …`);
    const args = ['build', '-mod=mod', '-o', join(folder, 'bin', name), join(module, path)];
    if (spawnSync('go', args, { cwd: source, stdio: 'inherit' }).status !== 0)
      throw new StepError(`${name} could not be built.`);
  }
}
