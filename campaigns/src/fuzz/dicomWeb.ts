import { damagedDicom } from '@lightbox/testkit/damagedDicom.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { mutate, Random } from './random.js';

const boundary = 'lightbox-fuzz-boundary';
const TIMEOUT_MS = 5_000;
const related = `multipart/related; type="application/dicom"; boundary=${boundary}`;

/** The statuses that these requests may have. Any other is a finding. */
const allowedStores = new Set([200, 202, 400, 409, 413, 415]);
const allowedReads = new Set([200, 204, 400, 404, 406, 422]);

const part = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`--${boundary}\r\nContent-Type: application/dicom\r\n\r\n`), bytes, Buffer.from('\r\n')]);
const bodyOf = (files: readonly Buffer[]): Buffer =>
  Buffer.concat([...files.map(part), Buffer.from(`--${boundary}--\r\n`)]);

/** Values that a parser of searches, UIDs, frames or media types may read wrongly. */
const oddities = [
  '',
  '*',
  '?',
  '\\',
  '%',
  '1..2',
  '.',
  '2.25.770031',
  '0'.repeat(65),
  '-',
  '--',
  '20240101-20231231',
  '99999999',
  '1e309',
  '-1',
  '0',
  '1,2,3',
  '1,'.repeat(500),
  '7FE00010',
  '00081140.0.00081155',
  'a^b=c^d=e',
  '(a+)+$',
  '\u0000',
  '\ud83d',
  'x'.repeat(2_000),
  '__proto__',
  'multipart/related; type="application/dicom"; transfer-syntax=*',
  'multipart/related; type=application/octet-stream',
  'application/dicom+json; q=0',
  'image/png; q=x',
  ';'.repeat(500),
  '"'.repeat(99),
];
const keys = [
  'limit',
  'offset',
  'fuzzymatching',
  'includefield',
  'PatientName',
  '00100010',
  'StudyDate',
  'StudyInstanceUID',
  'ModalitiesInStudy',
  'window',
  'viewport',
];

/** Stores files with faults in them and around them, and searches and reads with odd values, by DICOMweb. */
export async function fuzzDicomWeb({ product, people, wishes, say }: Campaign): Promise<Row[]> {
  const token = (await people.token('healthProvider')) ?? '';
  const web = `${product.url}/dicom-web`;
  const examples = wishes.examples ?? 250;
  const half = wishes.minutes ? wishes.minutes * 30_000 : Number.POSITIVE_INFINITY;
  const ask = async (findings: Findings, allowed: Set<number>, what: string, url: string, init: RequestInit) => {
    findings.requests++;
    const started = performance.now();
    const headers = { Authorization: `Bearer ${token}`, ...init.headers };
    const answer = await fetch(url, { ...init, headers }).catch((error: Error) => error);
    if (answer instanceof Error) return findings.add(`${what}: ${answer.message}`);
    const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    const took = Math.round(performance.now() - started);
    if (!allowed.has(answer.status)) findings.add(`${what}: answered ${answer.status} ${text.slice(0, 200)}`);
    if (took > TIMEOUT_MS) findings.add(`${what}: took ${took} ms`);
    const isAnswer = answer.headers.get('content-type')?.startsWith('application/dicom+json');
    if (answer.status >= 400 && !isAnswer && !text.includes('"requestId"')) findings.add(`${what}: no envelope`);
  };

  const stores = new Findings(say);
  const random = new Random(wishes.seed * 1000 + 700);
  const files = [phantom({ study: '770031' }), ...Object.values(damagedDicom)];
  for (let i = 0, end = Date.now() + half; i < examples && Date.now() < end; i++) {
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(files));
    // Faults in a file, or anywhere in the request.
    const body = random.below(2) ? bodyOf(chosen.map((file) => mutate(file, random))) : mutate(bodyOf(chosen), random);
    const type = random.below(8) === 0 ? mutate(Buffer.from(related), random).toString('latin1') : related;
    const isHeader = /^[\t\x20-\x7e]*$/.test(type);
    const init = { method: 'POST', body: new Uint8Array(body), headers: { 'Content-Type': isHeader ? type : related } };
    await ask(stores, allowedStores, `store ${i} of seed ${wishes.seed}`, `${web}/studies`, init);
  }
  await expectAlive(product, stores);

  const reads = new Findings(say);
  const study = '/studies/2.25.7770031';
  const series = `${study}/series/2.25.7770031.1`;
  const instance = `${series}/instances/2.25.7770031.1.1`;
  const odd = () => encodeURIComponent(random.pick(oddities).toWellFormed());
  const paths = [
    ...['/studies', '/series', '/instances', study, series, instance, `${series}/instances`],
    ...['', '/metadata', '/rendered', '/frames/1', '/frames/1/rendered', '/bulkdata/7FE00010'].map(
      (of) => instance + of,
    ),
  ];
  for (let i = 0, end = Date.now() + half; i < examples && Date.now() < end; i++) {
    const steps = random.pick(paths).split('/');
    if (random.below(2)) steps[1 + random.below(steps.length - 1)] = odd();
    const query = Array.from({ length: random.below(4) }, () => `${random.pick(keys)}=${odd()}`).join('&');
    const path = `${steps.join('/')}${query && '?'}${query}`;
    const accept = random.pick(oddities);
    const headers: Record<string, string> =
      /^[\t\x20-\x7e]+$/.test(accept) && random.below(2) ? { Accept: accept } : {};
    await ask(reads, allowedReads, `GET ${path} ${headers.Accept ?? ''}`, web + path, { headers });
  }
  await expectAlive(product, reads);
  return [
    { campaign: 'DICOMweb, storing', operations: 1, requests: stores.requests, failures: stores.lines.length },
    { campaign: 'DICOMweb, reading', operations: 16, requests: reads.requests, failures: reads.lines.length },
  ];
}
