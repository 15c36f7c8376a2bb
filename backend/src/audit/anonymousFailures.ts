import type { AppError } from '@lightbox/core/errors.js';
import { type Events, system } from '@lightbox/core/events/events.js';

const FLUSH_MS = 60_000;
const counted = new Set([401, 403, 423, 429]);

/**
 * Failures of people who are not signed in, as one audit entry a minute: each for itself would let anybody fill the
 * log. What a known account's owner fails at is recorded by the feature itself.
 */
export class AnonymousFailures {
  private counts = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly events: Events) {
    this.timer = setInterval(() => this.flush().catch(() => undefined), FLUSH_MS);
    this.timer.unref();
  }

  count(error: AppError): void {
    if (counted.has(error.status)) this.counts.set(error.code, (this.counts.get(error.code) ?? 0) + 1);
  }

  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = this.counts;
    this.counts = new Map();
    const reason = [...counts].map(([code, count]) => `${code}: ${count}`).join(', ');
    await this.events.record(system, { type: 'auth.failures', table: 'sessions', status: 'failed', reason });
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
