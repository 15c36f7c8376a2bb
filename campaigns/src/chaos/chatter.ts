import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { io, type Socket } from 'socket.io-client';
import type { Account } from './account.js';

export interface ChatFigures {
  acknowledged: number;
  /** Sends repeated with the same `clientId`. */
  resent: number;
  connects: number;
  /** Messages that one connection delivered twice. */
  repeatedOnOneSocket: number;
  /** Milliseconds from each lost connection to the next one. */
  away: number[];
}

const ACK_MS = 5_000;

type Refusal = Error & { data?: { error?: ErrorCode } };

/** A person who chats, with the state of a client: an outbox, the messages seen, and the cursor for catching up. */
export class Chatter {
  /** The messages that the person sees, by id. */
  readonly seen = new Map<string, Message>();
  /** Acknowledged messages in the order in which they were sent, one after the other. */
  readonly acknowledged: Message[] = [];
  /** The time of each acknowledgement, by the id of the message. */
  readonly acknowledgedAt = new Map<string, number>();
  private socket: Socket | null = null;
  private cursor: string | null = null;
  private closed = false;
  private lostAt: number | null = null;

  constructor(
    readonly account: Account,
    private readonly way: 'socket' | 'post',
    private readonly figures: ChatFigures,
  ) {}

  async open(): Promise<void> {
    const { cursor } = await this.account.ask<{ cursor: string }>('GET', '/message/since');
    this.cursor = cursor;
    await this.connect();
  }

  private async connect(): Promise<void> {
    while (!this.closed) {
      if (await this.tryToConnect()) return;
      this.account.turnToOther();
      // Clients that lost their gateway must not all reconnect at the same moment.
      await sleep(100 + Math.random() * 500);
    }
  }

  private async tryToConnect(): Promise<boolean> {
    const { origin, bearer: token } = this.account;
    const socket = io(origin, { auth: { token }, transports: ['websocket'], reconnection: false, forceNew: true });
    // With its `seq`: an older version gives a later one to a message that was handed over, and it is shown again.
    const brought = new Set<string>();
    socket.on('message:new', (message: Message) => {
      const shown = `${message.id} ${message.seq}`;
      if (brought.has(shown)) this.figures.repeatedOnOneSocket++;
      brought.add(shown);
      this.see(message);
    });
    const refusal = await new Promise<string | null>((resolve) => {
      socket.once('connect', () => resolve(null));
      socket.once('connect_error', (error: Refusal) => resolve(error.data?.error ?? 'unreachable'));
      socket.once('disconnect', () => resolve('disconnected'));
    });
    if (refusal !== null) {
      socket.close();
      if (refusal === 'UNAUTHENTICATED') await this.account.refresh();
      return false;
    }
    this.figures.connects++;
    if (this.lostAt) this.figures.away.push(Date.now() - this.lostAt);
    this.lostAt = null;
    this.socket = socket;
    socket.once('disconnect', () => {
      this.lostAt = Date.now();
      socket.close();
      this.connect();
    });
    await this.catchUp();
    return true;
  }

  /** Reads the messages that arrived without a connection, and those that the end of a connection lost. */
  private async catchUp(): Promise<void> {
    for (let more = true; more; ) {
      const cursor = encodeURIComponent(this.cursor ?? '');
      const page = await this.account.ask<{ messages: Message[]; cursor: string; more: boolean }>(
        'GET',
        `/message/since?cursor=${cursor}`,
      );
      for (const message of page.messages) this.see(message);
      ({ cursor: this.cursor, more } = page);
    }
  }

  private see(message: Message): void {
    this.seen.set(message.id, message);
  }

  /** Sends a message until it is acknowledged, always with the same `clientId`. */
  async say(recipientId: string, content: string): Promise<void> {
    const message = { recipientId, content, clientId: randomUUID() };
    for (let tries = 0; ; tries++) {
      if (tries > 0) this.figures.resent++;
      const taken = await (this.way === 'post' ? this.post(message) : this.emit(message)).catch(() => null);
      if (taken) {
        this.acknowledged.push(taken);
        this.acknowledgedAt.set(taken.id, Date.now());
        this.figures.acknowledged++;
        this.see(taken);
        return;
      }
      await sleep(200);
    }
  }

  private post = (body: object): Promise<Message> => this.account.ask<Message>('POST', '/message/send', { body });

  private async emit(message: object): Promise<Message | null> {
    if (!this.socket?.connected) return null;
    const answer = (await this.socket.timeout(ACK_MS).emitWithAck('message:send', message)) as { data?: Message };
    return answer.data ?? null;
  }

  close(): void {
    this.closed = true;
    this.socket?.removeAllListeners('disconnect').close();
  }
}
