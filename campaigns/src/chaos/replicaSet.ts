import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMongod } from '@lightbox/launcher/binaries.js';
import { mongodServer } from '@lightbox/launcher/mongod.js';
import { freePort } from '@lightbox/launcher/ports.js';
import type { EmbeddedServer } from '@lightbox/launcher/server.js';
import mongoose from 'mongoose';
import { kill, up } from './servers.js';

const { MongoClient } = mongoose.mongo;
const SET = 'rs0';

/** Options of mongods that accept fail points, which stop one of their parts. */
export const failPoints = ['--setParameter', 'enableTestCommands=1'];

/** A replica set. A set of three works without any one of them. */
export interface ReplicaSet {
  uri: (database: string) => string;
  /** Returns `host:port` of the primary, as soon as there is one. */
  primary: () => Promise<string>;
  /** Kills a member at once. The returned function starts it again on the same data. */
  kill: (address: string) => Promise<() => Promise<void>>;
  /** Kills a member at once and starts it again on the same data. */
  killAndRestart: (address: string) => Promise<void>;
  /** Kills all members, runs `work`, and starts them again on the same data. */
  awayDuring: (work: () => Promise<unknown>) => Promise<void>;
  /** Sends one command to the admin database of a member. */
  command: (address: string, command: object) => Promise<Record<string, unknown>>;
  secondaries: () => Promise<string[]>;
  /** Stops the replication of members, which keep running, until the returned function is called. Needs `failPoints`. */
  stall: (addresses: string[]) => Promise<() => Promise<void>>;
  /** Stops the processes of members, which keep their connections, until the returned function is called. */
  freeze: (addresses: string[]) => Promise<() => Promise<void>>;
  /** Asks the primary to step down, without ending it. */
  stepDown: () => Promise<void>;
  stop: () => Promise<void>;
}

interface Member {
  server: EmbeddedServer;
  child: ChildProcess;
}

export async function startReplicaSet(folder: string, size = 3, options: string[] = []): Promise<ReplicaSet> {
  const binary = await findMongod(() => {});
  const members = new Map<string, Member>();
  for (let i = 0; i < size; i++) {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const plain = mongodServer(binary, join(folder, `member${i}`), port, 0.25);
    const answers = () => direct(address, () => Promise.resolve());
    const server = { ...plain, args: [...plain.args, ...options], name: `MongoDB ${i}`, answers };
    members.set(address, { server, child: await up(server) });
  }
  const addresses = [...members.keys()];
  await direct(addresses[0] as string, (client) =>
    client.db('admin').command({ replSetInitiate: configOf(addresses) }),
  );

  const primary = async (): Promise<string> => {
    for (;;) {
      for (const address of addresses) {
        const hello = await direct(address, (client) => client.db('admin').command({ hello: 1 })).catch(() => null);
        if (hello?.isWritablePrimary) return address;
      }
      await sleep(100);
    }
  };
  await primary();

  const killMember = async (address: string) => {
    const member = members.get(address);
    if (!member) throw new Error(`${address} is not a member.`);
    await kill(member.child);
    return async () => {
      member.child = await up(member.server);
    };
  };
  const command = (address: string, body: object) => direct(address, (client) => client.db('admin').command(body));
  return {
    uri: (database) => `mongodb://${addresses.join(',')}/${database}?replicaSet=${SET}`,
    primary,
    kill: killMember,
    killAndRestart: async (address) => (await killMember(address))(),
    awayDuring: async (work) => {
      const restarts = await Promise.all(addresses.map(killMember));
      await work();
      await Promise.all(restarts.map((restart) => restart()));
      await primary();
    },
    command,
    secondaries: async () => {
      const first = await primary();
      return addresses.filter((address) => address !== first);
    },
    stall: async (stalled) => {
      const stop = { configureFailPoint: 'stopReplProducer', mode: 'alwaysOn' };
      const before = await Promise.all(stalled.map((address) => command(address, stop)));
      const goOn = async () => {
        // A member that was killed meanwhile has no fail point any more.
        const off = { ...stop, mode: 'off' };
        await Promise.all(stalled.map((address) => command(address, off).catch(() => undefined)));
      };
      const entered = stalled.map((address, i) =>
        command(address, {
          waitForFailPoint: stop.configureFailPoint,
          timesEntered: Number(before[i]?.count) + 1,
          maxTimeMS: 20_000,
        }),
      );
      await Promise.all(entered).catch(async (error) => {
        await goOn();
        throw error;
      });
      return goOn;
    },
    freeze: async (frozen) => {
      const signal = (name: NodeJS.Signals) => {
        for (const address of frozen) members.get(address)?.child.kill(name);
      };
      signal('SIGSTOP');
      return async () => {
        signal('SIGCONT');
        await primary();
      };
    },
    stepDown: async () => {
      const address = await primary();
      // The primary closes its connections, perhaps before the answer.
      await direct(address, (client) => client.db('admin').command({ replSetStepDown: 10, force: true })).catch(
        () => undefined,
      );
    },
    stop: async () => {
      // SIGKILL: a primary that gets SIGTERM would wait for another to take over, and the data is not needed.
      await Promise.all([...members.values()].map(({ child }) => kill(child)));
    },
  };
}

const configOf = (addresses: string[]) => ({
  _id: SET,
  members: addresses.map((host, _id) => ({ _id, host })),
  settings: { electionTimeoutMillis: 2000 },
});

type Client = InstanceType<typeof MongoClient>;

async function direct<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new MongoClient(`mongodb://${address}/?directConnection=true`, { serverSelectionTimeoutMS: 1000 });
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.close();
  }
}
