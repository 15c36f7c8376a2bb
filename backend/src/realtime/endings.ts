import { oid } from '@lightbox/core/db/ids.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import { isAlive } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { endSoon } from './connections.js';
import { type Client, type Io, sessionRoom } from './rooms.js';

const POLL_MS = 500;
/**
 * Each poll looks back this far: the end of a session is visible when a majority has its transaction, later than its
 * `endedAt`.
 */
const OVERLAP_MS = 15_000;
const CHECK_MS = 5_000;
/** Pause between two closed connections, because each client that reconnects reads everything again. */
const PAUSE_MS = 5;

/** Notifies the sockets of these sessions of their end, and disconnects them. */
export function disconnectSessions(io: Io, sessions: string[], reason: string): void {
  for (const id of sessions) {
    const room = sessionRoom(id);
    const sockets = io.sockets.adapter.rooms.get(room);
    if (!sockets) continue;
    const connections = [...sockets].flatMap((socket) => io.sockets.sockets.get(socket)?.conn ?? []);
    io.to(room).emit('session:revoked', { reason });
    io.in(room).disconnectSockets(true);
    // Packets that wait for a client that does not read must not be read after the end of its session.
    connections.forEach(endSoon);
  }
}

/**
 * Polls for ended sessions that no signal reported: Redis may be unreachable, the gateway that ended a session may have
 * crashed, and no worker may be there to end expired ones. Returns the function that stops it.
 */
export function watchSessions(gateway: Gateway, io: Io): () => void {
  let since = gateway.clock.now();
  const findEnded = async () => {
    if (io.sockets.sockets.size === 0) return;
    const from = new Date(since.getTime() - OVERLAP_MS);
    const now = gateway.clock.now();
    const sessions = await gateway.models.Session.find({ endedAt: { $gte: from } }, { endReason: 1 }).lean();
    // Only after the read, so that the next poll also covers one that failed.
    since = now;
    for (const session of sessions) disconnectSessions(io, [String(session._id)], session.endReason ?? 'ended');
  };
  const failed = (error: unknown) => gateway.warn(error, 'the poll for ended sessions failed; it is tried again');
  const timers = [
    setInterval(() => findEnded().catch(failed), POLL_MS),
    setInterval(() => disconnectInvalid(gateway, io).catch(failed), CHECK_MS),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** Checks the sessions of this gateway's sockets as a call would, and disconnects those that are not valid. */
async function disconnectInvalid(gateway: Gateway, io: Io): Promise<void> {
  const ids = [...new Set([...io.sockets.sockets.values()].map(({ data }) => String(data.viewer.sessionId)))];
  if (ids.length === 0) return;
  const sessions = await gateway.models.Session.find({ _id: { $in: ids.map(oid) } }).lean<SessionDoc[]>();
  const byId = new Map(sessions.map((session) => [String(session._id), session]));
  for (const id of ids) {
    const session = byId.get(id) ?? null;
    if (!(await isAlive(gateway, session))) disconnectSessions(io, [id], session?.endReason ?? 'expired');
  }
}

/**
 * Closes these connections one by one, because their clients missed something. The clients reconnect by themselves and
 * read again, as after any other interruption.
 */
export function reconnect(sockets: Iterable<Client>): void {
  [...sockets].forEach(({ conn }, i) => {
    setTimeout(() => conn.close(), i * PAUSE_MS).unref();
  });
}
