import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readManifest } from '@lightbox/core/backup/manifest.js';
import { findTools } from '@lightbox/core/backup/tools.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { loadConfig } from '@lightbox/core/config/env.js';
import { type Core, createCore } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import { fileOf } from '../bench/processes.js';
import { judged, plain, type Row } from '../bench/report.js';
import { type Cluster, startValkey } from './cluster.js';
import { startReplicaSet } from './replicaSet.js';
import type { Uploaded } from './uploader.js';

/** The acknowledged messages, with the time of it, by id, and pictures. */
export interface Acknowledged {
  messages: Map<string, number>;
  uploads: Uploaded[];
}

interface Ended {
  status: number | null;
  said: string;
}

/** Without the last slice, the restore to the end is refused. */
const LAST_SLICE_MS = 120_000;

/** Throws when a program is missing that `Backups` needs. */
export const findBackupTools = () => findTools(['mongodump', 'mongorestore']);

/** Backs up a cluster while its parts fail, with the commands of operators, and restores it on other servers. */
export class Backups {
  /** A folder of the cluster, which removes it at its end. */
  private readonly folder: string;
  private readonly failures: string[] = [];
  private whole = 0;
  private slices = 0;

  constructor(private readonly cluster: Cluster) {
    this.folder = mkdtempSync(join(cluster.env.DATA_DIR ?? '', 'backups-'));
  }

  /** True when a backup was made. */
  get isMade(): boolean {
    return this.whole > 0;
  }

  /** Makes backups, and slices of the oplog in between, until the traffic is over. */
  async makeUntil(progress: { done: boolean }): Promise<void> {
    for (let n = 0; !progress.done; n++) {
      if (this.whole === 0 || n % 4 === 0) await this.backUp();
      else await this.slice();
      await sleep(1_000);
    }
  }

  private async backUp(): Promise<void> {
    const { said } = await this.run('core/dist/backup/backupCommand.js', ['--to', this.folder]);
    // The self-check after it may find that a part is away, so the status says nothing about the backup.
    if (said.includes('The backup is whole')) this.whole++;
    else this.failures.push(`backup: ${lastLine(said)}`);
  }

  /** Returns the time to which the slice leads; null when it was not made. */
  private async slice(): Promise<Date | null> {
    const { status, said } = await this.run('core/dist/backup/backupCommand.js', ['--to', this.folder, '--oplog']);
    const reached = /The changes from \S+ to (\S+) are in/.exec(said)?.[1];
    if (status !== 0 || !reached) {
      this.failures.push(`slice: ${lastLine(said)}`);
      return null;
    }
    this.slices++;
    return new Date(reached);
  }

  /** Restores the newest backup as it is, and the oldest with all changes until now. */
  async judge({ messages, uploads }: Acknowledged): Promise<Row[]> {
    const made = [
      judged('backups', 'made while parts failed', this.whole, '>= 1', this.whole > 0),
      plain('backups', 'slices of the oplog made while parts failed', String(this.slices)),
      plain('backups', 'attempts that made nothing', String(this.failures.length)),
    ];
    for (const failure of new Set(this.failures)) console.log(`  ${failure}`);
    const names = readdirSync(this.folder).filter((name) => !name.startsWith('lightbox-oplog-'));
    const [oldest, newest] = [names.sort()[0], names.at(-1)];
    if (!oldest || !newest) return made;
    const at = Date.parse((await readManifest(join(this.folder, newest))).at);
    const before = {
      messages: new Map([...messages].filter(([, time]) => time < at)),
      uploads: uploads.filter((upload) => upload.at < at),
    };
    const until = new Date((Math.floor(Date.now() / 1000) + 1) * 1000);
    const deadline = Date.now() + LAST_SLICE_MS;
    // An idle MongoDB writes to its oplog every ten seconds.
    while (((await this.slice()) ?? new Date(0)) < until && Date.now() < deadline) await sleep(1_000);
    return [
      ...made,
      ...(await this.restore('the newest backup', newest, [], before)),
      ...(await this.restore('the oldest backup and all slices', oldest, ['--until', until.toISOString()], {
        messages,
        uploads,
      })),
    ];
  }

  private async restore(job: string, name: string, more: string[], acknowledged: Acknowledged): Promise<Row[]> {
    const ground = mkdtempSync(join(this.cluster.env.DATA_DIR ?? '', 'restored-'));
    const [mongodb, valkey] = [await startReplicaSet(ground, 1), await startValkey(ground)];
    try {
      const env = { ...this.cluster.env, MONGODB_URI: mongodb.uri('chaos'), REDIS_URL: valkey.uri };
      const args = ['--from', join(this.folder, name), '--mongodb-uri', env.MONGODB_URI, ...more];
      const { status, said } = await this.run('core/dist/backup/restoreCommand.js', args, env);
      console.log(`\n${job}:\n${said.trim().replaceAll(/^/gm, '  ')}`);
      const core = await createCore(loadConfig(env), 'chaos');
      const judgement = await judgeRestored(job, core, acknowledged).finally(core.close);
      const restored = judged(job, 'exit status: chain whole, self-check green', status ?? -1, '0', status === 0);
      return [restored, ...judgement];
    } finally {
      await Promise.all([mongodb.stop(), valkey.stop()]);
    }
  }

  private run(main: string, args: string[], env = this.cluster.env): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [fileOf(main), ...args], { env: { PATH: process.env.PATH ?? '', ...env } });
      let said = '';
      const hear = (part: Buffer) => {
        said += part;
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('error', reject);
      child.once('close', (status) => resolve({ status, said }));
    });
  }
}

const lastLine = (said: string): string => said.trim().split('\n').at(-1) ?? '';

async function judgeRestored(job: string, core: Core, { messages, uploads }: Acknowledged): Promise<Row[]> {
  const { Message, Image } = core.models;
  const stored = new Set((await Message.find({}, { _id: 1 }).lean()).map(({ _id }) => String(_id)));
  const lost = [...messages.keys()].filter((id) => !stored.has(id)).length;
  let changed = 0;
  for (const { id, sha256 } of uploads) {
    const image = await Image.findById(oid(id)).lean();
    const hash = createHash('sha256');
    const read = async () => {
      if (!image) return;
      const key = unwrapDataKey(core.keys.images, id, image.dataKey);
      for await (const part of core.blobs.read(image.blob, key, image.size)) hash.update(part);
    };
    await read().catch((error) => console.log(`  ${id}: ${error.message}`));
    if (hash.digest('hex') !== sha256) changed++;
  }
  return [
    judged(job, `lost of ${messages.size} acknowledged messages`, lost, '0', lost === 0),
    judged(job, `lost or changed of ${uploads.length} acknowledged images`, changed, '0', changed === 0),
  ];
}
