import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalysisAnswer } from '@lightbox/contract/analysis/schemas.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import { removeOrphanBlobs } from '@lightbox/workers/maintenance/orphans.js';
import { judged, type Row } from '../bench/report.js';
import type { Account } from './account.js';
import type { Chatter } from './chatter.js';
import type { Cluster } from './cluster.js';
import type { StockClient } from './stockClient.js';
import { sha256, type Uploaded } from './uploader.js';

const none = (job: string, measure: string, count: number): Row => judged(job, measure, count, '0', count === 0);

const DAY_MS = 24 * 3_600_000;

/** Waits until all work is done, but no longer than the timeout: the checks afterwards find unfinished work. */
export async function settle({ core }: Pick<Cluster, 'core'>, timeoutMs: number): Promise<number> {
  const since = Date.now();
  const { Event, Message: Messages, Analysis, AuditReceipt } = core.models;
  const busy = async () =>
    (await AuditReceipt.exists({})) ??
    (await Event.exists({ $or: [{ pending: true }, { unaudited: true }] })) ??
    (await Event.exists({ 'owed.0': { $exists: true }, owed: { $gt: '' } })) ??
    (await Messages.exists({ pending: true })) ??
    (await Analysis.exists({ status: { $in: ['queued', 'active'] } }));
  while ((await busy()) && Date.now() - since < timeoutMs) await sleep(500);
  return Date.now() - since;
}

/** Compares each conversation as both sides see it with the stored one that the server returns. */
export async function judgeChats(pairs: [Chatter, Chatter][]): Promise<Row[]> {
  const totals = { lost: 0, unseen: 0, doubled: 0, disordered: 0 };
  for (const [one, other] of pairs) {
    const sent = [...one.acknowledged, ...other.acknowledged];
    await untilSeen([one, other], sent);
    const stored = await wholeChat(one.account, other.account.id);
    const ids = new Set(stored.map((message) => message.id));
    totals.lost += sent.filter((message) => !ids.has(message.id)).length;
    totals.doubled += stored.length - new Set(stored.map((message) => message.clientId)).size;
    for (const side of [one, other]) {
      totals.unseen += stored.filter((message) => !side.seen.has(message.id)).length;
      totals.disordered += inversions(side.acknowledged) + differences(shown(side, ids), stored);
    }
  }
  return [
    none('messages', 'acknowledged and lost', totals.lost),
    none('messages', 'stored and not seen by a side', totals.unseen),
    none('messages', 'duplicates', totals.doubled),
    none('messages', 'out of order', totals.disordered),
  ];
}

async function untilSeen(sides: Chatter[], sent: Message[]): Promise<void> {
  const deadline = Date.now() + 30_000;
  const missing = () => sides.some((side) => sent.some((message) => !side.seen.has(message.id)));
  while (missing() && Date.now() < deadline) await sleep(100);
}

/** Checks clients with the library's defaults: each must have seen the messages of one chat, live or after it reconnected. */
export async function judgeStock(clients: { client: StockClient; sides: Chatter[] }[]): Promise<Row[]> {
  const missing = () =>
    clients.reduce((sum, { client, sides }) => {
      return sum + client.unseen(sides.flatMap(({ acknowledged }) => acknowledged)).length;
    }, 0);
  const deadline = Date.now() + 30_000;
  while (missing() > 0 && Date.now() < deadline) await sleep(100);
  const connects = clients.reduce((sum, { client }) => sum + client.connects, 0);
  return [
    { job: 'stock clients', measure: 'connections made', value: String(connects) },
    none('stock clients', 'clients that never reconnected', clients.filter(({ client }) => !client.comesBack).length),
    none('stock clients', 'acknowledged and not seen by a connected client', missing()),
  ];
}

/** Returns the messages in the order of the screen: by `seq`. */
const shown = (side: Chatter, ids: Set<string>): Message[] =>
  [...side.seen.values()].filter((message) => ids.has(message.id)).sort((a, b) => a.seq - b.seq);

const inversions = (messages: Message[]): number =>
  messages.filter((message, i) => i > 0 && message.seq <= (messages[i - 1] as Message).seq).length;

const differences = (shown: Message[], stored: Message[]): number =>
  shown.filter((message, i) => message.id !== stored[i]?.id).length;

async function wholeChat(account: Account, otherId: string): Promise<Message[]> {
  let messages: Message[] = [];
  for (;;) {
    const before = messages[0] ? `&before=${messages[0].id}` : '';
    const page = await account.ask<Message[]>('GET', `/message/chat/${otherId}?limit=200${before}`);
    if (page.length === 0) return messages;
    messages = [...page, ...messages];
  }
}

/**
 * Judges all uploads, their analyses, previews, log entries and mails.
 * `workerFaults` is the number of times a worker was stopped in a short run, where five percent is less than one mail:
 * each time, the mail that it had just handed over may go out again.
 */
export async function judgeUploads(
  { core, mailbox }: Pick<Cluster, 'core' | 'mailbox'>,
  uploads: Uploaded[],
  recipient: string,
  workerFaults = 0,
): Promise<Row[]> {
  const { Image, AuditEntry } = core.models;
  let [changed, unfinished, unlogged] = [0, 0, 0];
  for (const { id, sha256: digest, by } of uploads) {
    const bytes = await by.bytes(`/upload/image/${id}/content`).catch(() => null);
    if (!bytes || sha256(bytes) !== digest) changed++;
    const { status } = await by.ask<AnalysisAnswer>('GET', `/analyze/${id}`);
    if (status !== 'completed') unfinished++;
    if ((await AuditEntry.countDocuments({ type: 'image.upload', record: oid(id) })) !== 1) unlogged++;
  }
  const owners = [...new Set(uploads.map(({ by }) => by.id))].map(oid);
  const extra = (await Image.countDocuments({ owner: { $in: owners } })) - uploads.length;
  const undrawn = await Image.countDocuments({ owner: { $in: owners }, preview: { $ne: 'ready' } });
  return [
    none('uploads', 'acknowledged and lost or changed', changed),
    none('uploads', 'duplicates', extra),
    none('uploads', 'analyses that did not complete', unfinished),
    none('uploads', 'previews that were not drawn', undrawn),
    none('uploads', 'without exactly one audit entry', unlogged),
    ...judgeMails(mailbox.mails(recipient, 'An image was shared with you'), uploads, workerFaults),
  ];
}

function judgeMails(mails: { text: string; messageId: string }[], uploads: Uploaded[], workerFaults: number): Row[] {
  const shares = uploads.flatMap(({ shareId }) => shareId ?? []);
  const ofShare = shares.map((id) => mails.filter(({ text }) => text.includes(`Sharing id: ${id}`)));
  const unmailed = ofShare.filter((found) => found.length === 0).length;
  const twoIds = ofShare.filter((found) => new Set(found.map(({ messageId }) => messageId)).size > 1).length;
  const repeats = ofShare.reduce((sum, found) => sum + Math.max(0, found.length - 1), 0);
  const allowed = Math.max(Math.floor(shares.length / 20), workerFaults);
  return [
    none('mails', 'shares without their mail', unmailed),
    none('mails', 'shares mailed under two Message-IDs', twoIds),
    judged('mails', 'repeats under the same Message-ID', repeats, `<= ${allowed}`, repeats <= allowed),
  ];
}

export async function judgeStore({ core }: Pick<Cluster, 'core'>, administrator: Account): Promise<Row[]> {
  const { Event, AuditReceipt } = core.models;
  const unaudited = await Event.countDocuments({ unaudited: true });
  const pending = await Event.countDocuments({ pending: true });
  // Before the verification, which is recorded too.
  const receipts = await AuditReceipt.countDocuments({});
  const left = await orphans(core);
  await removeOrphanBlobs(tomorrow(core));
  // It lists them, and removes them when they have no record a while later.
  await removeOrphanBlobs(tomorrow(core, 2));
  const chain = await administrator.ask<{ ok: boolean; checked: number }>('GET', '/audit/verify');
  const events = await Event.countDocuments({});
  return [
    { job: 'GridFS', measure: 'blobs of aborted uploads, before the sweep', value: String(left) },
    none('GridFS', 'orphans after the sweep', await orphans(core)),
    judged('audit', 'entries in an intact chain', chain.checked, 'intact', chain.ok),
    none('audit', 'events without an entry', unaudited),
    none('audit', 'receipts not processed', receipts),
    none('events', 'not handed over', pending),
    { job: 'events', measure: 'total', value: String(events) },
  ];
}

/** Returns a core whose clock is days ahead, because maintenance skips young records. */
export const tomorrow = (core: Core, days = 1): Core =>
  Object.assign(Object.create(core) as Core, { clock: { now: () => new Date(Date.now() + days * DAY_MS) } });

/** Returns the number of blobs whose chunks or file entries have no image. */
async function orphans(core: Core): Promise<number> {
  const named = new Set((await core.models.Image.find({}, { blob: 1 }).lean()).map(({ blob }) => String(blob)));
  const inChunks = await core.db.collection('blobs.chunks').distinct('files_id');
  const inFiles = await core.db.collection('blobs.files').distinct('_id');
  const found = new Set([...inChunks, ...inFiles].map(String));
  return [...found].filter((id) => !named.has(id)).length;
}
