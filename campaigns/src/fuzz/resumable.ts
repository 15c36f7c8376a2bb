import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tusPath } from '@lightbox/contract/uploads/tusPath.js';
import { damagedDicom } from '@lightbox/testkit/damagedDicom.js';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { mutate, Random } from './random.js';

const assets = join(import.meta.dirname, '../../../backend/assets/demo');
const TIMEOUT_MS = 5_000;

/** The statuses that requests of tus may have. Any other is a finding. */
const allowed = new Set([200, 201, 204, 400, 404, 409, 412, 413, 415, 422]);

/** Values of headers that a server may read wrongly. */
const numbers = ['', '-1', '0', '1', '007', '1e9', '0x10', '9007199254740993', '18446744073709551616', 'NaN', '5,5'];
const metadata = [
  '',
  'caption',
  'caption !',
  'caption eA==,caption eA==',
  'caption eA==,owner eA==',
  'a b c',
  ','.repeat(999),
];

/** Sends files with faults in parts of any size, and requests with wrong headers between them. */
export async function fuzzResumable({ product, people, wishes, say }: Campaign): Promise<Row[]> {
  const findings = new Findings(say);
  const random = new Random(wishes.seed * 1000 + 500);
  const token = await people.token('healthProvider');
  const samples = [readFileSync(join(assets, 'hand-xray.jpg')), ...Object.values(damagedDicom)];
  const end = Date.now() + (wishes.minutes ? wishes.minutes * 60_000 : Number.POSITIVE_INFINITY);

  const send = async (method: string, url: string, headers: Record<string, string>, body?: Buffer) => {
    findings.requests++;
    const started = performance.now();
    const signed = { Authorization: `Bearer ${token}`, 'Tus-Resumable': '1.0.0', ...headers };
    const answer = await fetch(url, { method, headers: signed, ...(body ? { body: new Uint8Array(body) } : {}) });
    const text = await answer.text();
    const took = Math.round(performance.now() - started);
    const what = `${method} ${JSON.stringify(headers)} (seed ${wishes.seed})`;
    if (!allowed.has(answer.status)) findings.add(`${what}: answered ${answer.status} ${text.slice(0, 200)}`);
    if (took > TIMEOUT_MS) findings.add(`${what}: took ${took} ms`);
    if (answer.status >= 400 && method !== 'HEAD' && !text.includes('"requestId"'))
      findings.add(`${what}: no envelope`);
    return answer;
  };

  const endpoint = `${product.url}/api${tusPath}`;
  const bytesType = { 'Content-Type': 'application/offset+octet-stream' };
  for (let i = 0; i < (wishes.examples ?? 250) && Date.now() < end; i++) {
    const file = mutate(random.pick(samples), random);
    const wrong = { 'Upload-Length': random.pick(numbers), 'Upload-Metadata': random.pick(metadata) };
    await send('POST', endpoint, wrong);
    const caption = `caption ${Buffer.from('Fuzzed').toString('base64')}`;
    const begun = await send('POST', endpoint, { 'Upload-Length': String(file.length), 'Upload-Metadata': caption });
    const url = new URL(begun.headers.get('location') ?? `${endpoint}/none`, product.url).href;
    for (let at = 0; begun.status === 201 && at < file.length; ) {
      if (random.below(4) === 0) {
        await send(
          'PATCH',
          url,
          { ...bytesType, 'Upload-Offset': random.pick(numbers) },
          random.bytes(random.below(99)),
        );
      }
      const offset = Number((await send('HEAD', url, {})).headers.get('upload-offset') ?? Number.NaN);
      if (!(offset >= at)) break;
      const part = file.subarray(offset, offset + 1 + random.below(file.length));
      const sent = await send('PATCH', url, { ...bytesType, 'Upload-Offset': String(offset) }, part);
      if (sent.status >= 400) break;
      at = offset + part.length;
    }
    if (random.below(2)) await send('DELETE', url, {});
  }
  await expectAlive(product, findings);
  return [
    { campaign: 'resumable upload', operations: 4, requests: findings.requests, failures: findings.lines.length },
  ];
}
