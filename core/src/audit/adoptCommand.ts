import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { adoptAudit } from './chain.js';

/**
 * `npm run audit:adopt`: for a log from before heads were kept, and for an upgrade that takes longer than an hour. Says in
 * the log itself that an older version may write for another hour.
 */
const core = await createCore(loadConfig(process.env), 'audit');
await adoptAudit(core.models, core.keys.audit, core.clock.now());
await core.close();
process.stdout.write('Events without a signature are taken into the audit log for one hour. The log says so.\n');
