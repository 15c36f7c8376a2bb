import type { ErrorCode } from '@lightbox/contract/errors.js';
import type { ClientEvent, clientEvents, ServerEvent, ServerPayload } from '@lightbox/contract/events.js';
import { reconnecting, waitAfter } from '@lightbox/contract/reconnecting.js';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { io, type Socket } from 'socket.io-client';
import type { z } from 'zod';
import { active } from './activity';
import { socketAtom } from './connection';
import { ApiError, freshToken } from './http';
import { reread } from './live';
import { queryClient } from './query';
import { store } from './store';

/**
 * Each event the server may push, and what the cache does with it. A feature exports its rows; `app/socketEvents` joins them.
 * `feeds` are the keys of what its events keep true: read before the connection was there, it may have missed some.
 */
export type SocketRows = {
  [E in ServerEvent]?: (payload: ServerPayload<E>, cache: QueryClient) => void;
} & { feeds: readonly QueryKey[] };

let socket: Socket | undefined;

const visible = () => document.visibilityState === 'visible';

interface Door {
  token(): string;
  /** The server says that this session is over, and why if it tells. */
  ended(reason?: string): void;
}

/** A refusal of the server carries its code; a connection that could not be made has none. */
type Refusal = Error & { data?: { error?: ErrorCode } };

/** One connection for a signed-in tab. Returns how to close it. */
export function connectSocket(door: Door, tables: readonly SocketRows[]): () => void {
  const connection = io({
    path: '/socket.io',
    transports: ['websocket', 'polling'],
    // Asked on every attempt, so that a reconnect carries the token of then.
    auth: (give) => give({ token: door.token(), visible: visible() }),
    ...reconnecting,
  });
  socket = connection;
  store.set(socketAtom, 'connecting');

  let closed = false;
  let connectedBefore = false;
  let refusals = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** After a refusal or a kick, socket.io leaves the reconnecting to us; spread out, or a restart brings everyone at once. */
  const again = () => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => connection.connect(), waitAfter(refusals));
  };

  connection.on('connect', () => {
    store.set(socketAtom, 'on');
    refusals = 0;
    const missed = connectedBefore ? [[]] : tables.flatMap(({ feeds }) => feeds);
    for (const queryKey of missed) void reread(queryClient, queryKey);
    connectedBefore = true;
  });

  connection.on('disconnect', (reason) => {
    store.set(socketAtom, 'connecting');
    if (reason === 'io server disconnect') again();
  });

  connection.on('connect_error', async (error: Refusal) => {
    store.set(socketAtom, 'connecting');
    if (connection.active) return;
    refusals += 1;
    if (error.data?.error !== 'UNAUTHENTICATED') return again();
    const token = await freshToken(door.token()).catch(() => undefined);
    if (closed) return;
    if (token === '') door.ended();
    else again();
  });

  // What this tab shows needs no notification on a device.
  const tellVisible = () => void emit('visible', { visible: visible() }).catch(() => undefined);
  document.addEventListener('visibilitychange', tellVisible);

  connection.on('session:revoked', ({ reason }: ServerPayload<'session:revoked'>) => door.ended(reason));
  connection.onAny((event: ServerEvent, payload) => {
    for (const rows of tables) rows[event]?.(payload as never, queryClient);
  });

  return () => {
    closed = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', tellVisible);
    connection.close();
    if (socket === connection) socket = undefined;
    store.set(socketAtom, 'off');
  };
}

/** Sends and waits for the server's acknowledgement: its data, or its refusal as an ApiError. */
export async function emit<E extends ClientEvent, Data = unknown>(
  event: E,
  payload: z.input<(typeof clientEvents)[E]>,
): Promise<Data> {
  if (!socket?.connected) throw new ApiError(0, 'UNREACHABLE', 'Not connected.');
  const at = Date.now();
  const answer = (await socket.timeout(10_000).emitWithAck(event, payload)) as {
    data?: Data;
    message?: string;
    error?: string;
  };
  active(at);
  if (answer.error) throw new ApiError(400, answer.error, answer.message ?? '');
  return answer.data as Data;
}
