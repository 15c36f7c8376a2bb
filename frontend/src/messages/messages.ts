import type { SocketRows } from '../lib/socket';

export const messageEvents: SocketRows = {};
