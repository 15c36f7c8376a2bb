import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiled } from '@lightbox/core/files/compiled.js';
import type { Answer, Task, TaskName, Tasks } from './protocol.js';

/** The process that decoded a file died or had to be ended: worth another try, unlike a file that cannot be drawn. */
export class RenderCrashed extends Error {
  constructor(reason: string) {
    super(`The picture could not be rendered: ${reason}.`);
    this.name = 'RenderCrashed';
  }
}

export interface RendererOptions {
  /** Processes at most. */
  size: number;
  timeLimitMs: number;
  heapMb: number;
  rssBytes: number;
  /** Decoders leak: a process is replaced after so many files, or when it has grown past a third of its limit. */
  recycleAfter: number;
  module: URL;
}

const defaults: RendererOptions = {
  size: 1,
  timeLimitMs: 20_000,
  heapMb: 512,
  rssBytes: 1536 * 1024 * 1024,
  recycleAfter: 200,
  module: compiled('./render-process.js', import.meta.url),
};

interface Job {
  task: Task;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

interface Running {
  job: Job;
  timer: NodeJS.Timeout;
}

/** Keeps processes that decode files, one file at a time each, and replaces those that die, hang or have done enough. */
export class Renderers {
  private readonly options: RendererOptions;
  private readonly idle: ChildProcess[] = [];
  private readonly running = new Map<ChildProcess, Running>();
  private readonly done = new Map<ChildProcess, number>();
  private readonly waiting: Job[] = [];

  constructor(options: Partial<RendererOptions> = {}) {
    this.options = { ...defaults, ...options };
  }

  /** Null when the file cannot be drawn; RenderCrashed when it may work another time. */
  async run<Name extends TaskName>(name: Name, bytes: Buffer, contentType: string): Promise<Tasks[Name] | null> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ task: { name, bytes, contentType }, resolve, reject });
      this.next();
    });
    return 'result' in answer ? (answer.result as Tasks[Name]) : null;
  }

  async close(): Promise<void> {
    for (const job of this.waiting.splice(0)) job.reject(new RenderCrashed('the worker is stopping'));
    const children = [...this.idle, ...this.running.keys()];
    await Promise.all(children.map((child) => this.end(child, 'the worker is stopping')));
  }

  private next(): void {
    if (this.waiting.length === 0) return;
    if (this.idle.length === 0 && this.running.size >= this.options.size) return;
    const job = this.waiting.shift();
    if (!job) return;
    const child = this.idle.pop() ?? this.start();
    const timer = setTimeout(() => void this.end(child, 'it took too long'), this.options.timeLimitMs);
    this.running.set(child, { job, timer });
    child.ref();
    child.send(job.task, (error) => {
      if (error) void this.end(child, 'the renderer is gone');
    });
  }

  private start(): ChildProcess {
    const { module, heapMb, rssBytes } = this.options;
    const child = fork(fileURLToPath(module), [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMb}`],
      // Nothing of the worker's environment: it holds keys.
      env: { RSS_LIMIT: String(rssBytes) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (answer: Answer) => this.answer(child, answer));
    child.on('error', () => this.lost(child, 'the renderer could not be started'));
    child.on('exit', (_code, signal) => this.lost(child, `the renderer ended (${signal ?? 'exit'})`));
    return child;
  }

  private answer(child: ChildProcess, answer: Answer): void {
    const running = this.finish(child);
    const files = (this.done.get(child) ?? 0) + 1;
    this.done.set(child, files);
    const grown = (answer.rss ?? 0) > this.options.rssBytes / 3;
    if (grown || files >= this.options.recycleAfter) child.kill('SIGKILL');
    else this.rest(child);
    running?.job.resolve(answer);
    this.next();
  }

  /** An idle child must not keep the worker from ending. */
  private rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.idle.push(child);
  }

  private lost(child: ChildProcess, reason: string): void {
    const at = this.idle.indexOf(child);
    if (at >= 0) this.idle.splice(at, 1);
    this.done.delete(child);
    this.finish(child)?.job.reject(new RenderCrashed(reason));
    this.next();
  }

  private async end(child: ChildProcess, reason: string): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const alreadyEnded = child.exitCode !== null || child.signalCode !== null;
    child.ref();
    child.kill('SIGKILL');
    this.lost(child, reason);
    if (!alreadyEnded) await ended;
  }

  private finish(child: ChildProcess): Running | undefined {
    const running = this.running.get(child);
    this.running.delete(child);
    clearTimeout(running?.timer);
    return running;
  }
}
