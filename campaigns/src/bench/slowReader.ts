import type { Socket as Wire } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@lightbox/contract/limits.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { connect, type Pair } from './chat.js';
import { call, data, postJson } from './client.js';
import { memoryDuring } from './memory.js';
import { judged, type Row } from './report.js';
import type { Site } from './site.js';

const JOB = '10,000 events for a reader of 1 KB/s';
const EVENTS = 10_000;
const AT_ONCE = 200;
const PER_SECOND = 1024;
const TIMEOUT_MS = 60_000;

interface Since {
  messages: { id: string }[];
  cursor: string;
  more: boolean;
}

/** Measures the cost of a client that reads too slowly for its many events. It is disconnected and catches up later. */
export async function benchSlowReader(site: Site, { from, to }: Pair): Promise<Row[]> {
  const [near] = site.gateways;
  const since = (cursor?: string) => {
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
    return data<Since>(call(`${near.api}/message/since${query}`, { token: to.token }));
  };
  await data(postJson(`${near.api}/message/send`, { recipientId: to.id, content: 'first' }, from.token));
  let { cursor } = await since();
  const socket = await connect(near, to);
  const wire = (socket.io.engine.transport as unknown as { ws: { _socket: Wire } }).ws._socket;
  wire.pause();
  const reading = setInterval(() => wire.read(PER_SECOND), 1_000);

  const ids = new Set<string>();
  let online = true;
  const use = await memoryDuring(near.pid, async () => {
    for (let at = 0; at < EVENTS; at += AT_ONCE) {
      const some = messages(from.id, to.id, at, AT_ONCE);
      for (const { _id } of some) ids.add(String(_id));
      await site.models.Message.insertMany(some, { lean: true });
      await sleep(20);
    }
    const deadline = Date.now() + TIMEOUT_MS;
    while (online && Date.now() < deadline) {
      const list = await data<{ user: { id: string; online: boolean } }[]>(
        call(`${near.api}/message/chat-list`, { token: from.token }),
      );
      online = list.some(({ user }) => user.id === to.id && user.online);
      await sleep(200);
    }
  });
  clearInterval(reading);
  socket.disconnect();
  for (let more = true; more; ) {
    const page = await since(cursor);
    for (const { id } of page.messages) ids.delete(id);
    ({ cursor, more } = page);
  }
  return [
    judged(JOB, 'disconnected', online ? 0 : 1, '1', !online),
    judged(JOB, 'missing after it caught up', ids.size, '0', ids.size === 0),
    ...(use ? [judged(JOB, 'gateway MiB added', use.peak - use.before, '< 50', use.peak - use.before < 50)] : []),
  ];
}

/** Returns messages of the greatest length, with three bytes per character. Only the workers' sweeper hands them over. */
function messages(from: string, to: string, at: number, count: number): MessageDoc[] {
  const conversation = conversationOf(oid(from), oid(to));
  return Array.from({ length: count }, (_, i) => ({
    _id: newId(),
    conversation,
    seq: 1_000 + at + i,
    sender: oid(from),
    recipient: oid(to),
    members: [oid(from), oid(to)],
    content: '漢'.repeat(limits.messageLength),
    clientId: String(newId()),
    createAt: new Date(),
    pending: true,
  }));
}
