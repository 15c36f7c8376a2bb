import type { AppError } from '@lightbox/core/errors.js';
import { type Actor, type Events, system } from '@lightbox/core/events/events.js';

const FLUSH_MS = 60_000;
const counted = new Set([401, 403, 423, 429]);
/** Number of addresses with an entry of their own in one minute. Failures of further addresses are counted together. */
const MAX_ADDRESSES = 50;

/**
 * Records failures of clients that are not signed in, as one audit entry per address and minute: with one entry per
 * failure any client could fill the log. Failures at a known account are recorded by the feature itself.
 */
export class AnonymousFailures {
  private counts = new Map<string, Map<string, number>>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly events: Events) {
    this.timer = setInterval(() => this.flush().catch(() => undefined), FLUSH_MS);
    this.timer.unref();
  }

  count({ status, code }: AppError, ip: string): void {
    if (!counted.has(status)) return;
    const source = this.counts.has(ip) || this.counts.size < MAX_ADDRESSES ? ip : '';
    const ofSource = this.counts.get(source) ?? new Map<string, number>();
    this.counts.set(source, ofSource.set(code, (ofSource.get(code) ?? 0) + 1));
  }

  async flush(): Promise<void> {
    const { counts } = this;
    this.counts = new Map();
    await Promise.all([...counts].map(([ip, ofSource]) => this.record(ip ? { ip } : system, ofSource)));
  }

  private record(actor: Actor, counts: Map<string, number>): Promise<void> {
    const reason = [...counts].map(([code, count]) => `${code}: ${count}`).join(', ');
    return this.events.record(actor, { type: 'auth.failures', status: 'failed', reason });
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
