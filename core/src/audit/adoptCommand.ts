import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { adoptAudit } from './chain.js';

/**
 * `npm run audit:adopt`: for a log from before its head was stored, and for an upgrade that takes longer than an hour.
 * Records in the log that an older version may write for another hour.
 */
const core = await createCore(loadConfig(process.env), 'audit');
await adoptAudit(core.models, core.keys.audit, core.clock.now());
await core.close();
process.stdout.write('The audit log accepts events without a signature for one hour. An entry in the log says so.\n');
