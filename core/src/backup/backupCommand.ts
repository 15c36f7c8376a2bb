import { headText } from '../audit/anchor.js';
import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { readOptions, runStoppable, say } from '../process/command.js';
import { Refused } from '../process/refused.js';
import { backupTools, makeBackup } from './backup.js';
import { makeSlice } from './oplog.js';
import { printSelfCheck } from './printSelfCheck.js';

const usage = 'npm run backup -- --to DIR [--oplog]';

/**
 * `npm run backup -- --to DIR`: backs up a running product, and checks the product. With `--oplog` it adds only the changes
 * since the last time. docs/operations/backup.md
 */
await runStoppable('The backup was stopped. Nothing of it is left.', async (signal) => {
  const { to, oplog } = readOptions(usage, { to: { type: 'string' }, oplog: { type: 'boolean' } }).values;
  if (!to) throw new Refused(`Name the folder for backups: ${usage}`);
  const config = loadConfig(process.env);
  const tools = await backupTools({ config });
  if (oplog) {
    const slice = await makeSlice({ config }, tools, { to, signal });
    say(`The changes from ${slice.from} to ${slice.to} are in ${slice.folder}.`);
    return true;
  }
  const core = await createCore(config, 'backup');
  try {
    const { folder, manifest } = await makeBackup(core, tools, { to, signal, say });
    const { at, head, files, encrypted } = manifest;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    say(
      `The backup is whole: ${folder} (${bytes} bytes, ${encrypted ? 'encrypted' : 'NOT encrypted: BACKUP_RECIPIENT is not set'}).`,
    );
    say(
      `It holds everything that was acknowledged before ${at}${head ? `, and the audit log at least to the entry ${headText(head)}` : ''}.`,
    );
    return await printSelfCheck(core);
  } finally {
    await core.close();
  }
});
