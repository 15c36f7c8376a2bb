import { Worker } from 'node:worker_threads';
import { compiled } from '@lightbox/core/process/compiled.js';
import type { DicomHeader } from './dicomHeader.js';
import type { Walked } from './dicomWalker.js';
import type { Inspected } from './inspectionThread.js';
import { FileRejected, unreadableDicom } from './rejected.js';

const THREADS = 2;
const TIME_LIMIT_MS = 2000;
/** Time limit of a thread that starts: on a busy machine loading its modules takes longer than `TIME_LIMIT_MS`. */
const START_LIMIT_MS = 30_000;
const RESOURCES = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 32, stackSizeMb: 2 };

interface Job {
  walked: Walked;
  resolve(header: DicomHeader): void;
  reject(error: FileRejected): void;
}

/**
 * Parses headers in at most two threads, which are reused. A thread that runs out of time or memory is ended and its
 * file is refused; the next file gets a new thread. So a hostile header never harms the gateway.
 */
export class InspectionPool {
  private readonly thread: URL;
  private readonly timeLimitMs: number;
  private idle: Worker[] = [];
  private starting = new Set<Worker>();
  private busy = new Map<Worker, { job: Job; timer: NodeJS.Timeout }>();
  private waiting: Job[] = [];

  constructor(thread = compiled('./inspectionThread.js', import.meta.url), timeLimitMs = TIME_LIMIT_MS) {
    this.thread = thread;
    this.timeLimitMs = timeLimitMs;
  }

  run(walked: Walked): Promise<DicomHeader> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ walked, resolve, reject });
      this.next();
    });
  }

  async close(): Promise<void> {
    const threads = [...this.idle, ...this.busy.keys()];
    for (const job of this.waiting.splice(0)) job.reject(unreadableDicom());
    for (const thread of threads) this.lose(thread);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  private next(): void {
    if (this.waiting.length === 0) return;
    if (this.idle.length === 0 && this.busy.size >= THREADS) return;
    const job = this.waiting.shift();
    if (!job) return;
    const thread = this.idle.pop() ?? this.start();
    const timer = this.limit(thread, this.starting.has(thread) ? START_LIMIT_MS : this.timeLimitMs);
    this.busy.set(thread, { job, timer });
    thread.ref();
    thread.postMessage(job.walked);
  }

  private start(): Worker {
    const thread = new Worker(this.thread, {
      resourceLimits: RESOURCES,
      env: {},
      execArgv: [],
    });
    this.starting.add(thread);
    thread.on('message', (inspected: Inspected | 'ready') => {
      if (inspected === 'ready') this.started(thread);
      else this.settle(thread, inspected);
    });
    thread.on('error', () => this.lose(thread));
    thread.on('exit', () => this.lose(thread));
    return thread;
  }

  private limit(thread: Worker, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.lose(thread), ms);
  }

  /** Starts the time limit of the first file of a thread, when the thread is ready. */
  private started(thread: Worker): void {
    this.starting.delete(thread);
    const running = this.busy.get(thread);
    if (!running) return;
    clearTimeout(running.timer);
    running.timer = this.limit(thread, this.timeLimitMs);
  }

  private settle(thread: Worker, inspected: Inspected): void {
    const job = this.finish(thread);
    if (!job) return;
    // An idle thread must not keep the process from ending.
    thread.unref();
    this.idle.push(thread);
    if ('header' in inspected) job.resolve(inspected.header);
    else job.reject(new FileRejected(inspected.rejected.code, inspected.rejected.message));
    this.next();
  }

  private lose(thread: Worker): void {
    this.idle = this.idle.filter((other) => other !== thread);
    this.starting.delete(thread);
    const job = this.finish(thread);
    void thread.terminate();
    job?.reject(unreadableDicom());
    this.next();
  }

  private finish(thread: Worker): Job | undefined {
    const running = this.busy.get(thread);
    this.busy.delete(thread);
    clearTimeout(running?.timer);
    return running?.job;
  }
}

const pool = new InspectionPool();

export const readDicomHeader = (walked: Walked): Promise<DicomHeader> => pool.run(walked);

/** For shutdown: ends the threads; a later inspection starts new ones. */
export const closeInspectors = (): Promise<void> => pool.close();
