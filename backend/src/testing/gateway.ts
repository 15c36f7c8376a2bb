import type { Server } from 'node:http';
import type { Config } from '@lightbox/core/config/config.js';
import { Clock } from '@lightbox/core/db/clock.js';
import { testConfig } from '@lightbox/testkit/config.js';
import type { Gateway } from '../context.js';
import { startGateway } from '../gateway.js';

/** A clock that a test moves forward, so that records which live for minutes or hours expire at once. */
export class MovableClock extends Clock {
  private ahead = 0;
  private stopped: number | null = null;

  override now(): Date {
    return new Date((this.stopped ?? super.now().getTime()) + this.ahead);
  }

  /** Stops the clock during `work`. Only `forward` moves it then, however slow the machine is. */
  async still<T>(work: () => Promise<T>): Promise<T> {
    this.stopped = super.now().getTime();
    return work().finally(() => {
      this.stopped = null;
    });
  }

  forward(time: { seconds?: number; minutes?: number; hours?: number }): void {
    this.ahead += (((time.hours ?? 0) * 60 + (time.minutes ?? 0)) * 60 + (time.seconds ?? 0)) * 1000;
  }
}

export interface TestGateway {
  gateway: Gateway;
  clock: MovableClock;
  config: Config;
  url: string;
  server: Server;
  stop: () => Promise<void>;
}

export const firstAdmin = { email: 'first.admin@hospital.test', password: 'Harbour-Lantern-42' };

/** Starts a real gateway on a database of its own. Throttles are off unless a test is about them. */
export async function buildGateway(changes: Partial<Config> = {}): Promise<TestGateway> {
  return joinGateway(await testConfig({ admin: firstAdmin, rateLimits: false, ...changes }));
}

/** Starts one more gateway on the servers of another, whose `config` it gets. */
export async function joinGateway(config: Config, clock = new MovableClock()): Promise<TestGateway> {
  const { gateway, server, port, ready, stop } = await startGateway(config, clock);
  await ready;
  return { gateway, clock, config, url: `http://127.0.0.1:${port}`, server, stop };
}
