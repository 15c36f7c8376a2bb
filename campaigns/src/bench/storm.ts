import { setTimeout as sleep } from 'node:timers/promises';
import { call, data, postJson } from './client.js';
import { newUsers, PASSWORD, type Person } from './people.js';
import { judged, plain, type Row, spread } from './report.js';
import type { Site } from './site.js';
import { inParallel, inTurn, median, percentile } from './stats.js';

const PEOPLE = 200;
/** Many, because a sign-in has a shortest time, which hides whether the account exists. */
const WIDTH = 48;
const ROUNDS = 3;
const PROBE_MS = 20;
const QUIET_PROBES = 200;

/** Many people sign in at once, while another person reads a list. */
export async function benchStorm(site: Site, reader: Person): Promise<Row[]> {
  const job = `sign-ins, ${WIDTH} at once`;
  const users = await newUsers('patient', PEOPLE, PASSWORD, 'storm');
  await site.models.User.insertMany(users, { lean: true });
  const signIn = (url: string, more: (i: number) => object) => async (): Promise<number> => {
    const seconds = await inParallel(PEOPLE, WIDTH, async (i) => {
      await data(postJson(url, { ...more(i), password: PASSWORD }));
    });
    return PEOPLE / seconds;
  };
  const product = signIn(`${site.gateways[0].api}/auth/login`, (i) => ({ email: users[i]?.email }));
  const bare = signIn(`${site.bare}/login`, (i) => ({ hash: users[i]?.passwordHash }));
  await product();
  await bare();
  const quiet = await probeWhile(site, reader, sleep(QUIET_PROBES * PROBE_MS));
  const busy: number[] = [];
  const figures = await inTurn(ROUNDS, {
    product: async () => {
      const storm = product();
      busy.push(...(await probeWhile(site, reader, storm)));
      return storm;
    },
    bare,
  });
  const ratio = median(figures.product) / median(figures.bare);
  const slower = percentile(busy, 0.99) / percentile(quiet, 0.99);
  const shown = (times: number[]) => [0.5, 0.99].map((p) => percentile(times, p).toFixed(1)).join(' / ');
  return [
    plain(job, 'product, sign-ins/s', spread(figures.product)),
    plain(job, 'bare argon2id, checks/s', spread(figures.bare)),
    judged(job, 'ratio', ratio, '>= 0.85', ratio >= 0.85),
    plain(job, 'a list on a quiet gateway, p50 / p99 ms', shown(quiet)),
    plain(job, 'the list meanwhile, p50 / p99 ms', shown(busy)),
    judged(job, 'ratio of p99', slower, '<= 2', slower <= 2),
  ];
}

/** Reads a list again and again until the work is done. Returns the milliseconds of each read. */
async function probeWhile({ gateways }: Site, { token }: Person, work: Promise<unknown>): Promise<number[]> {
  let working = true;
  const end = work.finally(() => {
    working = false;
  });
  const times: number[] = [];
  while (working) {
    const start = performance.now();
    const { status } = await call(`${gateways[0].api}/upload/my-images`, { token });
    if (status !== 200) throw new Error(`${status} from a list`);
    times.push(performance.now() - start);
    await sleep(PROBE_MS);
  }
  await end;
  return times;
}
