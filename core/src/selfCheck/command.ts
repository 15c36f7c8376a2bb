import { system } from '../events/events.js';
import { readOptions, runWithCore } from '../process/command.js';
import { reportText } from './reportText.js';
import { runSelfCheck } from './selfCheck.js';
import { untilConnected } from './untilConnected.js';

const read = () => readOptions('npm run self-check [-- --json]', { json: { type: 'boolean' } });

/** `npm run self-check [-- --json]`: runs all checks, prints the report, and exits with 1 when one fails. */
await runWithCore('self-check', read, async (core, { values }) => {
  await untilConnected(core);
  const report = await runSelfCheck(core, system);
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  return report.ok;
});
