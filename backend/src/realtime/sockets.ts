import { randomUUID } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { saysBackground } from '@lightbox/contract/automaticEvents.js';
import { type ClientEvent, type ClientPayload, clientEventRules, clientEvents } from '@lightbox/contract/events.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { socketPath } from '@lightbox/contract/socketPath.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { LiveUpdate, Signal } from '@lightbox/core/events/signals.js';
import type { ConversationDoc } from '@lightbox/core/models/conversation.js';
import { MINUTE_MS } from '@lightbox/core/times.js';
import { inSpan, traceHere, underTrace } from '@lightbox/core/tracing/traces.js';
import { Server } from 'socket.io';
import { authorize } from '../auth/authorize.js';
import { holdSession } from '../auth/holdSession.js';
import { keepSession, TOUCH_MS } from '../auth/sessions.js';
import type { Gateway, Viewer } from '../context.js';
import { asAppError, failure } from '../http/errors.js';
import { validate } from '../http/validate.js';
import { requirePartner } from '../messages/partner.js';
import { presentMessage } from '../messages/present.js';
import { markDelivered, markRead } from '../messages/readMessages.js';
import { sendMessage } from '../messages/sendMessage.js';
import { isStreamed, type Paces, take } from '../together/pace.js';
import { ViewRooms } from '../together/rooms.js';
import { endWhenSlow } from './connections.js';
import { disconnectSessions, reconnect, watchSessions } from './endings.js';
import { admit, allowHandshakes } from './handshake.js';
import { Packets } from './packets.js';
import { payloads } from './payloads.js';
import { recordRefusal } from './refusals.js';
import { type Client, foregroundRoom, type Io, roleRoom, sessionRoom, userRoom } from './rooms.js';

/** Handles the events of clients. Each is checked like a call and acknowledged with `{data}` or a failure. */
const handlers: {
  [E in ClientEvent]: (
    gateway: Gateway,
    viewer: Viewer,
    payload: ClientPayload<E>,
    socket: Client,
    views: ViewRooms,
  ) => Promise<unknown>;
} = {
  'message:send': async (gateway, viewer, payload, socket) => {
    const { message } = await sendMessage(gateway, viewer, actorOf(gateway, socket), payload);
    return presentMessage(gateway, viewer, message);
  },
  'message:delivered': (gateway, viewer, { ids }) => markDelivered(gateway, viewer, ids),
  'message:read': (gateway, viewer, { userId, upTo }) => markRead(gateway, viewer, userId, upTo),
  typing: async (gateway, viewer, { userId }) => {
    await requirePartner(gateway, viewer, userId);
    await gateway.signals
      .send([{ push: { name: 'typing', to: [userId], refs: { userId: viewer.id } } }])
      .catch(() => undefined);
  },
  'view:join': (gateway, _viewer, { imageId }, socket, views) => views.join(socket, actorOf(gateway, socket), imageId),
  'view:leave': (_gateway, _viewer, payload, socket, views) => views.leave(socket, payload?.imageId),
  'view:state': (_gateway, _viewer, payload, socket, views) => views.stream(socket, 'view:state', payload),
  'view:pointer': (_gateway, _viewer, payload, socket, views) => views.stream(socket, 'view:pointer', payload),
  visible: (gateway, _viewer, { visible }, socket) => setForeground(gateway, socket, visible),
};

const actorOf = (gateway: Gateway, { data: { viewer, ip } }: Client): Actor => ({
  id: viewer._id,
  ip,
  hold: holdSession(gateway, viewer),
});

export interface Sockets {
  deliver: (signal: Signal) => void;
  /** Call it when signals were missed: all clients reconnect and read again. */
  missed: () => void;
  close: () => Promise<void>;
}

const PRESENCE_MS = 20_000;
/** Each try waits for MongoDB by itself; together they take about five minutes, or 50 seconds if its errors come at once. */
const MAX_TRIES = 50;
const RETRY_MS = 1_000;

export function createSockets(http: HttpServer, gateway: Gateway): Sockets {
  const io: Io = new Server(http, {
    path: socketPath,
    serveClient: false,
    maxHttpBufferSize: limits.socketFrameBytes,
    perMessageDeflate: false,
    httpCompression: false,
    pingInterval: 10_000,
    pingTimeout: 8_000,
    connectTimeout: 10_000,
    allowRequest: allowHandshakes(gateway, () => io.engine.clientsCount),
  });

  gateway.metrics.countSockets(() => io.engine.clientsCount);

  const views = new ViewRooms(gateway, gateway.together);
  io.use((socket, next) => void admit(gateway, io, socket, next));
  io.on('connection', (socket) => {
    const { visible } = socket.handshake.auth as { visible?: unknown };
    forgetHandshake(socket);
    greet(gateway, io, socket, visible === true).catch((error) =>
      gateway.log.warn({ err: error }, 'greeting a socket failed'),
    );
    listen(gateway, views, socket);
    endWhenSlow(gateway, socket.conn);
    socket.on('disconnect', () => depart(gateway, io, views, socket));
  });

  const presence = setInterval(() => {
    gateway.presence.renew(localUsers(io)).catch(() => undefined);
    gateway.foreground.renew(localUsers(io, isForeground)).catch(() => undefined);
  }, PRESENCE_MS);
  const stopWatching = watchSessions(gateway, io);
  const closing = new AbortController();

  return {
    deliver: (signal) => {
      if ('cut' in signal) disconnectSessions(io, signal.cut.sessions, signal.cut.reason);
      else {
        if (signal.push.name === 'settings:changed') gateway.settings.forget();
        views.noticed(signal.push);
        const { push } = signal;
        underTrace(signal.trace, () => broadcastWithRetry(gateway, io, push, closing.signal)).catch((error) => {
          gateway.log.warn({ err: error }, 'a live update was not broadcast');
        });
      }
    },
    missed: () => {
      gateway.settings.forget();
      reconnect(io.sockets.sockets.values());
    },
    close: async () => {
      closing.abort();
      clearInterval(presence);
      stopWatching();
      await views.stop().catch(() => undefined);
      const leave = (id: string) =>
        [gateway.presence, gateway.foreground].map((users) => users.leave(id).catch(() => false));
      await Promise.all(localUsers(io).flatMap(leave));
      // Closes the connections without a DISCONNECT packet: after that packet a client with default options never
      // reconnects by itself.
      await io.close();
    },
  };
}

async function greet(gateway: Gateway, io: Io, socket: Client, visible: boolean): Promise<void> {
  const { viewer } = socket.data;
  socket.join([userRoom(viewer.id), sessionRoom(String(viewer.sessionId)), roleRoom(viewer.role)]);
  if (visible) await setForeground(gateway, socket, true);
  const isNew = await gateway.presence.arrive(viewer.id);
  if (isNew && socket.connected) await notifyPartners(gateway, viewer, true);
  // A socket that closed meanwhile was removed before its arrival was stored, or told of before its arrival was.
  if (!socket.connected) await goOffline(gateway, io, viewer);
}

function depart(gateway: Gateway, io: Io, views: ViewRooms, socket: Client): void {
  const { viewer } = socket.data;
  setForeground(gateway, socket, false).catch(() => undefined);
  views.leave(socket).catch((error) => gateway.warn(error, 'the end of a look with others was not recorded'));
  goOffline(gateway, io, viewer).catch(() => undefined);
}

/** Removes the person from the people who are connected, unless another tab is connected to this gateway. */
async function goOffline(gateway: Gateway, io: Io, viewer: Viewer): Promise<void> {
  if (io.sockets.adapter.rooms.has(userRoom(viewer.id))) return;
  if (await gateway.presence.leave(viewer.id)) await notifyPartners(gateway, viewer, false);
}

const noHandshake = Object.freeze({ headers: {}, auth: {}, query: {} });

/** A connection stays for hours: its request, with all headers and the token, is not kept for so long. */
function forgetHandshake(socket: Client): void {
  Object.assign(socket, { handshake: noHandshake });
  Object.assign(socket.conn, { request: null });
}

const isForeground = ({ rooms, data }: Client): boolean => rooms.has(foregroundRoom(data.viewer.id));

/**
 * Stores that a tab of the user is in the foreground, or no longer is: a user in the foreground needs no notification
 * on a device. The gateway counts its own tabs by a room.
 */
async function setForeground(gateway: Gateway, socket: Client, visible: boolean): Promise<void> {
  const { id } = socket.data.viewer;
  const room = foregroundRoom(id);
  if (visible && socket.connected) {
    socket.join(room);
    await gateway.foreground.renew([id]);
    return;
  }
  socket.leave(room);
  if (!socket.nsp.adapter.rooms.has(room)) await gateway.foreground.leave(id);
}

async function notifyPartners(gateway: Gateway, viewer: Viewer, online: boolean): Promise<void> {
  const conversations = await gateway.models.Conversation.find({ members: viewer._id }, { members: 1 })
    .sort({ lastAt: -1 })
    .limit(500)
    .lean<ConversationDoc[]>();
  const partners = conversations.flatMap(({ members }) => members.filter((id) => !id.equals(viewer._id)).map(String));
  if (partners.length === 0) return;
  await gateway.signals.send([
    { push: { name: 'presence', to: partners, refs: { userId: viewer.id, online: online ? 1 : 0 } } },
  ]);
}

function listen(gateway: Gateway, views: ViewRooms, socket: Client): void {
  socket.use(([name, ...args], next) => {
    const acknowledge = args.at(-1);
    const reply = typeof acknowledge === 'function' ? (acknowledge as (answer: unknown) => void) : () => undefined;
    const payload = typeof args[0] === 'function' ? undefined : args[0];
    const active = !saysBackground(args[1]);
    traced(String(name), () => handle(gateway, views, socket, { name: String(name), payload, active })).then(
      (data) => reply({ data: data ?? null }),
      async (thrown) => {
        const error = asAppError(thrown);
        if (error.status >= 500) gateway.log.error({ err: thrown }, 'a socket event failed');
        await recordRefusal(gateway, socket, String(name), payload, error);
        reply(failure(error, randomUUID()));
      },
    );
    next();
  });
}

/** An event of a client begins a trace. Streams of pointers do not. */
const traced = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  isClientEvent(name) && !isStreamed(name) ? inSpan(`socket ${name}`, { kind: 'SERVER' }, work) : work();

const isClientEvent = (name: string): name is ClientEvent => Object.hasOwn(clientEvents, name);

async function handle(
  gateway: Gateway,
  views: ViewRooms,
  socket: Client,
  { name, payload, active }: { name: string; payload: unknown; active: boolean },
): Promise<unknown> {
  if (!isStreamed(name)) countEvent(gateway, socket);
  else if (!take(pacesOf(socket), name)) return null;
  if (!isClientEvent(name)) throw new AppError('NOT_FOUND', { message: 'This event is not known.' });
  const { viewer } = socket.data;
  await authorize(gateway, viewer, clientEventRules[name]);
  await keepAlive(gateway, socket, active);
  const handler = handlers[name] as (
    gateway: Gateway,
    viewer: Viewer,
    payload: unknown,
    socket: Client,
    views: ViewRooms,
  ) => Promise<unknown>;
  return handler(gateway, viewer, validate(clientEvents[name], payload), socket, views);
}

/** Few sockets stream, and each open connection would hold an empty map. */
function pacesOf({ data }: Client): Paces {
  data.paces ??= new Map();
  return data.paces;
}

/**
 * Throws when a socket sends too many events: each costs a read of the database. Messages have their own, stricter
 * limit.
 */
function countEvent({ config, clock }: Gateway, { data: { events } }: Client): void {
  if (!config.rateLimits) return;
  const now = clock.now().getTime();
  if (now - events.since >= MINUTE_MS) Object.assign(events, { since: now, count: 0 });
  if (++events.count <= limits.throttle.socketEventsPerMinute) return;
  throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil((events.since + MINUTE_MS - now) / 1000) });
}

/**
 * Checks the session, and counts an act of the person as its activity. Events within `TOUCH_MS` of an act count as one, so
 * that the session is not read for each.
 */
async function keepAlive(gateway: Gateway, { data }: Client, active: boolean): Promise<void> {
  const now = gateway.clock.now().getTime();
  if (now - data.touchedAt < TOUCH_MS) return;
  await keepSession(gateway, data.viewer.sessionId, active);
  if (active) data.touchedAt = now;
}

/**
 * Broadcasts a live update, and retries while MongoDB is unreachable. The update is already off the stream, and would
 * not come again to clients whose connection never broke. A retry leaves out the people who have got it. After the last
 * one, the connections of the others are closed, so that their clients read again when they reconnect.
 */
async function broadcastWithRetry(gateway: Gateway, io: Io, push: LiveUpdate, closing: AbortSignal): Promise<void> {
  const served = new Set<string>();
  for (let tries = 1; ; tries++) {
    try {
      await broadcast(gateway, io, push, served);
      gateway.recentMessages.delete(String(push.refs.record));
      return;
    } catch (error) {
      if (closing.aborted || asAppError(error).status !== 503) throw error;
      if (tries === MAX_TRIES) {
        reconnect(recipients(io, push).filter(({ data }) => !served.has(data.viewer.id)));
        throw error;
      }
    }
    await sleep(RETRY_MS, undefined, { ref: false });
  }
}

/** Broadcasts a live update to those of its recipients who are connected here, and adds them to `served`. */
async function broadcast(gateway: Gateway, io: Io, push: LiveUpdate, served: Set<string>): Promise<void> {
  // A newer version may know more live updates than this one. Its gateways have the clients for them.
  if (push.name === 'session:revoked' || !Object.hasOwn(payloads, push.name)) return;
  const viewers = new Map<string, Viewer>();
  for (const { data } of recipients(io, push)) {
    if (!served.has(data.viewer.id)) viewers.set(data.viewer.id, data.viewer);
  }
  if (viewers.size === 0) return;
  const options = { kind: 'PRODUCER', parent: traceHere() } as const;
  const payloadOf = payloads[push.name];
  await inSpan(`push ${push.name}`, options, () => pushTo(gateway, io, push, payloadOf, viewers, served));
}

/** The sockets of a live update's recipients on this gateway. */
const recipients = (io: Io, { to }: LiveUpdate): Client[] =>
  to
    .flatMap((target) => [
      ...(io.sockets.adapter.rooms.get(target.startsWith('role:') ? target : userRoom(target)) ?? []),
    ])
    .flatMap((id) => io.sockets.sockets.get(id) ?? []);

async function pushTo(
  gateway: Gateway,
  io: Io,
  push: LiveUpdate,
  payloadOf: (typeof payloads)[keyof typeof payloads],
  viewers: ReadonlyMap<string, Viewer>,
  served: Set<string>,
): Promise<void> {
  const packets = new Packets(io, push.name);
  const ends = await Promise.allSettled(
    [...viewers.values()].map(async (viewer) => {
      const { record, seq } = push.refs;
      const isDone = push.name === 'message:new' && wasShown(gateway, viewer, String(record), Number(seq));
      if (!isDone && !(await isRefused(gateway, viewer))) {
        const payload = await gateway.elections.steady<object | null>(() => payloadOf(gateway, viewer, push.refs));
        if (payload) show(gateway, packets, viewer, payload);
      }
      served.add(viewer.id);
    }),
  );
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [asAppError(end.reason)] : []));
  const fault = faults.find(({ status }) => status === 503) ?? faults[0];
  if (fault) throw fault;
  gateway.log.debug({ event: push.name }, 'live update sent');
}

function show(gateway: Gateway, packets: Packets, viewer: Viewer, payload: object): void {
  if (packets.name === 'message:new') {
    const message = payload as Message;
    // The same message may have been read for two hand-overs at once.
    if (wasShown(gateway, viewer, message.id, message.seq)) return;
    gateway.shownMessages.set(shownKey(viewer, message.id), message.seq);
    measureDelivery(gateway, viewer, message);
  }
  packets.send(viewer, payload);
}

const shownKey = (viewer: Viewer, messageId: string): string => `${viewer.id} ${messageId}`;

/**
 * True for a message that this gateway has shown to the person already: after a crash it is handed over again. One that has
 * a later `seq` since then was not: a sweeper was faster than its writer, a gateway of an older version.
 */
const wasShown = (gateway: Gateway, viewer: Viewer, messageId: string, seq: number): boolean =>
  (gateway.shownMessages.get(shownKey(viewer, messageId)) ?? Number.NEGATIVE_INFINITY) >= seq;

/** The sender’s own tabs get the message too, and are not counted. */
function measureDelivery({ metrics, clock }: Gateway, viewer: Viewer, { recipientId, createAt }: Message): void {
  if (recipientId === viewer.id) metrics.tookDelivery(clock.now().getTime() - Date.parse(createAt));
}

/** True when the person may not read live updates before they have set up a second factor. */
const isRefused = (gateway: Gateway, viewer: Viewer): Promise<boolean> =>
  authorize(gateway, viewer, 'notification.use').then(
    () => false,
    (error) => {
      // A fault of the server is not a refusal.
      if (asAppError(error).status >= 500) throw error;
      return true;
    },
  );

function localUsers(io: Io, which: (socket: Client) => boolean = () => true): string[] {
  return [...new Set([...io.sockets.sockets.values()].filter(which).map((socket) => socket.data.viewer.id))];
}
