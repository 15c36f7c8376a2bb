import { readOptions, runWithCore, say } from '../process/command.js';
import { collectionsWithoutRights } from './rights.js';
import { begunSteps, repeatStep } from './upgrade.js';

const read = () => readOptions('npm run migrate [-- --again NAME]', { again: { type: 'string' } });

/**
 * `npm run migrate`: makes what every start of a process makes too: missing collections and indexes, and the changes of
 * records that an older version left. `-- --again NAME` makes one of these changes again. It ends with 1 when the account of
 * MongoDB may not change a collection of this version: calls on it would fail.
 */
await runWithCore('migrate', read, async ({ db, models }, { values: { again } }) => {
  if (again !== undefined) await repeatStep(models, again);
  const steps = await begunSteps(models);
  const without = db.db ? await collectionsWithoutRights(db.db, models) : [];
  if (without.length > 0) {
    say(`The account of MongoDB may not change these collections: ${without.join(', ')}.`);
    say('Give it the rights of this version first: docs/operations/upgrades.md, step 2.');
    return false;
  }
  say(`The database is ready for this version. Changes made so far: ${steps.join(', ') || 'none'}.`);
  return true;
});
