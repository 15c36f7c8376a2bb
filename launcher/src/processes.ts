import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process as a file can remember it: a pid comes round again, the moment of its start does not. */
export interface ProcessMark {
  name: string;
  pid: number;
  started: string;
}

export const markOf = (name: string, pid: number): ProcessMark => ({ name, pid, started: startOf(pid) ?? '' });

/** Whether the very process that was marked still runs. */
export const isRunning = (mark: ProcessMark): boolean => mark.pid !== process.pid && startOf(mark.pid) === mark.started;

/** When a process started, in words that only need to be compared; null when there is none (or only its remains). */
function startOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return linuxStart(pid);
    process.kill(pid, 0);
    if (process.platform === 'win32') return 'running';
    return execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

function linuxStart(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
}

/** Ends marked processes politely, and those that stay after `patience` milliseconds by force. */
export async function endAll(marks: ProcessMark[], patience: number): Promise<void> {
  const left = () => marks.filter(isRunning);
  for (const { pid } of left()) send(pid, 'SIGTERM');
  const deadline = Date.now() + patience;
  while (left().length > 0 && Date.now() < deadline) await sleep(50);
  for (const { pid } of left()) send(pid, 'SIGKILL');
  while (left().length > 0) await sleep(20);
}

/** Ends a child politely, by force after `patience` milliseconds. True when it went by itself. */
export async function endChild(child: ChildProcess, patience: number): Promise<boolean> {
  if (hasEnded(child) || child.pid === undefined) return true;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = new AbortController();
  const inTime = await Promise.race([
    ended.then(() => true),
    sleep(patience, false, { signal: timer.signal }).catch(() => false),
  ]);
  timer.abort();
  if (!inTime) child.kill('SIGKILL');
  await ended;
  return inTime;
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between, which is all that was wanted.
  }
}
