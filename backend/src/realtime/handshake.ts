import type { IncomingMessage } from 'node:http';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { grouped } from '@lightbox/core/db/group.js';
import { AppError } from '@lightbox/core/errors.js';
import { mongodbAnswers } from '@lightbox/core/process/ops.js';
import { viewerOf } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { asAppError, refuseHandshake, unavailable } from '../http/errors.js';
import { type Client, type Io, userRoom } from './rooms.js';

type Allow = (error: string | null, allowed: boolean) => void;

/**
 * Socket.IO's `allowRequest`, asked once for each connection of any transport. What passes by itself is refused here, as
 * HTTP: after that a client with its defaults tries again, while a `connect_error` of the protocol keeps it away for ever.
 */
export function allowHandshakes(gateway: Gateway, openConnections: () => number) {
  const mongodbIsThere = grouped<null, boolean>(async (askers) => {
    const there = await mongodbAnswers(gateway);
    return askers.map(() => there);
  });
  const canServe = async (): Promise<boolean> => {
    if (!gateway.startUp.done) return false;
    if (gateway.config.rateLimits && openConnections() >= limits.socketsPerGateway) return false;
    return mongodbIsThere(null);
  };
  return async (req: IncomingMessage, allow: Allow): Promise<void> => {
    const { socket } = req;
    // Node takes its own listener off a connection that is upgraded; one that breaks now must not end the process.
    const ignore = () => undefined;
    socket.on('error', ignore);
    const serve = await canServe();
    socket.off('error', ignore);
    if (socket.destroyed) return;
    if (serve) allow(null, true);
    else refuseHandshake(req, unavailable());
  };
}

/** Socket.IO's middleware: a refusal for good is a `connect_error`; for the rest the connection is closed. */
export async function admit(gateway: Gateway, io: Io, socket: Client, next: (refusal?: Error) => void): Promise<void> {
  try {
    await authenticate(gateway, socket);
    const open = io.sockets.adapter.rooms.get(userRoom(socket.data.viewer.id))?.size ?? 0;
    // The newest is refused, so that nobody with a stolen token closes what is open.
    if (gateway.config.rateLimits && open >= limits.socketsPerUser) throw new AppError('TOO_MANY_REQUESTS');
    next();
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.status === 401) return next(refusal('UNAUTHENTICATED', errors.UNAUTHENTICATED[1]));
    if (error.status === 429) return next(refusal('TOO_MANY_REQUESTS', texts.tooManyConnections));
    // MongoDB went away since the handshake was allowed.
    gateway.warn(thrown, 'a socket could not be admitted; its client tries again');
    socket.conn.close();
    // Socket.IO forgets the socket of a connection that is closed.
    next();
  }
}

/** `connect_error` says no more than that somebody is not signed in, whatever the fault of their token is. */
const refusal = (error: ErrorCode, words: string): Error => Object.assign(new Error(words), { data: { error } });

async function authenticate(gateway: Gateway, socket: Client): Promise<void> {
  // A WebSocket is not held to the same-origin policy: who opens one must be asked. Asked here, so that a browser is
  // told why; nothing has been said to it, and it is closed after `connectTimeout`.
  const { origin } = socket.handshake.headers;
  if (origin !== undefined && !gateway.config.allowedOrigins.includes(origin)) throw new AppError('UNAUTHENTICATED');
  const token = (socket.handshake.auth as { token?: unknown }).token;
  if (typeof token !== 'string') throw new AppError('UNAUTHENTICATED');
  socket.data.viewer = await viewerOf(gateway, gateway.tokens.verify(token, 'access'), true);
  const now = gateway.clock.now().getTime();
  socket.data.touchedAt = now;
  socket.data.events = { since: now, count: 0 };
}
