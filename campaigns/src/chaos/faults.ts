import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import type { Chance } from './random.js';
import type { ReplicaSet } from './replicaSet.js';

/** The faults with their relative frequencies. */
const weights = {
  killGateway: 34,
  killWorker: 22,
  killValkey: 14,
  killPrimary: 12,
  emptyValkey: 3,
  stepDown: 5,
  stallSecondary: 4,
  stallMajority: 3,
  freezeWorker: 5,
  endGateway: 5,
  endWorker: 3,
};
export type Fault = keyof typeof weights;

export interface FaultFigures {
  done: Record<Fault, number>;
  /** The number of SIGKILLs. */
  kills: number;
  /** Milliseconds from SIGTERM to the end of each gateway and worker. */
  endings: number[];
}

const FROZEN_MS = 16_000;
/** One stalled secondary falls far behind. With both stalled, no write is acknowledged. */
const STALLED_MS = { one: 15_000, both: 3_000 };
const VALKEY_AWAY_MS = { from: 0, to: 8_000 };

/** Causes one fault after another, sometimes two at once, until `kills` processes were killed and `enough` is true. */
export async function breakThings(cluster: Cluster, chance: Chance, kills: number, enough: () => boolean) {
  const done = Object.fromEntries(Object.keys(weights).map((name) => [name, 0])) as Record<Fault, number>;
  const figures: FaultFigures = { done, kills: 0, endings: [] };
  const background: Promise<void>[] = [];
  while (figures.kills < kills || !enough()) {
    const count = chance.next() < 0.1 ? 2 : 1;
    const faults = Array.from({ length: count }, () => chance.weighted(weights));
    const together = [...new Set(faults)].map(async (fault) => {
      done[fault]++;
      if (fault.startsWith('kill')) figures.kills++;
      await happen(fault, cluster, chance, figures, background);
    });
    await Promise.all(together);
    await sleep(chance.between(200, 1500));
  }
  await Promise.all(background);
  return figures;
}

async function happen(
  fault: Fault,
  { gateways, workers, mongodb, valkey }: Cluster,
  chance: Chance,
  figures: FaultFigures,
  background: Promise<void>[],
): Promise<void> {
  switch (fault) {
    case 'killGateway':
      return chance.of(gateways).killAndRestart();
    case 'killWorker':
      return chance.of(workers).killAndRestart();
    case 'killValkey':
      return valkey.killAndRestart(chance.between(VALKEY_AWAY_MS.from, VALKEY_AWAY_MS.to));
    case 'killPrimary':
      return mongodb.killAndRestart(await mongodb.primary());
    case 'emptyValkey':
      return valkey.empty();
    case 'stepDown':
      return mongodb.stepDown();
    case 'stallSecondary':
      background.push(stall(mongodb, (await mongodb.secondaries()).slice(0, 1), STALLED_MS.one));
      return;
    case 'stallMajority':
      return stall(mongodb, await mongodb.secondaries(), STALLED_MS.both, chance.next() < 0.5);
    case 'freezeWorker':
      // The time is long enough that another worker takes over the jobs. Other faults continue meanwhile.
      background.push(chance.of(workers).freeze(FROZEN_MS));
      return;
    case 'endGateway':
      figures.endings.push(await chance.of(gateways).endAndRestart());
      return;
    case 'endWorker':
      figures.endings.push(await chance.of(workers).endAndRestart());
  }
}

/** Stalls members for a while. Then the primary may die with writes that only it has. */
async function stall(mongodb: ReplicaSet, addresses: string[], ms: number, primaryDies = false): Promise<void> {
  const primary = await mongodb.primary();
  // Another fault may have ended a member meanwhile.
  const goOn = await mongodb.stall(addresses).catch(() => null);
  if (!goOn) return;
  await sleep(ms);
  const restarted = primaryDies ? mongodb.killAndRestart(primary) : undefined;
  await goOn();
  await restarted;
}
