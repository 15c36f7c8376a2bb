import { limits } from '@lightbox/contract/limits.js';
import { call, data, postJson, type Reply } from '../bench/client.js';
import { formType, noisePng, uploadForm } from '../bench/files.js';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { Random } from './random.js';

const SHARES = 50;
const SOURCES = 50;
const AT_ONCE = 25;
const GUESSES = 10_000;
const SUBJECT = 'An image was shared with you';

interface Share {
  id: string;
  imageId: string;
  code: string;
  statuses: number[];
}

/** Makes ten thousand guesses at the codes of fifty shares, from fifty addresses. Each share must lock and cause an alert. */
export async function guessCodes(campaign: Campaign): Promise<Row[]> {
  const { product, people, wishes, say } = campaign;
  const findings = new Findings(say);
  const random = new Random(wishes.seed);
  const api = `${product.url}/api`;
  const shares = await giveShares(campaign, api);
  const token = (await people.token('patient')) ?? undefined;
  const guess = async (share: Share, verificationCode: string, from: string): Promise<Reply> => {
    findings.requests++;
    const body = Buffer.from(JSON.stringify({ sharingRequestId: share.id, verificationCode }));
    return call(`${api}/sharing/verify`, { method: 'POST', token, type: 'application/json', body, from });
  };

  const total = wishes.examples ?? GUESSES;
  const started = performance.now();
  for (let i = 0; i < total; i += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, total - i) }, async (_, n) => {
      const share = shares[(i + n) % shares.length] as Share;
      const { status } = await guess(share, wrongCode(random, share.code), `203.0.113.${random.below(SOURCES)}`);
      share.statuses.push(status);
    });
    await Promise.all(batch);
  }
  const perSecond = total / ((performance.now() - started) / 1000);
  say(`  ${total} guesses at ${shares.length} shares from ${SOURCES} addresses, ${perSecond.toFixed(0)} a second`);

  for (const share of shares) {
    const compared = share.statuses.filter((status) => status === 422).length;
    const odd = share.statuses.filter((status) => status !== 422 && status !== 423);
    if (odd.length > 0) findings.add(`share ${share.id}: answered ${[...new Set(odd)].join(', ')}`);
    if (compared > limits.codeTries) findings.add(`share ${share.id}: ${compared} guesses were compared`);
    if (share.statuses.length < limits.codeTries) continue;
    // The right code opens a share that is not locked.
    const { status } = await guess(share, share.code, '203.0.113.250');
    if (status !== 423) findings.add(`share ${share.id}: the right code after the guesses is answered ${status}`);
  }
  const locked = shares.filter(({ statuses }) => statuses.length >= limits.codeTries);
  for (const fault of await missingAlerts(campaign, api, locked)) findings.add(fault);
  await expectAlive(product, findings);
  return [{ campaign: 'guesses', operations: 1, requests: findings.requests, failures: findings.lines.length }];
}

/** Returns a wrong code: a lucky guess would not be a fault of the product. */
function wrongCode(random: Random, right: string): string {
  const code = String(random.below(10 ** limits.codeDigits)).padStart(limits.codeDigits, '0');
  return code === right ? wrongCode(random, right) : code;
}

/** Uploads an image for each share, shares it with the patient, and reads the code from the mail. */
async function giveShares({ product, people }: Campaign, api: string): Promise<Share[]> {
  const token = (await people.token('healthProvider')) ?? undefined;
  const form = uploadForm(noisePng(4096), 'image/png');
  const patient = await patientId(api, token, people.email('patient'));
  const before = product.mailbox.mails(people.email('patient'), SUBJECT).length;
  const given: Pick<Share, 'id' | 'imageId'>[] = [];
  for (let i = 0; i < SHARES; i++) {
    const { id: imageId } = await data<{ id: string }>(
      call(`${api}/upload/image`, { method: 'POST', token, type: formType, body: form }),
    );
    const wanted = { imagemetadataId: imageId, createdfor: patient };
    const { id } = await data<{ id: string }>(postJson(`${api}/sharing/request`, wanted, token));
    given.push({ id, imageId });
  }
  const mails = await product.mailbox.waitFor(people.email('patient'), SUBJECT, before + SHARES, 120_000);
  const codes = new Map(mails.map(({ text }) => [line(text, 'Sharing id'), line(text, 'Code')]));
  return given.map((share) => ({ ...share, code: codes.get(share.id) ?? '', statuses: [] }));
}

const line = (text: string, label: string): string => new RegExp(`^${label}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';

async function patientId(api: string, token: string | undefined, email: string): Promise<string> {
  const found = await data<{ id: string; email: string }[]>(call(`${api}/users?limit=100`, { token }));
  const id = found.find((user) => user.email === email)?.id;
  if (!id) throw new Error('The demonstration’s patient is not in the directory.');
  return id;
}

/** Returns a fault for each locked share that is not once in the audit log, and when administrators see too few locked shares. */
async function missingAlerts({ people }: Campaign, api: string, locked: Share[]): Promise<string[]> {
  const token = (await people.token('admin')) ?? undefined;
  const wanted = new Map(locked.map(({ imageId }) => [imageId, 0]));
  const read = async () => {
    const rows = await data<{ recordId: string }[]>(
      call(`${api}/audit/logs?actiontype=share.lock&limit=100`, { token }),
    );
    for (const id of wanted.keys()) wanted.set(id, rows.filter(({ recordId }) => recordId === id).length);
    return [...wanted.values()].every((times) => times > 0);
  };
  // The workers append the entries a moment after the event.
  for (let i = 0; i < 50 && !(await read()); i++) await new Promise((resolve) => setTimeout(resolve, 200));
  const faults = [...wanted].flatMap(([id, times]) => (times === 1 ? [] : [`image ${id}: ${times} alerts in the log`]));
  type Overview = { attention: { lockedShares: { count: number } } };
  const { attention } = await data<Overview>(call(`${api}/admin/overview`, { token }));
  if (attention.lockedShares.count < locked.length) {
    faults.push(`administrators are shown ${attention.lockedShares.count} of ${locked.length} locked shares`);
  }
  return faults;
}
