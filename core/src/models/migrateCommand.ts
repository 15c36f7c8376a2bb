import { runWithCore, say } from '../process/command.js';
import { begunSteps } from './upgrade.js';

/**
 * `npm run migrate`: makes what every start of a process makes too: missing collections and indexes, and the changes of
 * records that an older version left.
 */
await runWithCore('migrate', async ({ models }) => {
  const steps = await begunSteps(models);
  say(`The database is ready for this version. Changes made so far: ${steps.join(', ') || 'none'}.`);
  return true;
});
