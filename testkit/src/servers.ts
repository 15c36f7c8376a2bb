import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMongod, findValkey } from '@lightbox/launcher/binaries.js';
import { mongodServer } from '@lightbox/launcher/mongod.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { endAll, isRunning, markOf, type ProcessMark } from '@lightbox/launcher/processes.js';
import { type EmbeddedServer, spawnServer, untilAnswers } from '@lightbox/launcher/server.js';
import { valkeyServer } from '@lightbox/launcher/valkey.js';

/** One replica set and one Valkey for a whole test run, in a folder that is removed with them. */
export interface TestServers {
  /** The address without a database name: every test file uses its own database. */
  mongodbUri: string;
  /** The address without a database number. There are 64 databases. */
  redisUrl: string;
  /** A temporary folder for the files of tests. */
  folder: string;
  stop: () => Promise<void>;
}

interface Owned {
  owner: ProcessMark;
  processes: ProcessMark[];
}

const prefix = 'lightbox-test-';
const ownerFile = 'owner.json';

export async function startServers(say: (line: string) => void = () => {}): Promise<TestServers> {
  await sweep();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const [mongodProgram, valkeyProgram] = await Promise.all([findMongod(say), findValkey(say)]);
  const mongod = mongodServer(mongodProgram, folder, await freePort());
  const valkey = valkeyServer(valkeyProgram, folder, await freePort());
  // It would empty the databases of the test files that run at the same time. A test empties its own with FLUSHDB.
  valkey.args.push('--rename-command', 'FLUSHALL', '');
  const owned: Owned = { owner: markOf('tests', process.pid), processes: [] };
  const stop = async () => {
    await endAll(owned.processes, 20_000);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all([mongod, valkey].map((server) => startOne(server, owned, folder)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { mongodbUri: mongod.uri, redisUrl: valkey.uri.replace(/\/0$/, ''), folder, stop };
}

async function startOne(server: EmbeddedServer, owned: Owned, folder: string): Promise<void> {
  const child = spawnServer(server);
  if (child.pid) owned.processes.push(markOf(server.name, child.pid));
  writeFileSync(join(folder, ownerFile), JSON.stringify(owned));
  await untilAnswers(server, child);
  child.unref();
}

/** Ends the processes and removes the folders of test runs that were killed. */
async function sweep(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const file = join(folder, ownerFile);
    if (!existsSync(file)) continue;
    const { owner, processes } = JSON.parse(readFileSync(file, 'utf8')) as Owned;
    if (owner.pid === process.pid || isRunning(owner)) continue;
    await endAll(processes, 5000);
    rmSync(folder, { recursive: true, force: true });
  }
}
