import { loadConfig } from '../config/env.js';
import { createCore } from '../core.js';
import { isAway } from '../db/away.js';
import { system } from '../events/events.js';
import { reportText } from './reportText.js';
import { runSelfCheck } from './selfCheck.js';
import { untilConnected } from './untilConnected.js';

/** `npm run self-check [-- --json]`: runs all checks, prints the report, and exits with 1 when one fails. */
const core = await createCore(loadConfig(process.env), 'self-check').catch((error: Error) => {
  if (!isAway(error)) throw error;
  process.stderr.write(`MongoDB does not answer, so nothing was checked: ${error.message}\n`);
  process.exit(1);
});
await untilConnected(core);
const report = await runSelfCheck(core, system);
await core.close();

process.stdout.write(process.argv.includes('--json') ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
process.exit(report.ok ? 0 : 1);
