import type { Core } from '../core.js';
import { system } from '../events/events.js';
import { reportText } from '../selfCheck/reportText.js';
import { runSelfCheck } from '../selfCheck/selfCheck.js';
import { untilConnected } from '../selfCheck/untilConnected.js';

/** Runs the self-check and prints it. Returns false when a check failed; after a restore, the age of the backup is no fault. */
export async function printSelfCheck(core: Core, restored = false): Promise<boolean> {
  await untilConnected(core);
  const report = await runSelfCheck(core, system);
  process.stdout.write(reportText(report));
  return report.checks.every(({ name, state }) => state !== 'failed' || (restored && name === 'backup'));
}
