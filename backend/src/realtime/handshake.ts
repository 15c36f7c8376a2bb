import type { IncomingMessage } from 'node:http';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import { grouped } from '@lightbox/core/db/group.js';
import { AppError } from '@lightbox/core/errors.js';
import { mongodbAnswers } from '@lightbox/core/process/ops.js';
import proxyAddr from 'proxy-addr';
import { viewerOf } from '../auth/sessions.js';
import type { Gateway } from '../context.js';
import { asAppError, refuseHandshake, unavailable } from '../http/errors.js';
import { type Client, type Io, userRoom } from './rooms.js';

type Allow = (error: string | null, allowed: boolean) => void;

/**
 * Returns Socket.IO's `allowRequest`, which runs once for each connection of any transport. Refuses temporary faults
 * here, over HTTP: a client with default options then retries, while it never would after a `connect_error`.
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
    // Node removes its own error listener from a connection that is upgraded. A connection that breaks now must not end
    // the process.
    const ignore = () => undefined;
    socket.on('error', ignore);
    const serve = await canServe();
    socket.off('error', ignore);
    if (socket.destroyed) return;
    if (serve) allow(null, true);
    else refuseHandshake(req, unavailable());
  };
}

/** Socket.IO's middleware. A permanent refusal is a `connect_error`; for any other fault the connection is closed. */
export async function admit(gateway: Gateway, io: Io, socket: Client, next: (refusal?: Error) => void): Promise<void> {
  try {
    await authenticate(gateway, socket);
    const open = io.sockets.adapter.rooms.get(userRoom(socket.data.viewer.id))?.size ?? 0;
    // Refuse the newest connection, so that an attacker with a stolen token cannot close the open ones.
    if (gateway.config.rateLimits && open >= limits.socketsPerUser) throw new AppError('TOO_MANY_REQUESTS');
    next();
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.status === 401) return next(refusal('UNAUTHENTICATED', errors.UNAUTHENTICATED[1]));
    if (error.status === 429) return next(refusal('TOO_MANY_REQUESTS', texts.tooManyConnections));
    // MongoDB became unreachable after the handshake was allowed.
    gateway.warn(thrown, 'a socket could not be admitted; its client tries again');
    socket.conn.close();
    // Socket.IO drops the socket of a closed connection.
    next();
  }
}

/** Builds a `connect_error`. It only says that the client is not signed in, whatever the fault of the token is. */
const refusal = (error: ErrorCode, words: string): Error => Object.assign(new Error(words), { data: { error } });

async function authenticate(gateway: Gateway, socket: Client): Promise<void> {
  // WebSockets bypass the same-origin policy, so check `Origin`. The check is here and not in `allowRequest`, so that a
  // browser gets a `connect_error`. Nothing was sent to a refused socket, and `connectTimeout` closes it.
  const { origin } = socket.handshake.headers;
  if (origin !== undefined && !gateway.config.allowedOrigins.includes(origin)) throw new AppError('UNAUTHENTICATED');
  const token = (socket.handshake.auth as { token?: unknown }).token;
  if (typeof token !== 'string') throw new AppError('UNAUTHENTICATED');
  socket.data.viewer = await viewerOf(gateway, gateway.tokens.verify(token, 'access'), false);
  socket.data.ip = addressOf(gateway, socket.request);
  // To connect is no activity: programs come back by themselves. The first act of the person is.
  socket.data.touchedAt = 0;
  socket.data.events = { since: gateway.clock.now().getTime(), count: 0 };
}

/** Returns the address of a client, as Express does for requests. */
function addressOf({ config: { trustProxy } }: Gateway, request: IncomingMessage): string {
  const trusted =
    typeof trustProxy === 'number'
      ? (_address: string, hop: number) => hop < trustProxy
      : proxyAddr.compile(trustProxy || []);
  return proxyAddr(request, trusted);
}
