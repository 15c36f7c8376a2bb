import type { SocketRows } from '../lib/socket';

export const notificationEvents: SocketRows = {};
