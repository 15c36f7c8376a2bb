import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MemoryUse {
  before: number;
  peak: number;
  after: number;
}

/** Returns a process's resident memory in MiB before, during and after some work, or null without /proc. */
export async function memoryDuring(pid: number, work: () => Promise<void>): Promise<MemoryUse | null> {
  if (process.platform !== 'linux') return work().then(() => null);
  forgetPeak(pid);
  const before = read(pid, 'VmRSS');
  await work();
  const peak = read(pid, 'VmHWM');
  await sleep(2_000);
  return { before, peak, after: read(pid, 'VmRSS') };
}

/** Resets the highest resident size to the current one (proc(5), value 5). */
const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

function read(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

/** Returns the resident MiB of a process; 0 without /proc. */
export const residentMiB = (pid: number): number => (process.platform === 'linux' ? read(pid, 'VmRSS') : 0);
