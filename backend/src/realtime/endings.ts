import { oid } from '@lightbox/core/db/ids.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import { isAlive } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { type Io, sessionRoom } from './rooms.js';

const POLL_MS = 500;
/** How far each look goes back: a transaction shows its end of a session when a majority has it, not when it says. */
const OVERLAP_MS = 15_000;
const CHECK_MS = 5_000;
/** Closing connections, a connection at a time: who comes back reads everything again. */
const PAUSE_MS = 5;

/** Tells the sockets of these sessions that they are over, and closes them. */
export function cut(io: Io, sessions: string[], reason: string): void {
  for (const id of sessions) {
    const room = sessionRoom(id);
    if (!io.sockets.adapter.rooms.has(room)) continue;
    io.to(room).emit('session:revoked', { reason });
    io.in(room).disconnectSockets(true);
  }
}

/**
 * Finds the ends of sessions that no signal told: Redis may be away, the gateway that ended one may have died, and no
 * worker may be there to end those that are over. Returns how to stop.
 */
export function watchSessions(gateway: Gateway, io: Io): () => void {
  let since = gateway.clock.now();
  const findEnded = async () => {
    if (io.sockets.sockets.size === 0) return;
    const from = new Date(since.getTime() - OVERLAP_MS);
    const now = gateway.clock.now();
    const sessions = await gateway.models.Session.find({ endedAt: { $gte: from } }, { endReason: 1 }).lean();
    // Only now: what was to be found by a look that failed is found by the next.
    since = now;
    for (const session of sessions) cut(io, [String(session._id)], session.endReason ?? 'ended');
  };
  const failed = (error: unknown) => gateway.warn(error, 'ended sessions were not looked for; trying again');
  const timers = [
    setInterval(() => findEnded().catch(failed), POLL_MS),
    setInterval(() => cutDead(gateway, io).catch(failed), CHECK_MS),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** Judges the sessions of this gateway's own sockets as a call would. */
async function cutDead(gateway: Gateway, io: Io): Promise<void> {
  const ids = [...new Set([...io.sockets.sockets.values()].map(({ data }) => String(data.viewer.sessionId)))];
  if (ids.length === 0) return;
  const sessions = await gateway.models.Session.find({ _id: { $in: ids.map(oid) } }).lean<SessionDoc[]>();
  const byId = new Map(sessions.map((session) => [String(session._id), session]));
  for (const id of ids) {
    const session = byId.get(id) ?? null;
    if (!(await isAlive(gateway, session))) cut(io, [id], session?.endReason ?? 'expired');
  }
}

/**
 * Signals were missed: closes the connections that are open now, one after the other. Their clients come back by
 * themselves, and read again, as after any other break.
 */
export function reconnectAll(io: Io): void {
  [...io.sockets.sockets.values()].forEach(({ conn }, i) => {
    setTimeout(() => conn.close(), i * PAUSE_MS).unref();
  });
}
