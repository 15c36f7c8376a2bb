import { inBackground, isAutomatic } from '@lightbox/contract/automaticEvents.js';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import type { ClientEvent, clientEvents, ServerEvent, ServerPayload } from '@lightbox/contract/events.js';
import { reconnecting, waitAfter } from '@lightbox/contract/reconnecting.js';
import { socketPath } from '@lightbox/contract/socketPath.js';
import type { StreamedEvent } from '@lightbox/contract/together/schemas.js';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { io as Connect, Socket } from 'socket.io-client';
import type { z } from 'zod';
import { active } from './activity';
import { socketAtom } from './connection';
import { ApiError, freshToken } from './http';
import { queryClient, worthRetrying } from './query';
import { rereadUntilAnswered } from './rereading';
import { store } from './store';

/**
 * The handlers of a feature for server events: each changes the cache. `app/socketEvents` joins the features' tables.
 * `feeds` are the keys of the data that these events keep current: data that was read before the first connect may have
 * missed events, and is read again.
 */
export type SocketRows = {
  [E in ServerEvent]?: (payload: ServerPayload<E>, cache: QueryClient) => void;
} & { feeds: readonly QueryKey[] };

let socket: Socket | undefined;

const visible = () => document.visibilityState === 'visible';

interface SessionHooks {
  token(): string;
  /** Called when the server ended this session, with its reason if it gave one. */
  ended(reason?: string): void;
}

/** A refusal by the server has a code; a connection that could not be made has none. */
type Refusal = Error & { data?: { error?: ErrorCode } };

/** Opens the one connection of a signed-in tab, once its code is loaded: screens are there before it. Returns how to close it. */
export function connectSocket(hooks: SessionHooks, tables: readonly SocketRows[]): () => void {
  let close = () => {};
  let wanted = true;
  store.set(socketAtom, 'connecting');
  const open = (tries: number): void => {
    if (!wanted) return;
    import('socket.io-client').then(
      ({ io }) => {
        if (wanted) close = connect(io, hooks, tables);
      },
      // There is no connection to load it over.
      () => setTimeout(() => open(tries + 1), waitAfter(tries)),
    );
  };
  open(1);
  return () => {
    wanted = false;
    close();
    store.set(socketAtom, 'off');
  };
}

function connect(io: typeof Connect, hooks: SessionHooks, tables: readonly SocketRows[]): () => void {
  const connection = io({
    path: socketPath,
    transports: ['websocket', 'polling'],
    // Called for each attempt, so that a reconnect sends the current token.
    auth: (give) => give({ token: hooks.token(), visible: visible() }),
    ...reconnecting,
  });
  socket = connection;

  let closed = false;
  let connectedBefore = false;
  let refusals = 0;
  let endRereading = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  /**
   * Reconnects after a refusal or a disconnect by the server: socket.io does not do it then. The delay is random, so
   * that the clients do not all reconnect at once after a restart.
   */
  const reconnectLater = () => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => connection.connect(), waitAfter(refusals));
  };

  connection.on('connect', () => {
    store.set(socketAtom, 'on');
    refusals = 0;
    const missed = connectedBefore ? [[]] : tables.flatMap(({ feeds }) => feeds);
    endRereading();
    endRereading = rereadUntilAnswered(queryClient, missed);
    connectedBefore = true;
  });

  connection.on('disconnect', (reason) => {
    store.set(socketAtom, 'connecting');
    // The next connection begins anew.
    endRereading();
    if (reason === 'io server disconnect') reconnectLater();
  });

  connection.on('connect_error', async (error: Refusal) => {
    store.set(socketAtom, 'connecting');
    if (connection.active) return;
    refusals += 1;
    if (error.data?.error !== 'UNAUTHENTICATED') return reconnectLater();
    const token = await freshToken(hooks.token()).catch(() => undefined);
    if (closed) return;
    if (token === '') hooks.ended();
    else reconnectLater();
  });

  // The server sends no web push while a tab of the person is visible.
  const reportVisible = () => void emit('visible', { visible: visible() }).catch(() => undefined);
  document.addEventListener('visibilitychange', reportVisible);

  connection.on('session:revoked', ({ reason }: ServerPayload<'session:revoked'>) => hooks.ended(reason));
  connection.onAny((event: ServerEvent, payload) => {
    for (const rows of tables) rows[event]?.(payload as never, queryClient);
  });

  return () => {
    closed = true;
    clearTimeout(timer);
    endRereading();
    document.removeEventListener('visibilitychange', reportVisible);
    connection.close();
    if (socket === connection) socket = undefined;
  };
}

/** Sends an event that follows the hand of a person. It waits for no answer, and is lost without a connection. */
export function stream<E extends StreamedEvent>(event: E, payload: z.input<(typeof clientEvents)[E]>): void {
  if (!socket?.connected) return;
  socket.volatile.emit(event, payload);
  active();
}

/** Sends an event and waits for the acknowledgement. Returns its data; throws a refusal as an ApiError. */
export async function emit<E extends ClientEvent, Data = unknown>(
  event: E,
  payload: z.input<(typeof clientEvents)[E]>,
): Promise<Data> {
  if (!socket?.connected) throw new ApiError(0, 'UNREACHABLE', 'Not connected.');
  const at = Date.now();
  const isAct = !isAutomatic(event);
  const answer = (await socket.timeout(10_000).emitWithAck(event, payload, ...(isAct ? [] : [inBackground]))) as {
    data?: Data;
    message?: string;
    error?: string;
  };
  if (isAct) active(at);
  if (answer.error) throw new ApiError(400, answer.error, answer.message ?? '');
  return answer.data as Data;
}

/** Codes of refusals after which the same event may succeed. */
const passing = ['UNREACHABLE', 'TOO_MANY_REQUESTS', 'UNAVAILABLE', 'UNCONFIRMED', 'INTERNAL', 'REQUEST_TIMEOUT'];

/**
 * True for a failure of a message that says nothing about the wish: no connection, no answer in time, a busy server, or the
 * error page of a proxy, which has no code.
 */
export const mayTryAgain = (error: unknown): boolean =>
  !(error instanceof ApiError) || passing.includes(error.code) || (error.code === 'UNKNOWN' && worthRetrying(error));
