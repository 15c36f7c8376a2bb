import { performance } from 'node:perf_hooks';
import { CHUNK, TAG } from './cipher.js';

/** Uploads of a process whose bytes are gathered at the same time, at most. */
const AT_ONCE = 3;
/** Chunks after which an upload lets others go first. */
const CHUNKS = 8;
/** Milliseconds of a turn in which the process may have nothing to do because the sender sends nothing. */
const IDLE_MS = 100;

/** Milliseconds that this process has waited for events since it began. */
const idleTime = (): number => performance.eventLoopUtilization().idle;

/** The time in which an upload may gather its chunks. */
export class Turn {
  /** True when others got the turn, because the sender is slow. */
  lost = false;
  private chunks = 0;
  private idle = 0;
  private waitsSince: number | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly next: () => void,
    private readonly idleMs: number,
  ) {
    this.timer = setInterval(() => this.check(), idleMs / 2).unref();
  }

  /** The sender has to send the next bytes. From now on the time counts as idle. */
  waits(): void {
    this.waitsSince = idleTime();
  }

  /** Bytes of the sender have arrived. The idle time so far is kept. */
  goesOn(): void {
    this.idle = this.idleSoFar();
    this.waitsSince = null;
  }

  /** Counts a full chunk. True when it was the last of this turn. */
  isOver(): boolean {
    return ++this.chunks >= CHUNKS;
  }

  /** The last chunk is gathered, and waits for the store. Now nobody waits for the sender. */
  gathered(): void {
    clearInterval(this.timer);
  }

  end(): void {
    this.gathered();
    if (!this.lost) this.next();
    this.lost = true;
  }

  private idleSoFar(): number {
    return this.idle + (this.waitsSince === null ? 0 : idleTime() - this.waitsSince);
  }

  private check(): void {
    if (this.idleSoFar() >= this.idleMs) this.end();
  }
}

/**
 * The turns of all uploads of a process, and the space for their chunks. Without turns each of many fast senders would
 * fill a chunk and the buffers of its connection, and what waits for long is old for the garbage collector, which then
 * keeps it for long. While all turns are taken, uploads wait, and the connections that bring their bytes with them. A sender
 * that leaves the process idle loses its turn: so slow senders never stop others.
 */
export class UploadTurns {
  private readonly waiting: (() => void)[] = [];
  private readonly spare: Buffer[] = [];

  constructor(
    private free = AT_ONCE,
    private readonly idleMs = IDLE_MS,
  ) {}

  async take(): Promise<Turn> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return new Turn(() => this.next(), this.idleMs);
  }

  /** Returns space for a chunk and its tag. */
  space(): Buffer {
    return this.spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK + TAG);
  }

  /** Takes space back that nobody uses any more. */
  reuse(space: Buffer): void {
    // One chunk of an upload is gathered while another is stored.
    if (this.spare.length < 2 * AT_ONCE) this.spare.push(space);
  }

  private next(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
  }
}
