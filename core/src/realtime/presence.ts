import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../db/clock.js';

const LIFE_MS = 60_000;

/**
 * Who is connected to any gateway, or who of them is looking at a tab. Each gateway enters itself for its people and renews the entries; those of one that
 * died run out. Nothing hangs on it: while Redis is away everybody looks offline.
 */
export class Presence {
  private readonly gatewayId = randomUUID();

  constructor(
    private readonly redis: Redis,
    private readonly what: 'online' | 'foreground',
    private readonly clock: Clock,
  ) {}

  /** True when the person was not connected anywhere before. */
  async arrive(userId: string): Promise<boolean> {
    const before = await this.count(userId);
    await this.renew([userId]);
    return before === 0;
  }

  /** True when the person is not connected anywhere any more. */
  async leave(userId: string): Promise<boolean> {
    await this.redis.zrem(this.key(userId), this.gatewayId);
    return (await this.count(userId)) === 0;
  }

  async renew(userIds: string[]): Promise<void> {
    if (userIds.length === 0) return;
    const pipeline = this.redis.pipeline();
    for (const id of userIds) {
      pipeline.zadd(this.key(id), this.now() + LIFE_MS, this.gatewayId);
      pipeline.pexpire(this.key(id), LIFE_MS);
    }
    await pipeline.exec();
  }

  async online(userIds: string[]): Promise<Set<string>> {
    if (userIds.length === 0) return new Set();
    const pipeline = this.redis.pipeline();
    for (const id of userIds) pipeline.zcount(this.key(id), this.now(), '+inf');
    const counts = await pipeline.exec().catch(() => null);
    return new Set(userIds.filter((_, i) => Number(counts?.[i]?.[1] ?? 0) > 0));
  }

  /** All gateways write and read the same time. */
  private now(): number {
    return this.clock.now().getTime();
  }

  private key(userId: string): string {
    return `lightbox:${this.what}:${userId}`;
  }

  private count(userId: string): Promise<number> {
    return this.redis.zcount(this.key(userId), this.now(), '+inf');
  }
}
