import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { readOptions, runStoppable, say } from '../process/command.js';
import { Refused } from '../process/refused.js';
import { archiveAudit } from './archive.js';

const usage = 'npm run audit:archive -- --to FILE';

/**
 * `npm run audit:archive -- --to FILE`: moves the entries that are older than `retention.auditDays` to a file. Its account
 * of MongoDB needs the right to remove from `auditlogs`. docs/operations/retention.md
 */
await runStoppable('The archive was stopped. Run the same command again: it continues.', async (signal) => {
  const { to } = readOptions(usage, { to: { type: 'string' } }).values;
  if (!to) throw new Refused(`Name a new file: ${usage}`);
  const core = await createCore(loadConfig(process.env), 'audit');
  try {
    const { entries, upTo, removed } = await archiveAudit(core, to, signal);
    say(
      entries > 0
        ? `${entries} entries are in ${to} now, up to entry ${upTo}. Keep this file: the database has them no longer.`
        : 'No entry is old enough.',
    );
    say(`${removed} entries were removed from the database.`);
    return true;
  } finally {
    await core.close();
  }
});
