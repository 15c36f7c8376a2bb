import { randomUUID } from 'node:crypto';
import { Id } from '@lightbox/contract/ids.js';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../db/clock.js';

/** The entries of a gateway that died end after this time. */
const LIFE_MS = 10_000;

/** A note from one gateway to the others about an image: ids and numbers, never content. */
const Note = z.discriminatedUnion('name', [
  z.object({ name: z.literal('people') }),
  z.object({
    name: z.literal(['view:state', 'view:pointer']),
    from: Id,
    numbers: z.record(z.string(), z.union([z.number(), z.boolean()])),
  }),
]);
export type Note = z.infer<typeof Note>;

/** A note and the gateway that sent it. */
const Sent = z.object({ by: z.string(), note: Note });

/** Returns null for a text that this version does not know: a gateway of another version may have written it. */
function sentIn(text: string): z.infer<typeof Sent> | null {
  try {
    return Sent.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * The people who look at images together, on all gateways, and the way of their notes. Everything is in memory: a note
 * that no gateway waits for is gone, and the entries of people expire. While Redis is away each gateway knows only its
 * own people.
 */
export class Together {
  private readonly gatewayId = randomUUID();
  private reader: Redis | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
    private readonly connect: () => Redis,
  ) {}

  async people(imageId: string): Promise<string[]> {
    const entries = await this.redis.zrangebyscore(keyOf(imageId), this.clock.now().getTime(), '+inf').catch(() => []);
    return [...new Set(entries.map((entry) => entry.slice(entry.indexOf(':') + 1)))];
  }

  /** Writes that these people are here, and for how long that is believed. */
  async renew(imageId: string, userIds: readonly string[]): Promise<void> {
    const until = this.clock.now().getTime() + LIFE_MS;
    await this.redis
      .pipeline()
      .zadd(keyOf(imageId), ...userIds.flatMap((id) => [until, this.entryOf(id)]))
      .zremrangebyscore(keyOf(imageId), '-inf', this.clock.now().getTime())
      .pexpire(keyOf(imageId), LIFE_MS)
      .exec()
      .catch(() => undefined);
  }

  async leave(imageId: string, userId: string): Promise<void> {
    await this.redis.zrem(keyOf(imageId), this.entryOf(userId)).catch(() => undefined);
  }

  tell(imageId: string, note: Note): void {
    this.redis.publish(keyOf(imageId), JSON.stringify({ by: this.gatewayId, note })).catch(() => undefined);
  }

  /** Listens for the notes of other gateways about an image, until `ignore`. */
  listen(imageId: string, heard: (imageId: string, note: Note) => void): void {
    this.reader ??= this.open(heard);
    this.reader.subscribe(keyOf(imageId)).catch(() => undefined);
  }

  ignore(imageId: string): void {
    this.reader?.unsubscribe(keyOf(imageId)).catch(() => undefined);
  }

  stop(): void {
    this.reader?.disconnect();
  }

  private open(heard: (imageId: string, note: Note) => void): Redis {
    const reader = this.connect();
    reader.on('message', (key: string, text: string) => {
      const sent = sentIn(text);
      if (sent && sent.by !== this.gatewayId) heard(key.slice(keyOf('').length), sent.note);
    });
    return reader;
  }

  private entryOf(userId: string): string {
    return `${this.gatewayId}:${userId}`;
  }
}

const keyOf = (imageId: string) => `lightbox:together:${imageId}`;
