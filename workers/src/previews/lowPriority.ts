import { readdirSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * Gives every thread of this process a low priority: drawing gets the processor time that gateways and databases leave,
 * because people wait for those. Not the lowest: pictures that wait for minutes help nobody. Threads that start later inherit it.
 */
export function lowerPriority(): void {
  // Nobody but root may raise a priority: that of the worker may be lower already.
  const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
  // On Linux each thread has a priority of its own, and Node has started some.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const id of threads) setPriority(id, priority);
  try {
    // Linux shares time among sessions first. `renderers.ts` starts this process in a session of its own.
    writeFileSync('/proc/self/autogroup', String(priority));
  } catch {
    // Other systems, and kernels without this, have no priority of sessions.
  }
}
