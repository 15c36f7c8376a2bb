import type { CheckFault, CheckName, SelfCheckReport } from '@lightbox/contract/selfCheck/report.js';
import type { Core } from '../core.js';
import { system } from '../events/events.js';
import { reportText } from '../selfCheck/reportText.js';
import { runSelfCheck } from '../selfCheck/selfCheck.js';
import { untilConnected } from '../selfCheck/untilConnected.js';

/** The faults that do not count after a restore, because the product does not run yet, and its last backup is that one. */
const untilStarted: Partial<Record<CheckName, CheckFault>> = {
  backup: 'oldBackup',
  receiver: 'receiverAway',
  tls: 'unreachable',
};

/** Returns the checks that failed, after a restore without those that fail until the product is started. */
export const faultsOf = ({ checks }: Pick<SelfCheckReport, 'checks'>, restored: boolean) =>
  checks.filter(({ name, state, fault }) => state === 'failed' && !(restored && untilStarted[name] === fault));

/** Runs the self-check and prints it. Returns false when it found a fault. */
export async function printSelfCheck(core: Core, restored = false): Promise<boolean> {
  await untilConnected(core);
  const report = await runSelfCheck(core, system);
  process.stdout.write(reportText(report));
  return faultsOf(report, restored).length === 0;
}
