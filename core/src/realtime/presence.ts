import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../db/clock.js';

const LIFE_MS = 60_000;

/**
 * The people who are connected to any gateway, or who have a tab in the foreground. Each gateway adds entries for its
 * people and renews them; the entries of a dead gateway expire. Nothing important depends on it: while Redis is away
 * everybody looks offline.
 */
export class Presence {
  private readonly gatewayId = randomUUID();

  constructor(
    private readonly redis: Redis,
    private readonly kind: 'online' | 'foreground',
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

  /** The time of all gateways, which write and read the same entries. */
  private now(): number {
    return this.clock.now().getTime();
  }

  private key(userId: string): string {
    return `lightbox:${this.kind}:${userId}`;
  }

  private count(userId: string): Promise<number> {
    return this.redis.zcount(this.key(userId), this.now(), '+inf');
  }
}
