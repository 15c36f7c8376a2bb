import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testConfig } from '@lightbox/testkit/config.js';
import { expect, it } from 'vitest';

const commands: string[][] = [
  ['backend/dist/auth/adminCodeCommand.js', '--email', 'admin@example.org'],
  ['core/dist/audit/verifyCommand.js'],
  ['core/dist/audit/adoptCommand.js'],
  ['core/dist/audit/archiveCommand.js', '--to', 'archive.jsonl'],
  ['core/dist/models/migrateCommand.js'],
  ['core/dist/blobs/moveCommand.js', '--to', 'gridfs'],
  ['core/dist/selfCheck/command.js'],
  ['core/dist/keys/statusCommand.js'],
];

/** The configuration is complete, and nothing listens at the address of MongoDB. */
async function runWithoutMongo([main = '', ...args]: string[], more: NodeJS.ProcessEnv = {}) {
  const { redisUrl, appKeys, encryptionKeys, dataDir } = await testConfig();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../..', main), ...args], {
    env: {
      MONGODB_URI: 'mongodb://127.0.0.1:9/lightbox?replicaSet=rs0',
      REDIS_URL: redisUrl,
      SMTP_URL: 'smtp://127.0.0.1:9',
      APP_KEYS: appKeys,
      ENCRYPTION_KEYS: encryptionKeys,
      DATA_DIR: dataDir,
      BLOB_STORE: 'gridfs',
      LOG_LEVEL: 'silent',
      ...more,
    },
  });
  let said = '';
  child.stderr.on('data', (part) => {
    said += part;
  });
  const [status] = await once(child, 'close');
  return { status, said };
}

it.concurrent.each(commands)('Without MongoDB, %s ends with 1 and says so in one line.', async (...command) => {
  expect(await runWithoutMongo(command)).toEqual({
    status: 1,
    said: expect.stringMatching(/^A server that this command needs does not answer: .*\n$/),
  });
});

it.concurrent.each([
  'backend/dist/auth/adminCodeCommand.js admin:code --email admin@example.org',
  'core/dist/audit/verifyCommand.js 1:abc',
  'core/dist/audit/verifyCommand.js --archive',
  'core/dist/audit/verifyCommand.js --arhive x.jsonl',
  `core/dist/audit/verifyCommand.js --head=5:${'a'.repeat(64)}`,
  'core/dist/audit/archiveCommand.js --to',
  'core/dist/backup/backupCommand.js --to backups --opolg',
  'core/dist/backup/restoreCommand.js --from backup --mongodb-uri mongodb://127.0.0.1:9 --until',
  'core/dist/backup/restoreCommand.js --from backup --mongodb-uri mongodb://127.0.0.1:9 --until=yesterday',
  'core/dist/models/migrateCommand.js again',
])('A command does nothing when it cannot read a part of its line: %s', async (line) => {
  const { status, said } = await runWithoutMongo(line.split(' '));
  expect([status, said]).toEqual([1, expect.stringMatching(/Usage: npm run|--until must be a time/)]);
  expect(said).not.toContain('    at ');
});

it.each([
  [[], 'mongodb://127.0.0.1:9/lightbox?replicaSet=rs0', 'is not a backup'],
  [['--mongodb-uri', 'mongodb://127.0.0.1:9/lightbox'], 'nonsense', 'is not a backup'],
  [[], '', 'Name backup and target'],
])('A restore with %j and RESTORE_MONGODB_URI=%s says: %s', async (more, uri, says) => {
  const command = ['core/dist/backup/restoreCommand.js', '--from', 'nowhere', ...more];
  const { status, said } = await runWithoutMongo(command, { RESTORE_MONGODB_URI: uri });
  expect([status, said]).toEqual([1, expect.stringContaining(says)]);
});

it('With a configuration that cannot be used, a command says which part, without a stack.', async () => {
  const { status, said } = await runWithoutMongo(['core/dist/models/migrateCommand.js'], { APP_KEYS: 'short' });
  expect(status).toBe(1);
  expect(said).toContain('APP_KEYS');
  expect(said).not.toContain('    at ');
});

it('A command that cannot write where it was told says so in one line.', () => {
  const script = `
    import { mkdir } from 'node:fs/promises';
    import { runCommand } from '@lightbox/core/process/command.js';
    await runCommand(() => mkdir('package.json/backups'));`;
  const options = { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], options);
  expect([status, stderr]).toEqual([1, "ENOTDIR: not a directory, mkdir 'package.json/backups'\n"]);
});
