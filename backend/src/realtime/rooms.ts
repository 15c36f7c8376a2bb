import type { ServerToClient } from '@lightbox/contract/events.js';
import type { Server, Socket } from 'socket.io';
import type { Viewer } from '../context.js';
import type { Paces } from '../together/pace.js';

interface SocketData {
  viewer: Viewer;
  /** The address of the client, by the same trusted proxies as that of a request. */
  ip: string;
  /** Time when this socket last wrote the session's activity; 0 before its first event. */
  touchedAt: number;
  events: EventCount;
  /** Absent until it streams. */
  paces?: Paces;
}

/** The number of events that one socket has sent since `since`. */
interface EventCount {
  since: number;
  count: number;
}

export type Client = Socket<Record<string, never>, ServerToClient, Record<string, never>, SocketData>;
export type Io = Server<Record<string, never>, ServerToClient, Record<string, never>, SocketData>;

export const userRoom = (id: string) => `user:${id}`;
export const sessionRoom = (id: string) => `session:${id}`;
export const foregroundRoom = (id: string) => `foreground:${id}`;
export const roleRoom = (role: string) => `role:${role}`;
