import type { ClientEvent } from './events.js';

/** Events that a client sends without an act of the person, as after each reconnect. */
const automatic: readonly ClientEvent[] = ['message:delivered', 'message:read', 'view:join', 'view:leave', 'visible'];

/** True for an event that does not count as activity of the session. */
export const isAutomatic = (event: ClientEvent): boolean => automatic.includes(event);
