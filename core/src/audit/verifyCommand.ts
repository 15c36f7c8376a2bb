import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { verifyAudit } from './chain.js';

/** `npm run audit:verify`: recomputes the chain and ends with 1 when an entry was changed, is missing or stands elsewhere. */
const core = await createCore(loadConfig(process.env), 'audit');
const { ok, checked, firstBroken } = await verifyAudit(core.models, core.keys.audit);
await core.close();
process.stdout.write(
  ok
    ? `The audit chain holds: ${checked} entries.\n`
    : `The audit chain is broken at entry ${firstBroken}; ${checked} before it hold.\n`,
);
process.exit(ok ? 0 : 1);
