import mongoose, { type Connection, type mongo } from 'mongoose';
import { majorityHasAll } from './majority.js';

/** Counts the primaries that this process has seen come, so that work across a failover can tell. */
export class Elections {
  seen = 0;
  private current: string | null = null;
  private settled = 0;

  constructor(private readonly db: Connection) {
    const listen = () =>
      db.getClient().on('topologyDescriptionChanged', ({ newDescription }) => this.look(newDescription));
    if (db.readyState === mongoose.ConnectionStates.connected) listen();
    else db.once('open', listen);
  }

  /**
   * For work that takes what it does not find for something that is not there. A new primary may show a majority's state of
   * a moment before the failover: reads wait for it to catch up, and work that a failover came upon is done again.
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
    const { seen } = this;
    if (this.settled === seen) return;
    await majorityHasAll(this.db);
    this.settled = Math.max(this.settled, seen);
  }

  private look({ servers }: mongo.TopologyDescription): void {
    const primary = [...servers.values()].find((server) => server.type === 'RSPrimary');
    const election = primary?.electionId ? `${primary.setVersion}:${primary.electionId.toHexString()}` : null;
    if (!election || election === this.current) return;
    this.current = election;
    this.seen++;
  }
}
