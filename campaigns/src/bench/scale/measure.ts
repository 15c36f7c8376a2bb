import { call } from '../client.js';
import { judged, plain, type Row } from '../report.js';
import { median } from '../stats.js';
import type { Ask } from './calls.js';
import type { World } from './world.js';

const ROUNDS = 9;
/** More for a call that looks as if it grew, so that a busy moment is not taken for growth. */
const MORE_ROUNDS = 15;
const MOST_MS = 4_000;
const GOAL = 1.3;
const LIMIT = 10;

/** One answer as it was asked for, with everything filled in. */
interface Read {
  url: string;
  token: string;
  body: Buffer | undefined;
}

interface Page {
  data: unknown;
  pagination?: { totalItems: number; nextCursor?: string };
}

type Place = 'first page' | 'middle page' | 'last page';

async function answer({ url, token, body }: Read): Promise<Page> {
  const reply = await call(url, {
    method: body ? 'POST' : 'GET',
    token,
    ...(body ? { type: 'application/json', body } : {}),
  });
  if (reply.status !== 200) throw new Error(`${reply.status} from ${url}: ${reply.body.toString().slice(0, 300)}`);
  return JSON.parse(reply.body.toString()) as Page;
}

function readOf({ gateway, tokens }: World, { viewer, path, body }: Ask, more: Record<string, string> = {}): Read {
  const url = new URL(`${gateway.api}${path}`);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return {
    url: url.href,
    token: tokens.access(viewer.id, viewer.session),
    body: body && Buffer.from(JSON.stringify(body)),
  };
}

/** Returns the reads of one call: of a list one for each of three pages. Pages are reached by cursor, as on a screen. */
async function readsOf(world: World, ask: Ask): Promise<Partial<Record<Place, Read>>> {
  const limit = { limit: String(LIMIT) };
  if (!ask.paged) return { 'first page': readOf(world, ask) };
  const first = readOf(world, ask, limit);
  const { pagination } = await answer(first);
  const pages = Math.ceil((pagination?.totalItems ?? 0) / LIMIT);
  if (pages < 4) return { 'first page': first };
  const byCursor = async (page: number): Promise<Read> => {
    const before = await answer(readOf(world, ask, { ...limit, page: String(page - 1) }));
    return readOf(world, ask, { ...limit, cursor: before.pagination?.nextCursor ?? '' });
  };
  return {
    'first page': first,
    'middle page': await byCursor(Math.ceil(pages / 2)),
    'last page': await byCursor(pages),
  };
}

/** Measures every call in both worlds in turn. Returns a row for each, and a summary. */
export async function compare(
  small: World,
  large: World,
  asks: (world: World) => Ask[],
  say: (line: string) => void,
): Promise<Row[]> {
  // Sessions that nobody used while the other database was filled would have ended.
  for (const { models } of [small, large]) await models.Session.updateMany({}, { $set: { lastSeenAt: new Date() } });
  const [ofSmall, ofLarge] = [asks(small), asks(large)];
  const rows: Row[] = [];
  for (const [i, ask] of ofSmall.entries()) {
    try {
      rows.push(...(await compareOne(small, ask, large, ofLarge[i] as Ask)));
    } catch (error) {
      throw new Error(`${ask.name}: ${(error as Error).message}`);
    }
    say(
      rows
        .slice(-1)
        .map(({ job, measure, value, met }) => `  ${job}, ${measure}: ${value}${met ? '' : '  <<<'}`)
        .join(),
    );
  }
  const grown = rows.filter(({ met }) => met === false).length;
  return [
    ...rows,
    judged('all calls', 'reads that grow more', grown, '0', grown === 0),
    plain('all calls', 'reads', rows.length),
  ];
}

async function compareOne(small: World, ask: Ask, large: World, same: Ask): Promise<Row[]> {
  const [few, many] = [await readsOf(small, ask), await readsOf(large, same)];
  const rows: Row[] = [];
  for (const place of Object.keys(few) as Place[]) {
    const [a, b] = [few[place], many[place]];
    if (!a || !b) continue;
    // Before the times: the first read of a call fills what the gateway keeps.
    const [workA, workB] = [await worked(small, a), await worked(large, b)];
    const times = await inTurn(a, b, ROUNDS);
    if (growthOf(times) > GOAL) await inTurn(a, b, MORE_ROUNDS, times);
    const growth = growthOf(times);
    const [x, y] = times.map((all) => median(all).toFixed(1));
    const measure = ask.paged ? place : 'read';
    const row = judged(ask.name, measure, growth, `<= ${GOAL}`, growth <= GOAL);
    rows.push({ ...row, value: `${growth.toFixed(2)} (${x} to ${y} ms; examined ${workA} to ${workB})` });
  }
  return rows;
}

const growthOf = ([a = [], b = []]: number[][]): number => median(b) / median(a);

async function inTurn(a: Read, b: Read, rounds: number, times: number[][] = [[], []]): Promise<number[][]> {
  const end = Date.now() + MOST_MS;
  for (let round = 0; round < rounds && (round < 5 || Date.now() < end); round++) {
    for (const [k, read] of [a, b].entries()) {
      const start = performance.now();
      await answer(read);
      times[k]?.push(performance.now() - start);
    }
  }
  return times;
}

/** Returns the number of index keys and records that the database examined for one read, by its profiler. */
async function worked({ models }: World, read: Read): Promise<number> {
  const db = models.Image.db.db;
  if (!db) throw new Error('The database is not connected.');
  const profile = db.collection<{ keysExamined?: number; docsExamined?: number }>('system.profile');
  const before = await profile.countDocuments();
  await db.command({ profile: 2 });
  await answer(read);
  await db.command({ profile: 0 });
  const ops = await profile.find().skip(before).toArray();
  return ops.reduce((sum, { keysExamined = 0, docsExamined = 0 }) => sum + keysExamined + docsExamined, 0);
}
