import type { Message } from '@lightbox/contract/messages/calls.js';
import { io, type Socket } from 'socket.io-client';
import type { Account } from './account.js';

/**
 * A client of another vendor: `socket.io-client` with its defaults and no reconnect code of its own, at one gateway. It
 * catches up at each connect, as the contract requires, and at no other time.
 */
export class StockClient {
  private readonly seen = new Set<string>();
  private readonly socket: Socket;
  private reading: Promise<void> = Promise.resolve();
  private cursor = '';
  connects = 0;

  constructor(private readonly account: Account) {
    this.socket = io(account.origin, {
      // An access token ends after 15 minutes, and a campaign may be longer.
      auth: (give) => account.refresh().then(() => give({ token: account.bearer })),
      autoConnect: false,
      forceNew: true,
    });
    this.socket.on('message:new', ({ id }: Message) => this.seen.add(id));
    this.socket.on('connect', () => {
      this.connects++;
      this.reading = this.reading.then(() => this.readOn());
    });
  }

  async open(): Promise<void> {
    ({ cursor: this.cursor } = await this.account.ask<{ cursor: string }>('GET', '/message/since'));
    this.socket.connect();
  }

  private async readOn(): Promise<void> {
    for (let more = true; more; ) {
      const page = await this.account.ask<{ messages: Message[]; cursor: string; more: boolean }>(
        'GET',
        `/message/since?cursor=${encodeURIComponent(this.cursor)}`,
      );
      for (const { id } of page.messages) this.seen.add(id);
      ({ cursor: this.cursor, more } = page);
    }
  }

  /** True when it is connected or will reconnect by itself. */
  get comesBack(): boolean {
    return this.socket.active;
  }

  unseen = (messages: Message[]): Message[] => messages.filter(({ id }) => !this.seen.has(id));

  close(): void {
    this.socket.close();
  }
}
