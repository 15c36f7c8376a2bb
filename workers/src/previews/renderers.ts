import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compiled } from '@lightbox/core/process/compiled.js';
import { readFrames, writeFrame } from './frames.js';
import { type TimesOfThreads, timesBetween, timesOf } from './processorTime.js';
import { AnswerHeader, answerLimits, resultOf, type Task } from './protocol.js';
import { RenderCrashed, type Renderer, RendererAway, type RunOptions } from './renderer.js';
import { type Sandbox, sandboxEnv } from './sandbox.js';

export interface RendererOptions {
  /** The highest number of processes. */
  size: number;
  /**
   * The time for one file on a machine without other work, after its process has started. A file that takes longer counts as
   * one that cannot be drawn.
   */
  timeLimitMs: (contentType: string) => number;
  /** The factor by which a file may take longer at this moment. */
  patience: () => number;
  heapMb: number;
  rssBytes: number;
  /** Decoders leak memory, so a process is replaced after this many files or above a third of its memory limit. */
  recycleAfter: number;
  module: URL;
  /** The caller closes it. */
  sandbox: Sandbox;
}

const START_LIMIT_MS = 30_000;

/** An ordinary page of a PDF takes a tenth of a second. One that takes seconds was made to be slow. */
const timeLimitMs = (contentType: string): number => (contentType === 'application/pdf' ? 5_000 : 20_000);

const MOST_PATIENCE = 5;

/** Returns how much longer a file may take on a machine with more work than cores. */
export const patience = (load = loadavg()[0] ?? 0, cores = availableParallelism()): number =>
  Math.min(MOST_PATIENCE, Math.max(1, load / cores));

/**
 * Drawing gets only the processor time that others leave, so the time in which it waited for a processor does not count.
 * A file is given up for this moment after this many times its limit. It is less than the time after which
 * `remoteRenderer.ts` gives up.
 */
const MOST_WAIT = 20;
/** The time of a file is counted this many times within its limit, and at least every second. */
const COUNTS = 10;

const defaults: Omit<RendererOptions, 'sandbox'> = {
  size: 1,
  timeLimitMs,
  patience: () => patience(),
  heapMb: 512,
  rssBytes: 1024 * 1024 * 1024,
  recycleAfter: 200,
  module: compiled('./renderProcess.js', import.meta.url),
};

const crash = (reason: string) => new RenderCrashed(reason);

interface Job {
  task: Task;
  onBegin: RunOptions['onBegin'];
  onPart: RunOptions['onPart'];
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

interface Answer {
  header: AnswerHeader;
  body: Buffer;
}

/** A process and its current file. */
interface Child {
  process: ChildProcess;
  channel: Socket;
  files: number;
  job: Job | null;
  timer: NodeJS.Timeout | undefined;
  /** The file has had the time of its limit, and waited for a processor in it. */
  isOverdue: boolean;
}

/** Runs processes that each decode one file at a time. Replaces those that die, hang or reach their number of files. */
export class Renderers implements Renderer {
  private readonly options: RendererOptions;
  /** The processes that have not ended, also those that were killed. */
  readonly pids = new Set<number>();
  private readonly idle: Child[] = [];
  private readonly busy = new Set<Child>();
  private readonly waiting: Job[] = [];
  private closed = false;

  constructor(options: Partial<RendererOptions> & Pick<RendererOptions, 'sandbox'>) {
    this.options = { ...defaults, ...options };
  }

  run: Renderer['run'] = async (name, bytes, contentType, { onBegin, onPart, ...given } = {}) => {
    if (this.closed) throw new RendererAway();
    const { header, body } = await new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ task: { name, bytes, contentType, ...given }, onBegin, onPart, resolve, reject });
      this.next();
    });
    return resultOf(name, header, body);
  };

  async close(): Promise<void> {
    this.closed = true;
    for (const job of this.waiting.splice(0)) job.reject(new RendererAway());
    await Promise.all([...this.idle, ...this.busy].map((child) => this.end(child, new RendererAway())));
  }

  private next(): void {
    if (this.waiting.length === 0 || (this.idle.length === 0 && this.isFull())) return;
    const job = this.waiting.shift() as Job;
    const started = this.idle.pop();
    const child = started ?? this.start();
    child.job = job;
    this.busy.add(child);
    child.process.ref();
    child.channel.ref();
    if (started) this.ask(child);
    else this.limitTime(child, START_LIMIT_MS, () => this.end(child, crash('the renderer did not start')));
  }

  /** An overdue file makes room for the next one: it may be the file of somebody else. Two do not. */
  private isFull(): boolean {
    const isLate = [...this.busy].some(({ isOverdue }) => isOverdue);
    return this.busy.size >= this.options.size + (isLate ? 1 : 0);
  }

  private start(): Child {
    const { module, heapMb, rssBytes, sandbox } = this.options;
    const file = fileURLToPath(module);
    const [command, ...args] = sandbox.command([`--max-old-space-size=${heapMb}`, file], [file]);
    const process = spawn(command, args, {
      // A session of its own: see `lowPriority.ts`.
      detached: true,
      env: { ...sandboxEnv, RSS_LIMIT: String(rssBytes) },
      // Standard output is closed, because decoders write to it.
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const { pid } = process;
    if (pid) this.pids.add(pid);
    const channel = process.stdio[3] as Socket;
    const child: Child = { process, channel, files: 0, job: null, timer: undefined, isOverdue: false };
    process.on('error', () => this.lost(child, crash('the renderer could not be started')));
    process.on('exit', (_code, signal) => {
      if (pid) this.pids.delete(pid);
      this.lost(child, crash(`the renderer ended (${signal ?? 'exit'})`));
    });
    child.channel.on('error', () => undefined);
    void this.listen(child);
    return child;
  }

  private async listen(child: Child): Promise<void> {
    try {
      for await (const { header, body } of readFrames(child.channel, answerLimits)) {
        const answer = AnswerHeader.parse(header);
        if ('ready' in answer) this.ask(child);
        else if ('part' in answer) await this.part(child, body);
        else this.answer(child, { header: answer, body });
      }
    } catch {
      await this.end(child, crash('the renderer answered nonsense'));
    }
  }

  private ask(child: Child): void {
    if (!child.job) return;
    const { bytes, ...header } = child.job.task;
    child.job.onBegin?.();
    this.limitFile(child, header.contentType);
    writeFrame(child.channel, header, bytes).catch(() => this.end(child, crash('the renderer is gone')));
  }

  private limitFile(child: Child, contentType: string): void {
    this.limitTime(child, this.options.timeLimitMs(contentType), () => this.tookTooLong(child));
  }

  /**
   * Calls `end` when the child has worked for this time, and when this time has passed on a machine with as much work as now:
   * the load may have risen after the start. A child whose threads wait for each other has worked when they had what the whole
   * machine gives in this time.
   */
  private limitTime(child: Child, ms: number, end: () => Promise<void>): void {
    const { pid = 0 } = child.process;
    const begun = performance.now();
    let [ran, waited] = [0, 0];
    let times: TimesOfThreads | null = null;
    const count = () => {
      const before = times;
      times = timesOf(pid);
      const since = before && timesBetween(before, times);
      ran += since?.ran ?? 0;
      waited += since?.waited ?? 0;
      const passed = performance.now() - begun;
      const hasWorked = passed - waited >= ms || ran >= ms * availableParallelism();
      if (hasWorked && passed >= ms * this.options.patience()) return void end();
      if (passed >= ms * MOST_WAIT) return void this.end(child, crash('it got too little processor time'));
      if (passed >= ms && !child.isOverdue) {
        child.isOverdue = true;
        this.next();
      }
      wait();
    };
    const wait = () => {
      child.timer = setTimeout(count, Math.min(1_000, ms / COUNTS));
    };
    clearTimeout(child.timer);
    wait();
  }

  /** Hands on a part of the plain frames. The time limit is that of one part; the receiver limits their bytes. */
  private async part(child: Child, body: Buffer): Promise<void> {
    const { job } = child;
    if (!job) return void this.end(child, crash('the renderer answered unasked'));
    clearTimeout(child.timer);
    try {
      await job.onPart?.(body);
    } catch (error) {
      this.finish(child)?.reject(error as Error);
      return void this.end(child, crash('the frames were not stored'));
    }
    if (child.job === job) this.limitFile(child, job.task.contentType);
  }

  private answer(child: Child, answer: Answer): void {
    const job = this.finish(child);
    if (!job) return void this.end(child, crash('the renderer answered unasked'));
    child.files++;
    const rss = ('rss' in answer.header && answer.header.rss) || 0;
    const isOneTooMany = this.busy.size + this.idle.length >= this.options.size;
    if (isOneTooMany || rss > this.options.rssBytes / 3 || child.files >= this.options.recycleAfter) {
      child.process.kill('SIGKILL');
    } else this.rest(child);
    job.resolve(answer);
    this.next();
  }

  /** Treats a file that takes too long as one that cannot be drawn, so that it is not retried. */
  private tookTooLong(child: Child): Promise<void> {
    this.finish(child)?.resolve({ header: { unreadable: true }, body: Buffer.alloc(0) });
    return this.end(child, crash('it took too long'));
  }

  /** Marks the child as idle. `unref`: an idle child must not prevent the worker from ending. */
  private rest(child: Child): void {
    child.process.unref();
    child.channel.unref();
    this.idle.push(child);
  }

  private lost(child: Child, reason: Error): void {
    const at = this.idle.indexOf(child);
    if (at >= 0) this.idle.splice(at, 1);
    this.finish(child)?.reject(reason);
    this.next();
  }

  private async end(child: Child, reason: Error): Promise<void> {
    const { process } = child;
    const running = process.pid !== undefined && process.exitCode === null && process.signalCode === null;
    const ended = new Promise((resolve) => process.once('exit', resolve));
    process.ref();
    process.kill('SIGKILL');
    child.channel.destroy();
    this.lost(child, reason);
    if (running) await ended;
  }

  private finish(child: Child): Job | null {
    const { job } = child;
    clearTimeout(child.timer);
    child.job = null;
    child.isOverdue = false;
    this.busy.delete(child);
    return job;
  }
}
