import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Identifies a process in a file. The system reuses a pid, but not with the same start time. */
export interface ProcessMark {
  name: string;
  pid: number;
  started: string;
}

export const markOf = (name: string, pid: number): ProcessMark => ({ name, pid, started: startOf(pid) ?? '' });

/** True when the marked process still runs. */
export const isRunning = (mark: ProcessMark): boolean => mark.pid !== process.pid && startOf(mark.pid) === mark.started;

/** Returns the start time of a process as a text for comparison, or null when it does not exist or is a zombie. */
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

/** Sends SIGTERM to marked processes, and SIGKILL to those that still run after the timeout. */
export async function endAll(marks: ProcessMark[], timeoutMs: number): Promise<void> {
  const left = () => marks.filter(isRunning);
  for (const { pid } of left()) send(pid, 'SIGTERM');
  const deadline = performance.now() + timeoutMs;
  while (left().length > 0 && performance.now() < deadline) await sleep(50);
  for (const { pid } of left()) send(pid, 'SIGKILL');
  while (left().length > 0) await sleep(20);
}

/** Sends SIGTERM to a child, and SIGKILL after the timeout. Resolves to true when SIGTERM was enough. */
export async function endChild(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  if (hasEnded(child) || child.pid === undefined) return true;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = new AbortController();
  const inTime = await Promise.race([
    ended.then(() => true),
    sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false),
  ]);
  timer.abort();
  if (!inTime) child.kill('SIGKILL');
  await ended;
  return inTime;
}

/** Runs a program that ends with this process: the launcher exits on a signal without waiting for a download. */
export async function runWithUs(command: string, args: readonly string[], timeout: number): Promise<void> {
  const ended = run(command, args, { timeout });
  const end = () => ended.child.kill('SIGKILL');
  process.on('exit', end);
  try {
    await ended;
  } finally {
    process.off('exit', end);
  }
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}
