import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { verifyAudit } from './chain.js';

/**
 * `npm run audit:verify [-- SEQ:HASH]`: recomputes the chain and ends with 1 when an entry was changed, is missing or stands
 * elsewhere. SEQ:HASH is a head that the workers noted in their log: with it not even a whole database from before passes.
 */
const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(process.argv.at(-1) ?? '') ?? [];
const noted = seq && hash ? { seq: Number(seq), hash } : undefined;
const core = await createCore(loadConfig(process.env), 'audit');
const { ok, checked, firstBroken } = await verifyAudit(core.models, core.keys.audit, noted);
await core.close();
process.stdout.write(
  ok
    ? `The audit chain holds: ${checked} entries.\n`
    : `The audit chain is broken at entry ${firstBroken}; ${checked} before it hold.\n`,
);
process.exit(ok ? 0 : 1);
