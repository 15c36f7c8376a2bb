import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns true when this process or one of its decoders has started a process that is no decoder, or has inherited one.
 * Decoders start none. Node collects no children but its own, so one that has ended stays in the list too. A process that
 * was brought in from outside, such as a health check, has no parent here.
 */
export function hasStrangers(decoders: ReadonlySet<number>): boolean {
  const family = new Set([process.pid, ...decoders]);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((name) => !family.has(Number(name)) && family.has(parentOf(name)));
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // A process chooses its name, which may contain spaces and brackets. Behind it come the state and the parent.
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}
