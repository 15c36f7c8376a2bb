import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@lightbox/core/config/env.js';
import { assembleCore, type Core, prepareCore } from '@lightbox/core/core.js';
import { openDatabase } from '@lightbox/core/db/connect.js';
import { freePort } from '@lightbox/launcher/ports.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { type Program, startProgram } from '../bench/processes.js';
import { environment, startValkey } from '../chaos/cluster.js';
import { startReplicaSet } from '../chaos/replicaSet.js';

export interface Member {
  origin: string;
  program: Program;
}

/** Two gateways and two workers of one version. */
export interface Generation {
  gateways: [Member, Member];
  workers: [Member, Member];
}

/** The servers that two versions share. */
export interface Stage {
  mailbox: Mailbox;
  /** Of this version. It changes nothing in the database until `prepare`. */
  core: Core;
  prepare: () => Promise<void>;
  /** Starts a generation: of the clone in `folder`, or of this version. */
  start: (folder?: string) => Promise<Generation>;
  stop: () => Promise<void>;
}

export async function startStage(hear: (line: string) => void): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-rehearsal-'));
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    // One mongod: failovers are the matter of the chaos campaign.
    const mongodb = await startReplicaSet(folder, 1);
    undo.push(mongodb.stop);
    const valkey = await startValkey(folder);
    undo.push(valkey.stop);
    const mailbox = await startMailbox();
    undo.push(mailbox.stop);
    const env = environment(mongodb.uri('rehearsal'), valkey.uri, mailbox.url, folder);
    const core = assembleCore(loadConfig(env), 'rehearsal');
    undo.push(core.close);
    await openDatabase(core.db, core.config);
    const start = async (from = ''): Promise<Generation> => {
      const member = async (main: string): Promise<Member> => {
        const port = String(await freePort());
        const program = await startProgram(join(from, main), { ...env, PORT: port, LOG_LEVEL: 'warn' }, { hear });
        undo.push(program.stop);
        return { origin: `http://127.0.0.1:${port}`, program };
      };
      const [gateway, worker] = ['backend/dist/main.js', 'workers/dist/main.js'];
      return {
        gateways: [await member(gateway), await member(gateway)],
        workers: [await member(worker), await member(worker)],
      };
    };
    return { mailbox, core, prepare: () => prepareCore(core), start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
