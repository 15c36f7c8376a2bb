import type { ChildProcess } from 'node:child_process';
import { configExitCode } from '@lightbox/core/config/env.js';
import { endChild, hasEnded } from './processes.js';

export interface Watch {
  /** Called after every start, when the new pid is known. */
  onSpawn: () => void;
  /** Called with the reason when a restart is useless. */
  onGiveUp: (reason: string) => void;
  say: (line: string) => void;
}

const stableAfterMs = 60_000;
const longestPauseMs = 10_000;
const mostFailures = 5;

/** A child process that is restarted, with growing pauses, when it ends unexpectedly. */
export class Supervised {
  child: ChildProcess | null = null;
  /** True after the first successful start. Before that, a few failures in a row end the launcher. */
  alwaysRestart = false;
  private stopping = false;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    private readonly spawn: () => ChildProcess,
    private readonly watch: Watch,
  ) {}

  /** Starts it without supervision. Returns null when everything is being stopped. */
  start(): ChildProcess | null {
    if (this.stopping) return null;
    this.child = this.spawn();
    this.watch.onSpawn();
    return this.child;
  }

  /** Restarts it after each unexpected end from now on. */
  supervise(child: ChildProcess): void {
    const since = performance.now();
    const ended = () => {
      if (this.stopping) return;
      this.failures = performance.now() - since > stableAfterMs ? 1 : this.failures + 1;
      this.restartOrGiveUp(child);
    };
    if (hasEnded(child)) ended();
    else child.once('exit', ended);
    // A program that the system could not start has no exit.
    child.on('error', () => {
      if (child.pid === undefined) ended();
    });
  }

  private restartOrGiveUp(child: ChildProcess): void {
    const reason = this.reasonToGiveUp(child);
    if (reason) this.watch.onGiveUp(reason);
    // A signal to the whole group may end the child first. During the pause it reaches this process too.
    else this.timer = setTimeout(() => this.restart(child), Math.min(250 * 2 ** this.failures, longestPauseMs));
  }

  private reasonToGiveUp(child: ChildProcess): string | null {
    if (child.exitCode === configExitCode) return `${this.name} cannot run like this (see above).`;
    if (this.alwaysRestart || this.failures < mostFailures) return null;
    return `${this.name} ended ${this.failures} times in a row (last: ${howItEnded(child)}).`;
  }

  private restart(child: ChildProcess): void {
    this.watch.say(`${this.name} ended unexpectedly (${howItEnded(child)}); starting it again.`);
    try {
      const next = this.start();
      if (next) this.supervise(next);
    } catch (error) {
      // Its log may be on a full disk. The others go on.
      this.watch.say(`${this.name} could not be started (${(error as Error).message}).`);
      this.failures++;
      this.restartOrGiveUp(child);
    }
  }

  /** Ends it for good. Resolves to true when SIGTERM was enough within the timeout. */
  async stop(timeoutMs: number): Promise<boolean> {
    this.stopping = true;
    clearTimeout(this.timer);
    return this.child ? endChild(this.child, timeoutMs) : true;
  }
}

const howItEnded = ({ pid, signalCode, exitCode }: ChildProcess): string =>
  pid === undefined ? 'it could not be started' : (signalCode ?? `exit code ${exitCode}`);
