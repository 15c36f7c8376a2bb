import { newId } from '@lightbox/core/db/ids.js';
import { call, data, postJson, type Reply } from '../bench/client.js';
import { formType, noisePng, uploadForm } from '../bench/files.js';
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

/** Measures that the time of an answer does not reveal whether an address has an account or a record exists. */
export async function measureTiming(campaign: Campaign): Promise<Row[]> {
  const { product, people } = campaign;
  const known = people.email('patient');
  const rows: Row[] = [];
  for (const { name, path, body } of probes) {
    const ask = (email: string, i: number) => postJson(`${product.url}/api${path}`, body(email, i));
    rows.push(
      await compare(campaign, name, {
        'with an account': (i) => ask(known, i),
        'without one': (i) => ask(`nobody-${name}-${i}@demo.example`, i),
      }),
    );
  }
  return [...rows, ...(await measureForeign(campaign))];
}

/** Compares requests of the patient for another person's records with requests for records that do not exist. */
async function measureForeign(campaign: Campaign): Promise<Row[]> {
  const { product, people } = campaign;
  const api = `${product.url}/api`;
  const provider = (await people.token('healthProvider')) ?? undefined;
  const admin = (await people.token('admin')) ?? undefined;
  const token = (await people.token('patient')) ?? undefined;
  const form = uploadForm(noisePng(4096), 'image/png');
  const image = await data<{ id: string }>(
    call(`${api}/upload/image`, { method: 'POST', token: provider, type: formType, body: form }),
  );
  const createdfor = (await data<{ id: string }>(call(`${api}/users/profile`, { token: admin }))).id;
  const share = await data<{ id: string }>(
    postJson(`${api}/sharing/request`, { imagemetadataId: image.id, createdfor }, provider),
  );
  const probes: [name: string, foreign: string, ask: (id: string) => Promise<Reply>][] = [
    ['an image', image.id, (id) => call(`${api}/upload/image/${id}`, { token })],
    ['its bytes', image.id, (id) => call(`${api}/upload/image/${id}/content`, { token })],
    ['its timeline', image.id, (id) => call(`${api}/upload/image/${id}/timeline`, { token })],
    [
      'a share',
      share.id,
      (id) => postJson(`${api}/sharing/verify`, { sharingRequestId: id, verificationCode: '000000' }, token),
    ],
  ];
  const rows: Row[] = [];
  for (const [name, foreign, ask] of probes) {
    rows.push(
      await compare(
        campaign,
        name,
        { 'of another person': () => ask(foreign), absent: () => ask(String(newId())) },
        404,
      ),
    );
  }
  return rows;
}

/** Measures both kinds in turn. Adds a finding when their medians differ by more than the tolerance. */
async function compare(
  { wishes, say }: Campaign,
  name: string,
  kinds: Record<string, (i: number) => Promise<Reply>>,
  status?: number,
): Promise<Row> {
  const findings = new Findings(say);
  const probes = Object.entries(kinds).map(([kind, ask]) => ({ kind, ask, times: [] as number[] }));
  for (let i = 0; i < (wishes.examples ?? 200); i++) {
    // Each kind is first in every second round, so that neither has an advantage from caches.
    for (const { kind, ask, times } of i % 2 ? probes : probes.toReversed()) {
      const started = performance.now();
      const reply = await ask(i);
      times.push(performance.now() - started);
      findings.requests++;
      if (status && reply.status !== status) findings.add(`${name} ${kind} is answered ${reply.status}`);
    }
  }
  const medians = probes.map(({ times }) => median(times));
  say(`  ${name}: ${probes.map(({ kind }, i) => `${medians[i]?.toFixed(1)} ms ${kind}`).join(', ')}`);
  if (1 - Math.min(...medians) / Math.max(...medians) > TOLERANCE) {
    findings.add(`${name}: the medians differ by more than 10 %`);
  }
  return {
    campaign: `timing of ${name}`,
    operations: 1,
    requests: findings.requests,
    failures: findings.lines.length,
  };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
