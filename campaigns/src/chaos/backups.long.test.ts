import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBackup } from '@lightbox/core/backup/backup.js';
import { type Core, createCore } from '@lightbox/core/core.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ReplicaSet, startReplicaSet } from './replicaSet.js';

const folder = mkdtempSync(join(tmpdir(), 'lightbox-backup-'));
let mongodb: ReplicaSet;
let core: Core;
beforeAll(async () => {
  mongodb = await startReplicaSet(folder);
  core = await createCore({ ...(await testConfig()), mongodbUri: mongodb.uri('lightbox') }, 'test');
});
afterAll(async () => {
  await core?.close();
  await mongodb?.stop();
  rmSync(folder, { recursive: true });
});

it('A backup during which MongoDB elects another primary is refused, and leaves nothing.', async () => {
  const [mongodump, begun, elected] = [join(folder, 'mongodump'), join(folder, 'begun'), join(folder, 'elected')];
  const to = join(folder, 'to');
  // Stands in for the program, and reads until there is another primary. The real one is in infra/src/backup.test.ts.
  const script = `#!/bin/sh\ntouch ${begun}\nwhile [ ! -e ${elected} ]; do sleep 0.1; done\necho documents\n`;
  writeFileSync(mongodump, script, { mode: 0o755 });
  const backUp = () => makeBackup(core, { mongodump }, { to, signal: new AbortController().signal });

  const refused = expect(backUp()).rejects.toThrow('elected another primary while it was read');
  await eventually(() => expect(existsSync(begun)).toBe(true));
  const before = await mongodb.primary();
  await mongodb.stepDown();
  await eventually(async () => expect(await mongodb.primary()).not.toBe(before));
  writeFileSync(elected, '');
  await refused;
  expect(readdirSync(to)).toEqual([]);

  // With one primary the same backup is made.
  const { folder: made } = await backUp();
  expect(readdirSync(made).sort()).toEqual(['manifest.json', 'mongodb.archive']);
});
