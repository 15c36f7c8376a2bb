import { parseArgs } from 'node:util';
import { runWithCore, say } from '../process/command.js';
import { begunSteps, repeatStep } from './upgrade.js';

/**
 * `npm run migrate`: makes what every start of a process makes too: missing collections and indexes, and the changes of
 * records that an older version left. `-- --again NAME` makes one of these changes again.
 */
await runWithCore('migrate', async ({ models }) => {
  // `npm run` puts the name of the command first.
  const { again } = parseArgs({ options: { again: { type: 'string' } }, allowPositionals: true }).values;
  if (again !== undefined) await repeatStep(models, again);
  const steps = await begunSteps(models);
  say(`The database is ready for this version. Changes made so far: ${steps.join(', ') || 'none'}.`);
  return true;
});
