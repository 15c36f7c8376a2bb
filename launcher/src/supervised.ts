import type { ChildProcess } from 'node:child_process';
import { configExitCode } from '@lightbox/core/config/env.js';
import { endChild, hasEnded } from './processes.js';

export interface Watch {
  /** After every start, with the new pid. */
  onSpawn: () => void;
  /** When starting it again makes no sense any more, with the reason. */
  onGiveUp: (reason: string) => void;
  say: (line: string) => void;
}

const longLife = 60_000;
const longestPause = 10_000;
const hopelessAfter = 5;

/** A child process that is started again, after growing pauses, when it ends without having been asked to. */
export class Supervised {
  child: ChildProcess | null = null;
  /** Once it has served it is never given up; before that a few early ends are enough. */
  patient = false;
  private stopping = false;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    private readonly spawn: () => ChildProcess,
    private readonly watch: Watch,
  ) {}

  /** Starts it without looking after it yet; null when everything is being stopped. */
  start(): ChildProcess | null {
    if (this.stopping) return null;
    this.child = this.spawn();
    this.watch.onSpawn();
    return this.child;
  }

  /** From now on an unexpected end is answered with a new start. */
  supervise(child: ChildProcess): void {
    const since = Date.now();
    const ended = () => {
      if (this.stopping) return;
      this.failures = Date.now() - since > longLife ? 1 : this.failures + 1;
      this.again(child);
    };
    if (hasEnded(child)) ended();
    else child.once('exit', ended);
  }

  private again(child: ChildProcess): void {
    const reason = this.whyHopeless(child);
    if (reason) this.watch.onGiveUp(reason);
    // The pause also lets a signal to the whole group, which ended the child first, reach this process.
    else this.timer = setTimeout(() => this.restart(child), Math.min(250 * 2 ** this.failures, longestPause));
  }

  private whyHopeless(child: ChildProcess): string | null {
    if (child.exitCode === configExitCode) return `${this.name} cannot run like this (see above).`;
    if (this.patient || this.failures < hopelessAfter) return null;
    return `${this.name} ended ${this.failures} times in a row (last: ${howItEnded(child)}).`;
  }

  private restart(child: ChildProcess): void {
    this.watch.say(`${this.name} ended unexpectedly (${howItEnded(child)}); starting it again.`);
    const next = this.start();
    if (next) this.supervise(next);
  }

  /** Ends it for good; true when it went by itself within `patience` milliseconds. */
  async stop(patience: number): Promise<boolean> {
    this.stopping = true;
    clearTimeout(this.timer);
    return this.child ? endChild(this.child, patience) : true;
  }
}

const howItEnded = (child: ChildProcess): string => child.signalCode ?? `exit code ${child.exitCode}`;
