import type { Gateway } from '../context.js';
import type { Client } from './rooms.js';

type Connection = Client['conn'];

/**
 * Limits for a client that does not read: waiting packets, and time since the last drain. A burst alone is no fault, unless it
 * is so large, in packets or in characters, that it would fill the memory within that time.
 */
const SLOW_CLIENT = { packets: 500, ms: 2_000, most: 2_000, characters: 3_000_000 };
/** A client that reads has answered the close of its connection by then. */
const GOODBYE_MS = 1_000;

/**
 * Ends the connection of a client that does not read, before its packets fill the memory. It gets what it missed when it
 * reconnects.
 */
export function endWhenSlow(gateway: Gateway, conn: Connection): void {
  let waiting = 0;
  let characters = 0;
  let drained = performance.now();
  const isSlow = () =>
    waiting >= SLOW_CLIENT.most ||
    characters >= SLOW_CLIENT.characters ||
    (waiting >= SLOW_CLIENT.packets && performance.now() - drained >= SLOW_CLIENT.ms);
  conn.on('drain', () => {
    waiting = 0;
    characters = 0;
    drained = performance.now();
  });
  conn.on('packetCreate', ({ data }: { data?: { length: number } }) => {
    if (waiting === 0) drained = performance.now();
    waiting++;
    characters += data?.length ?? 0;
    if (!isSlow()) return;
    gateway.log.warn('a client that does not read was disconnected');
    end(conn);
    conn.close(true);
  });
  // Also after a ping that the client did not answer.
  conn.on('close', () => endSoon(conn));
}

/** Ends a connection that is being closed, if its client has not answered in a second. */
export function endSoon(conn: Connection): void {
  setTimeout(() => end(conn), GOODBYE_MS).unref();
}

/** Ends a connection at once: a normal close waits up to half a minute for the client, and holds all its packets. */
function end({ transport }: Connection): void {
  (transport as { socket?: { terminate?: () => void } }).socket?.terminate?.();
}
