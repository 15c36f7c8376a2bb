import mongoose, { type Connection, type mongo } from 'mongoose';

/** Counts the primaries that this process has seen come, so that work across a failover can tell. */
export class Elections {
  seen = 0;
  private current: string | null = null;

  constructor(db: Connection) {
    const listen = () =>
      db.getClient().on('topologyDescriptionChanged', ({ newDescription }) => this.look(newDescription));
    if (db.readyState === mongoose.ConnectionStates.connected) listen();
    else db.once('open', listen);
  }

  private look({ servers }: mongo.TopologyDescription): void {
    const primary = [...servers.values()].find((server) => server.type === 'RSPrimary');
    const election = primary?.electionId ? `${primary.setVersion}:${primary.electionId.toHexString()}` : null;
    if (!election || election === this.current) return;
    this.current = election;
    this.seen++;
  }
}
