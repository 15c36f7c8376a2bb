import { compiled } from '@lightbox/core/process/compiled.js';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import type { DicomHeader } from './dicomHeader.js';
import type { Inspected, Inspection } from './inspectionThread.js';
import { FileRejected, unreadableDicom } from './rejected.js';

const THREADS = 2;
const TIME_LIMIT_MS = 2000;
const RESOURCES = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 32, stackSizeMb: 2 };

/**
 * At most two threads that parse headers, kept alive between files. One that runs out of time or memory is ended,
 * its file is refused, and the next file gets a fresh one: a hostile header never touches the gateway.
 */
export class InspectionPool {
  private readonly thread: string;
  private readonly timeLimitMs: number;
  /** The time limit of a file begins with its own turn, not while it waits for others. */
  private readonly turns = pLimit({ concurrency: THREADS, rejectOnClear: true });
  private threads: Piscina<Inspection, Inspected>;

  constructor(thread = compiled('./inspectionThread.js', import.meta.url), timeLimitMs = TIME_LIMIT_MS) {
    this.thread = thread.href;
    this.timeLimitMs = timeLimitMs;
    this.threads = this.open();
  }

  async run(inspection: Inspection): Promise<DicomHeader> {
    const answer = await this.turns(() => this.inspect(inspection)).catch(() => {
      throw unreadableDicom();
    });
    if ('header' in answer) return answer.header;
    throw new FileRejected(answer.rejected.code, answer.rejected.message);
  }

  async close(): Promise<void> {
    const { threads } = this;
    this.turns.clearQueue();
    this.threads = this.open();
    await threads.destroy();
  }

  private inspect(inspection: Inspection): Promise<Inspected> {
    return this.threads.run(inspection, { signal: AbortSignal.timeout(this.timeLimitMs) });
  }

  private open(): Piscina<Inspection, Inspected> {
    const threads = new Piscina<Inspection, Inspected>({
      filename: this.thread,
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: RESOURCES,
      env: {},
      execArgv: [],
    });
    // A thread that fails between two files has nobody to tell; the next file gets a fresh one.
    threads.on('error', () => undefined);
    return threads;
  }
}

const pool = new InspectionPool();

export const readDicomHeader = (inspection: Inspection): Promise<DicomHeader> => pool.run(inspection);

/** For shutdown: ends the threads; a later inspection starts new ones. */
export const closeInspectors = (): Promise<void> => pool.close();
