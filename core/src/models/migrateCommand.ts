import { readOptions, runWithCore, say } from '../process/command.js';
import { begunSteps, repeatStep } from './upgrade.js';

const read = () => readOptions('npm run migrate [-- --again NAME]', { again: { type: 'string' } });

/**
 * `npm run migrate`: makes what every start of a process makes too: missing collections and indexes, and the changes of
 * records that an older version left. `-- --again NAME` makes one of these changes again.
 */
await runWithCore('migrate', read, async ({ models }, { values: { again } }) => {
  if (again !== undefined) await repeatStep(models, again);
  const steps = await begunSteps(models);
  say(`The database is ready for this version. Changes made so far: ${steps.join(', ') || 'none'}.`);
  return true;
});
