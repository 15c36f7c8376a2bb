import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { damagedDicom } from '@lightbox/testkit/damagedDicom.js';
import { call } from '../bench/client.js';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { mutate, Random } from './random.js';

const assets = join(import.meta.dirname, '../../../backend/assets/demo');
const samples = ['chest-ct.dcm', 'hand-xray.jpg', 'liver-ultrasound.png', 'report.pdf'];
const boundary = 'lightbox-fuzz-boundary';
const TIMEOUT_MS = 5_000;
/** Bytes of the preamble and of `DICM`. */
const PREFIX = 132;
const headless = Object.entries(damagedDicom).flatMap(([name, bytes]) => (name.startsWith('without') ? [bytes] : []));

/** The statuses that an upload may have. Any other is a finding. */
const allowed = new Set([201, 400, 413, 415, 422]);

const head = (rest: string) => `--${boundary}\r\nContent-Disposition: form-data; ${rest}\r\n`;
const form = (file: Buffer) =>
  Buffer.concat([
    Buffer.from(`${head('name="caption"')}\r\nFuzzed\r\n${head('name="file"; filename="x"')}\r\n`),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);

/** Uploads real files with faults in them, and forms with faults around a valid file. */
export async function fuzzFiles({ product, people, wishes, say }: Campaign): Promise<Row[]> {
  const rows: Row[] = [];
  const perKind = wishes.examples ?? 250;
  const share = wishes.minutes ? (wishes.minutes * 60_000) / (samples.length + 3) : Number.POSITIVE_INFINITY;
  const kinds: [name: string, body: (random: Random) => Buffer][] = samples.map((name) => {
    const bytes = readFileSync(join(assets, name));
    return [name, (random) => form(mutate(bytes, random))];
  });
  kinds.push(['damaged DICOM', (random) => form(mutate(random.pick(Object.values(damagedDicom)), random))]);
  const bare = [readFileSync(join(assets, 'chest-ct.dcm')).subarray(PREFIX), ...headless];
  kinds.push(['DICOM without a preamble', (random) => form(mutate(random.pick(bare), random))]);
  const small = form(readFileSync(join(assets, 'report.pdf')));
  kinds.push(['multipart form', (random) => mutate(small, random)]);

  for (const [kind, [name, body]] of kinds.entries()) {
    const findings = new Findings(say);
    const random = new Random(wishes.seed * 1000 + kind);
    const token = (await people.token('healthProvider')) ?? undefined;
    const end = Date.now() + share;
    for (let i = 0; i < perKind && Date.now() < end; i++) {
      findings.requests++;
      const fault = await send(`${product.url}/api/upload/image`, token, body(random));
      if (fault) findings.add(`${name}, case ${i} of seed ${wishes.seed}: ${fault}`);
    }
    await expectAlive(product, findings);
    rows.push({ campaign: name, operations: 1, requests: findings.requests, failures: findings.lines.length });
  }
  return rows;
}

async function send(url: string, token: string | undefined, body: Buffer): Promise<string | null> {
  const started = performance.now();
  const type = `multipart/form-data; boundary=${boundary}`;
  const reply = await call(url, { method: 'POST', token, type, body }).catch((error: Error) => error);
  const took = performance.now() - started;
  if (reply instanceof Error) return reply.message;
  if (!allowed.has(reply.status)) return `answered ${reply.status} ${reply.body.toString().slice(0, 200)}`;
  if (took > TIMEOUT_MS) return `took ${Math.round(took)} ms`;
  return isEnvelope(reply.status, reply.body) ? null : `no envelope: ${reply.body.toString().slice(0, 200)}`;
}

function isEnvelope(status: number, body: Buffer): boolean {
  try {
    const said = JSON.parse(body.toString()) as Record<string, unknown>;
    return status === 201 ? 'data' in said : typeof said.error === 'string' && typeof said.requestId === 'string';
  } catch {
    return false;
  }
}
