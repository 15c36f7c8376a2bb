import { setTimeout as sleep } from 'node:timers/promises';
import { reconnecting, waitAfter } from '@lightbox/contract/reconnecting.js';
import { io, type Socket } from 'socket.io-client';
import { call } from '../bench/client.js';

/** Somebody with an open tab: where it is connected, and as whom. */
export interface Tab {
  origin: string;
  token: string;
}

/** What became of a crowd that was cut off. Times are milliseconds since the cut. */
export interface Return {
  cut: number;
  /** Until each was connected again; those that were not are missing. */
  back: number[];
  /** Until each had read anew what its tab shows. */
  caughtUp: number[];
  /** Answers 5xx to those reads, also to such as were answered well when they were repeated. */
  refused: string[];
  /** Reads that were not answered well in the end. */
  failures: string[];
}

/** Opened at a time, at the start; a crowd comes in one by one. */
const DOORS = 50;
/** What an open tab reads anew after a gap: everything that it shows. */
const reads = ['/message/since', '/message/chat-list', '/notifications', '/upload/my-images'];

/**
 * Many open tabs, each with a socket of its own that comes back as the product's own does (`frontend/src/lib/socket.ts`):
 * the same client, the same settings, the same waits when a gateway sends it away.
 */
export class Crowd {
  private readonly sockets: Socket[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private round: (Return & { since: number; reading: number }) | null = null;

  constructor(private readonly tabs: readonly Tab[]) {}

  /** Opens all tabs; resolves when every one is connected. */
  async gather(): Promise<void> {
    for (let at = 0; at < this.tabs.length; at += DOORS) {
      await Promise.all(this.tabs.slice(at, at + DOORS).map((tab) => this.open(tab)));
    }
  }

  /** From now on what happens is one cut. */
  watch(): void {
    this.round = { since: performance.now(), reading: 0, cut: 0, back: [], caughtUp: [], refused: [], failures: [] };
  }

  /** Waits until so many have lost their connection, and all that did are back and have read; at most so long. */
  async returned(expected: number, patienceMs: number): Promise<Return> {
    const { round } = this;
    if (!round) throw new Error('Nobody watched when the crowd was cut off.');
    const isOver = () =>
      round.cut >= expected && round.reading === 0 && this.sockets.every(({ connected }) => connected);
    while (!isOver() && performance.now() - round.since < patienceMs) await sleep(20);
    this.round = null;
    const { since, reading, ...figures } = round;
    return figures;
  }

  disperse(): void {
    for (const timer of this.timers) clearTimeout(timer);
    for (const socket of this.sockets) socket.removeAllListeners().close();
  }

  private open(tab: Tab): Promise<void> {
    const socket = io(tab.origin, {
      path: '/socket.io',
      transports: ['websocket', 'polling'],
      auth: { token: tab.token, visible: true },
      ...reconnecting,
      // In a browser every tab has its own.
      forceNew: true,
    });
    this.sockets.push(socket);
    let refusals = 0;
    const again = () => {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        socket.connect();
      }, waitAfter(refusals));
      this.timers.add(timer);
    };
    socket.on('disconnect', (reason) => {
      if (this.round) this.round.cut++;
      if (reason === 'io server disconnect') again();
    });
    socket.on('connect_error', () => {
      if (socket.active) return;
      refusals++;
      again();
    });
    return new Promise((resolve) => {
      socket.on('connect', () => {
        refusals = 0;
        resolve();
        this.round?.back.push(performance.now() - this.round.since);
        this.catchUp(tab);
      });
    });
  }

  private async catchUp(tab: Tab): Promise<void> {
    const { round } = this;
    if (!round) return;
    round.reading++;
    const answers = await Promise.all(reads.map((path) => read(tab, path, round)));
    round.failures.push(...answers.flatMap((fault) => fault ?? []));
    round.caughtUp.push(performance.now() - round.since);
    round.reading--;
  }
}

/** One read as often as the product's client tries it; what the last try met, if that was no answer to use. */
async function read({ origin, token }: Tab, path: string, round: Return): Promise<string | null> {
  for (let failures = 0; ; failures++) {
    const answer = await call(`${origin}/api${path}`, { token }).catch(causeOf);
    if (typeof answer !== 'string' && answer.status < 300) return null;
    const fault = typeof answer === 'string' ? answer : `${path}: ${answer.status}`;
    if (typeof answer !== 'string' && answer.status >= 500) round.refused.push(fault);
    if (failures === 2) return fault;
    await sleep(1_000 * 2 ** failures);
  }
}

const causeOf = ({ message }: Error): string => message.replace(/.* /, '');
