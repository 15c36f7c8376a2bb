import type { CallShape } from '@lightbox/contract/call.js';
import { type ThrottleName, type ThrottlePart, throttleNames, throttles } from '@lightbox/contract/throttles.js';
import { AppError } from '@lightbox/core/errors.js';
import { networkOf } from '@lightbox/core/net/network.js';
import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** What is counted by; a throttle takes the parts that its row names. */
export type Subject = { [P in ThrottlePart]?: string | undefined };

/**
 * Counts in Redis, shared by all gateways. While Redis is away each gateway counts for itself: still closed to guessing,
 * only by the number of gateways looser.
 */
export class Throttle {
  private readonly limiters: Record<ThrottleName, RateLimiterAbstract>;
  /** Until when the next try waits; how long, each try says. */
  private readonly waits: RateLimiterAbstract;

  constructor(
    redis: Redis,
    private readonly on: boolean,
    /** Keys are addresses and accounts: what lies in Redis must not tell which. */
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

  /** Takes one point, also where none is left, and says how many were taken. */
  async count(name: ThrottleName, subject: Subject): Promise<number> {
    if (!this.on) return 0;
    const state = await this.limiters[name].consume(this.key(name, subject)).catch(asState);
    return state.consumedPoints;
  }

  /** Throws when no point is left, without taking one: failures are counted, tries are not. */
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

  /** Goes on at once and makes those that come within `seconds` wait for the rest of them; throws for one that has to wait. */
  async wait(name: ThrottleName, subject: Subject, seconds: number): Promise<void> {
    if (!this.on || seconds === 0) return;
    await this.waits.consume(`${name}:${this.key(name, subject)}`, 1, { customDuration: seconds }).catch(refuse);
  }

  /** Takes what the call's declaration says is counted for every call. */
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
