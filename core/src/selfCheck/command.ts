import { once } from 'node:events';
import { checkFacts } from '@lightbox/contract/selfCheck/report.js';
import { checkWords } from '@lightbox/contract/selfCheck/words.js';
import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { inTime } from '../db/inTime.js';
import { system } from '../events/events.js';
import { runSelfCheck } from './selfCheck.js';

/** `npm run self-check [-- --json]`: runs all checks, prints the report, and exits with 1 when one fails. */
const core = await createCore(loadConfig(process.env), 'self-check');
// The command is faster than its connections. Without Redis, the checks that need it report that.
const connected = [
  core.redis.status === 'ready' ? null : once(core.redis, 'ready'),
  core.queues.all.mail.waitUntilReady(),
];
await inTime(Promise.all(connected), 5_000).catch(() => undefined);
const report = await runSelfCheck(core, system);
await core.close();

const signs = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' };
const units = { count: '', text: '', seconds: ' s', milliseconds: ' ms', bytes: ' bytes' };
const lines = report.checks.map(({ name, state, fault, saw }) => {
  const facts = saw.map(({ fact, value }) => `${checkWords.fact[fact]} ${value}${units[checkFacts[fact]]}`);
  const said = [...(fault ? [checkWords.fault[fault]] : []), facts.join(', ')].join(' ');
  return `${signs[state].padEnd(8)} ${checkWords.name[name].padEnd(22)} ${said}`.trimEnd();
});
process.stdout.write(
  process.argv.includes('--json')
    ? `${JSON.stringify(report, null, 2)}\n`
    : `Self-check of ${report.at}\n${lines.join('\n')}\n`,
);
process.exit(report.ok ? 0 : 1);
