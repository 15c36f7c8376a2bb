import type { SocketRows } from '../lib/socket';

export const imageEvents: SocketRows = {};
