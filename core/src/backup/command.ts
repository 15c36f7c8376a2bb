import type { Core } from '../core.js';
import { system } from '../events/events.js';
import { faultText } from '../process/command.js';
import { reportText } from '../selfCheck/reportText.js';
import { runSelfCheck } from '../selfCheck/selfCheck.js';
import { untilConnected } from '../selfCheck/untilConnected.js';

const statuses = { SIGINT: 130, SIGTERM: 143 } as const;

/** Returns the value of an option of the command line; null when it is not there. */
export function option(name: string): string | null {
  const at = process.argv.indexOf(name);
  const value = at < 0 ? undefined : process.argv[at + 1];
  return value === undefined || value.startsWith('--') ? null : value;
}

/**
 * Runs a command and ends the process with its status. SIGINT and SIGTERM abort the signal; then `stopped` says in words
 * what is left. A fault is the status 1.
 */
export async function runStoppable(stopped: string, work: (signal: AbortSignal) => Promise<boolean>): Promise<never> {
  const stop = new AbortController();
  let status = 1;
  for (const [name, ends] of Object.entries(statuses)) {
    // A terminal signals the shell of npm too, which passes it on: a second one must not cut the clearing up short.
    process.on(name, () => {
      status = ends;
      stop.abort();
    });
  }
  try {
    if (await work(stop.signal)) process.exit(0);
  } catch (error) {
    if (stop.signal.aborted) process.stderr.write(`${stopped}\n`);
    else process.stderr.write(faultText(error as Error));
  }
  process.exit(status);
}

/** Runs the self-check and prints it. Returns false when a check failed; after a restore, the age of the backup is no fault. */
export async function selfCheck(core: Core, restored = false): Promise<boolean> {
  await untilConnected(core);
  const report = await runSelfCheck(core, system);
  process.stdout.write(reportText(report));
  return report.checks.every(({ name, state }) => state !== 'failed' || (restored && name === 'backup'));
}
