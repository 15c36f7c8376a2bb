import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { anchored, parseHead } from './anchor.js';
import { verifyAudit } from './verify.js';

/**
 * `npm run audit:verify [-- SEQ:HASH]`: recomputes the chain and exits with 1 when an entry was changed, is missing or
 * is in the wrong place, or reports a foreign or missing event. SEQ:HASH is a head from the log of the service or from
 * an anchor: with it not even a whole older database passes. `--new` reads from the last checkpoint on.
 */
const args = process.argv.slice(2);
const config = loadConfig(process.env);
const noted = [...args.flatMap((text) => parseHead(text) ?? []), ...(await anchored(config.auditAnchor))];
const core = await createCore(config, 'audit');
const since = args.includes('--new') ? 'checkpoint' : 'start';
const { ok, checked, firstBroken, reason } = await verifyAudit(core.models, core.keys.audit, { since, noted });
await core.close();
process.stdout.write(
  ok
    ? `The audit chain is intact: ${checked} entries.\n`
    : `The audit chain is broken at entry ${firstBroken} (${reason}); ${checked} entries were read.\n`,
);
process.exit(ok ? 0 : 1);
