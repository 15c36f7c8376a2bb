import { dirname, resolve } from 'node:path';
import { loadConfig } from '../config/env.js';
import { readOptions, runStoppable, say } from '../process/command.js';
import { Refused } from '../process/refused.js';
import { printSelfCheck } from './printSelfCheck.js';
import { checkBeforeRestore, restoreBackup } from './restore.js';
import { verifyRestored } from './verifyRestored.js';

/** Reads a time with its zone, and takes the beginning of its second: the oplog is cut there. */
function untilOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!/(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime()))
    throw new Refused('--until must be a time with its zone, such as 2026-11-23T14:30:00Z.');
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

const usage =
  'npm run restore -- --from DIR [--mongodb-uri URI] [--identity FILE] [--until TIME [--oplog DIR]], with the target in RESTORE_MONGODB_URI or --mongodb-uri';

/**
 * `npm run restore -- --from DIR [--mongodb-uri URI] [--identity FILE] [--until TIME [--oplog DIR]]`: restores a backup into an
 * empty MongoDB, with the changes after it up to a time, and checks what is there. The target may come from
 * RESTORE_MONGODB_URI: other people of the machine see arguments. docs/operations/backup.md
 */
await runStoppable('The restore was stopped. Empty the target before you start it again.', async (signal) => {
  const { values } = readOptions(usage, {
    from: { type: 'string' },
    'mongodb-uri': { type: 'string' },
    identity: { type: 'string' },
    until: { type: 'string' },
    oplog: { type: 'string' },
  });
  const { from, 'mongodb-uri': mongodbUri = process.env.RESTORE_MONGODB_URI, identity = null } = values;
  if (!from || !mongodbUri) throw new Refused(`Name backup and target: ${usage}`);
  const config = loadConfig({ ...process.env, MONGODB_URI: mongodbUri });
  const until = untilOf(values.until);
  const oplog = values.oplog ?? dirname(resolve(from));
  const checked = await checkBeforeRestore(config, { from, identity, until, oplog });
  say(`The backup is whole. It shows ${checked.manifest.at}.`);
  if (until) say(`${checked.slices.length} slices of the oplog lead to ${until.toISOString()}.`);
  const core = await restoreBackup(config, checked, { from, identity, until, signal, say });
  try {
    say('Checking what was restored …');
    const seen = await verifyRestored(core, checked.manifest);
    const { whole, entries, brokenAt, blobs, lacking, removedMeanwhile, opened, different } = seen;
    say(
      brokenAt === null
        ? `The audit chain is intact: ${entries} entries.`
        : `The audit chain is broken at entry ${brokenAt}; ${entries} entries were read.`,
    );
    say(`${blobs} blobs, of which ${lacking} lack bytes. ${opened} images were opened, of which ${different} differ.`);
    if (removedMeanwhile > 0) say(`${removedMeanwhile} more came and were deleted while the backup was made.`);
    const green = await printSelfCheck(core, true);
    say(whole && green ? 'The restore is whole.' : 'THE RESTORE IS NOT WHOLE.');
    return whole && green;
  } finally {
    await core.close();
  }
});
