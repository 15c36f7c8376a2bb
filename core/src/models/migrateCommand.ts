import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { begunSteps } from './upgrade.js';

/**
 * `npm run migrate`: makes what every start of a process makes too: missing collections and indexes, and the changes of
 * records that an older version left.
 */
const core = await createCore(loadConfig(process.env), 'migrate');
const steps = await begunSteps(core.models);
await core.close();
process.stdout.write(`The database is ready for this version. Changes made so far: ${steps.join(', ') || 'none'}.\n`);
