import { setTimeout as sleep } from 'node:timers/promises';
import { reconnecting, waitAfter } from '@lightbox/contract/reconnecting.js';
import { io, type Socket } from 'socket.io-client';
import { call } from '../bench/client.js';

/** An open tab: its gateway and the access token of its person. */
export interface Tab {
  origin: string;
  token: string;
}

/** The figures of tabs that were disconnected. Times are in milliseconds since the disconnect. */
export interface Return {
  cut: number;
  /** The time until each tab was connected again. Tabs that never reconnected are missing. */
  back: number[];
  /** The time until each tab had read again everything that it shows. */
  caughtUp: number[];
  /** Answers 5xx to those reads, also when a retry succeeded. */
  refused: string[];
  /** Reads that failed after all retries. */
  failures: string[];
}

/** The number of tabs that are opened at a time. */
const AT_ONCE = 50;
/** The calls of an open tab after it reconnects: it reads everything that it shows. */
const reads = ['/message/since', '/message/chat-list', '/notifications', '/upload/my-images'];

/**
 * Many open tabs, each with its own socket that reconnects like the product's own (`frontend/src/lib/socket.ts`): the same
 * client, the same settings, the same waits when a gateway refuses it.
 */
export class Crowd {
  private readonly sockets: Socket[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private round: (Return & { since: number; reading: number }) | null = null;

  constructor(private readonly tabs: readonly Tab[]) {}

  /** Opens all tabs. Resolves when every tab is connected. */
  async gather(): Promise<void> {
    for (let at = 0; at < this.tabs.length; at += AT_ONCE) {
      await Promise.all(this.tabs.slice(at, at + AT_ONCE).map((tab) => this.open(tab)));
    }
  }

  /** Starts the figures of one disconnect. */
  watch(): void {
    this.round = { since: performance.now(), reading: 0, cut: 0, back: [], caughtUp: [], refused: [], failures: [] };
  }

  /** Waits until `expected` tabs were disconnected and all of those have caught up, but no longer than the timeout. */
  async returned(expected: number, timeoutMs: number): Promise<Return> {
    const { round } = this;
    if (!round) throw new Error('`watch` was not called before the disconnect.');
    const isOver = () =>
      round.cut >= expected && round.reading === 0 && this.sockets.every(({ connected }) => connected);
    while (!isOver() && performance.now() - round.since < timeoutMs) await sleep(20);
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
      // In a browser every tab has its own connection.
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

/** Reads with the retries of the product's client. Returns the fault of the last attempt, or null after a success. */
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
