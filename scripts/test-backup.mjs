// `npm run test:backup`: backs up a busy product and restores it elsewhere, with the real programs. Builds those that are
// missing on the path with Go, in a temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { node, root } from './setup.mjs';

const databaseTools = ['github.com/mongodb/mongo-tools', 'v0.0.0-20240723193119-837c2bc263f4'];
const age = ['filippo.io/age', 'v1.3.2'];
/** The module, its version, and the folder of the program in it. */
const programs = {
  mongodump: [...databaseTools, 'mongodump/main'],
  mongorestore: [...databaseTools, 'mongorestore/main'],
  age: [...age, 'cmd/age'],
  'age-keygen': [...age, 'cmd/age-keygen'],
};

const runs = (command, ...args) => !spawnSync(command, args).error;

const folder = mkdtempSync(join(tmpdir(), 'lightbox-tools-'));
try {
  for (const [name, [module, version, path]] of Object.entries(programs)) {
    if (runs(name, '--version')) continue;
    if (!runs('go', 'version')) {
      console.error(`${name} is not on the path, and neither is Go, with which it could be built.`);
      process.exitCode = 1;
      break;
    }
    // A module of its own: `go install` refuses modules whose list of versions it cannot read.
    const source = join(folder, `${name}-source`);
    mkdirSync(source);
    writeFileSync(join(source, 'go.mod'), `module build\n\ngo 1.22\n\nrequire ${module} ${version}\n`);
    console.log(`Building ${name} …`);
    const build = ['build', '-mod=mod', '-o', join(folder, 'bin', name), `${module}/${path}`];
    if (spawnSync('go', build, { cwd: source, stdio: 'inherit' }).status !== 0) {
      process.exitCode = 1;
      break;
    }
  }
  if (!process.exitCode) {
    process.env.WITH_BACKUP_TOOLS = '1';
    process.env.PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
    node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'node', 'infra/src/backup.test.ts']);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
