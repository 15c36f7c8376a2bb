import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

const { throttle } = limits;
const hour = 3600;

/** Points per seconds of each throttle; what a key is, the caller says. */
const rules = {
  loginAccount: [throttle.loginFailuresPerAccountAddress, throttle.loginWindowMinutes * 60],
  loginAddress: [throttle.loginFailuresPerAddress, throttle.loginWindowMinutes * 60],
  ownPassword: [throttle.loginFailuresPerAccountAddress, throttle.loginWindowMinutes * 60],
  verificationMail: [throttle.verificationMailsPerHour, hour],
  secondFactor: [throttle.secondFactorFailuresPerHour, hour],
  resetMail: [throttle.resetMailsPerHour, hour],
  notMe: [throttle.notMePerHour, hour],
  registration: [throttle.registrationsPerHour, hour],
  upload: [throttle.uploadsPerHour, hour],
  message: [throttle.messagesPerMinute, 60],
  pushSubscription: [throttle.pushSubscriptionsPerHour, hour],
} as const;
export type ThrottleName = keyof typeof rules;

/**
 * Counts in Redis, shared by all gateways. While Redis is away each gateway counts for itself: still closed to guessing,
 * only by the number of gateways looser.
 */
export class Throttle {
  private readonly limiters: Record<ThrottleName, RateLimiterAbstract>;

  constructor(
    redis: Redis,
    private readonly on: boolean,
    /** Keys are addresses and accounts: what lies in Redis must not tell which. */
    private readonly opaque: (key: string) => string,
  ) {
    this.limiters = Object.fromEntries(
      Object.entries(rules).map(([name, [points, duration]]) => [
        name,
        new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: `lightbox:throttle:${name}`,
          points,
          duration,
          insuranceLimiter: new RateLimiterMemory({ points, duration }),
        }),
      ]),
    ) as unknown as Record<ThrottleName, RateLimiterAbstract>;
  }

  /** Takes one point; throws `TOO_MANY_REQUESTS` when none is left. */
  async take(name: ThrottleName, key: string): Promise<void> {
    if (!this.on) return;
    try {
      await this.limiters[name].consume(this.opaque(key));
    } catch (error) {
      throw refusal(error);
    }
  }

  /** Throws when no point is left, without taking one: failures are counted, tries are not. */
  async check(name: ThrottleName, key: string): Promise<void> {
    if (!this.on) return;
    const state = await this.limiters[name].get(this.opaque(key));
    if (state && state.consumedPoints >= rules[name][0]) throw refusal(state);
  }

  async reset(name: ThrottleName, key: string): Promise<void> {
    if (this.on) await this.limiters[name].delete(this.opaque(key));
  }
}

const refusal = (error: unknown): unknown =>
  error instanceof RateLimiterRes
    ? new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(error.msBeforeNext / 1000) })
    : error;
