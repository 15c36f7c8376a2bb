import { call, type Reply } from '../bench/client.js';
import { type Campaign, Findings, type Row } from './campaign.js';

const TOLERANCE = 0.1;

interface Probe {
  name: string;
  path: string;
  body: (email: string, i: number) => object;
}

const probes: Probe[] = [
  { name: 'login', path: '/auth/login', body: (email) => ({ email, password: 'Wrong-Password-1' }) },
  {
    name: 'register',
    path: '/auth/register',
    body: (email, i) => ({
      email,
      username: `timed-${i}-${Math.random().toString(36).slice(2)}`,
      password: 'Granite-Willow-77',
      role: 'healthProvider',
      firstname: 'Timed',
      lastname: 'Person',
    }),
  },
  { name: 'forgot-password', path: '/auth/forgot-password', body: (email) => ({ email }) },
];

/** Whether the time of an answer tells if an address has an account: medians of both kinds, taken in turn. */
export async function measureTiming({ product, people, wishes, say }: Campaign): Promise<Row[]> {
  const known = people.email('patient');
  const rows: Row[] = [];
  for (const { name, path, body } of probes) {
    const findings = new Findings(say);
    const times = { known: [] as number[], unknown: [] as number[] };
    const ask = async (kind: keyof typeof times, email: string, i: number) => {
      const started = performance.now();
      await post(`${product.url}/api${path}`, body(email, i));
      times[kind].push(performance.now() - started);
      findings.requests++;
    };
    for (let i = 0; i < (wishes.examples ?? 200); i++) {
      // Each comes first every other time, so that neither has the warmer caches.
      const pair = [() => ask('known', known, i), () => ask('unknown', `nobody-${name}-${i}@demo.example`, i)];
      for (const one of i % 2 ? pair : pair.reverse()) await one();
    }
    const [a, b] = [median(times.known), median(times.unknown)];
    say(`  ${name}: ${a.toFixed(1)} ms with an account, ${b.toFixed(1)} ms without`);
    if (Math.abs(a - b) / Math.max(a, b) > TOLERANCE) findings.add(`${name}: the medians differ by more than 10 %`);
    rows.push({
      campaign: `timing of ${name}`,
      operations: 1,
      requests: findings.requests,
      failures: findings.lines.length,
    });
  }
  return rows;
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const post = (url: string, body: object): Promise<Reply> =>
  call(url, { method: 'POST', type: 'application/json', body: Buffer.from(JSON.stringify(body)) });
