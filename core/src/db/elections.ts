import mongoose, { type Connection, type mongo } from 'mongoose';
import { majorityHasAll } from './majority.js';

/** Counts the primaries that this process has seen elected, so that work can detect a failover. */
export class Elections {
  seen = 0;
  private current: string | null = null;
  private settled = 0;
  private waiting: Promise<void> | null = null;

  constructor(private readonly db: Connection) {
    const listen = () =>
      db.getClient().on('topologyDescriptionChanged', ({ newDescription }) => this.observe(newDescription));
    if (db.readyState === mongoose.ConnectionStates.connected) listen();
    else db.once('open', listen);
  }

  /**
   * For work that must see everything that was acknowledged before it, such as a list on a screen or a job that treats
   * a missing record as deleted. Right after a failover a new primary may show a majority's older state: the work waits
   * until the primary has caught up, and is repeated if a failover happened meanwhile.
   */
  async steady<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.caughtUp();
      const before = this.seen;
      const done = await work();
      if (this.seen === before) return done;
    }
  }

  private async caughtUp(): Promise<void> {
    while (this.settled < this.seen) {
      // One question for all who wait.
      this.waiting ??= this.settle().finally(() => {
        this.waiting = null;
      });
      await this.waiting;
    }
  }

  private async settle(): Promise<void> {
    const { seen } = this;
    await majorityHasAll(this.db);
    this.settled = seen;
  }

  private observe({ servers }: mongo.TopologyDescription): void {
    const primary = [...servers.values()].find((server) => server.type === 'RSPrimary');
    const election = primary?.electionId ? `${primary.setVersion}:${primary.electionId.toHexString()}` : null;
    if (!election || election === this.current) return;
    this.current = election;
    this.seen++;
  }
}
