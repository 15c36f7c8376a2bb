import type { SocketRows } from '../lib/socket';

export const analysisEvents: SocketRows = {};
