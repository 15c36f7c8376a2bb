import { readOptions, runWithCore, say } from '../process/command.js';
import { adoptAudit } from './chain.js';

/**
 * `npm run audit:adopt`: for a log from before its head was stored, and for an upgrade that takes longer than an hour.
 * Records in the log that an older version may write for another hour.
 */
await runWithCore(
  'audit',
  () => readOptions('npm run audit:adopt', {}),
  async ({ models, keys, clock }) => {
    await adoptAudit(models, keys.audit, clock.now());
    say('The audit log accepts events without a signature for one hour. An entry in the log says so.');
    return true;
  },
);
