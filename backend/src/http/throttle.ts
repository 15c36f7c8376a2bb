import type { CallShape } from '@lightbox/contract/call.js';
import { type ThrottleName, type ThrottlePart, throttleNames, throttles } from '@lightbox/contract/throttles.js';
import { AppError } from '@lightbox/core/errors.js';
import { networkOf } from '@lightbox/core/net/network.js';
import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** The values that throttles count by. A throttle uses the parts that its row names. */
export type Subject = { [P in ThrottlePart]?: string | undefined };

/**
 * Counts in Redis, shared by all gateways. While Redis is unreachable each gateway counts in its own memory: guessing
 * stays limited, but the limit is multiplied by the number of gateways.
 */
export class Throttle {
  private readonly limiters: Record<ThrottleName, RateLimiterAbstract>;
  /** Forced pauses between tries. Each try sets the length of its pause. */
  private readonly waits: RateLimiterAbstract;

  constructor(
    redis: Redis,
    private readonly on: boolean,
    /** Hashes a key. Keys are addresses and accounts, which Redis must not reveal. */
    private readonly opaque: (key: string) => string,
  ) {
    const limiter = (name: string, points: number, duration: number): RateLimiterAbstract =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `lightbox:throttle:${name}`,
        points,
        duration,
        insuranceLimiter: new RateLimiterMemory({ points, duration }),
      });
    this.limiters = Object.fromEntries(
      throttleNames.map((name) => [name, limiter(name, throttles[name].points, throttles[name].seconds)]),
    ) as Record<ThrottleName, RateLimiterAbstract>;
    this.waits = limiter('wait', 1, 1);
  }

  /** Takes one point; throws `TOO_MANY_REQUESTS` when none is left. */
  async take(name: ThrottleName, subject: Subject): Promise<void> {
    if (!this.on) return;
    await this.limiters[name].consume(this.key(name, subject)).catch(refuse);
  }

  /** Takes one point; false when none is left. */
  async tryTake(name: ThrottleName, subject: Subject): Promise<boolean> {
    return (await this.count(name, subject)) <= throttles[name].points;
  }

  /** Takes one point, also when none is left, and returns how many were taken. */
  async count(name: ThrottleName, subject: Subject): Promise<number> {
    if (!this.on) return 0;
    const state = await this.limiters[name].consume(this.key(name, subject)).catch(asState);
    return state.consumedPoints;
  }

  /** Throws when no point is left, without taking one. For throttles that count failures, not tries. */
  async check(name: ThrottleName, subject: Subject): Promise<void> {
    if (!this.on) return;
    const state = await this.limiters[name].get(this.key(name, subject));
    if (state && state.consumedPoints >= throttles[name].points) refuse(state);
  }

  async giveBack(name: ThrottleName, subject: Subject): Promise<void> {
    if (this.on) await this.limiters[name].reward(this.key(name, subject));
  }

  async reset(name: ThrottleName, subject: Subject): Promise<void> {
    if (!this.on) return;
    await this.limiters[name].delete(this.key(name, subject));
    await this.waits.delete(`${name}:${this.key(name, subject)}`);
  }

  /** Lets this try pass and blocks the next ones for `seconds`. Throws for a try that is blocked. */
  async wait(name: ThrottleName, subject: Subject, seconds: number): Promise<void> {
    if (!this.on || seconds === 0) return;
    await this.waits.consume(`${name}:${this.key(name, subject)}`, 1, { customDuration: seconds }).catch(refuse);
  }

  /** Takes a point of each throttle that counts every request of this call. */
  async takeForCall({ throttles: named = [] }: CallShape, subject: Subject): Promise<void> {
    for (const name of named) if (throttles[name].counts === 'calls') await this.take(name, subject);
  }

  private key(name: ThrottleName, subject: Subject): string {
    const parts = throttles[name].per.map((part) => {
      const value = subject[part];
      if (value === undefined) throw new Error(`The throttle ${name} counts by ${part}, which is not given.`);
      return part === 'address' ? networkOf(value) : value;
    });
    return this.opaque(parts.join('|'));
  }
}

function asState(error: unknown): RateLimiterRes {
  if (error instanceof RateLimiterRes) return error;
  throw error;
}

function refuse(error: unknown): never {
  const { msBeforeNext } = asState(error);
  throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });
}
