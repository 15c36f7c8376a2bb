import type { ClientEvent } from './events.js';

/** Events that the browser sends without an act of its person, as after each reconnect. */
const automatic: readonly ClientEvent[] = ['message:delivered', 'message:read', 'view:join', 'view:leave', 'visible'];

export const isAutomatic = (event: ClientEvent): boolean => automatic.includes(event);

/**
 * Behind the payload of an event: it does not count as activity of the session, as a call with `X-Background: 1`. Without it
 * every event counts.
 */
export const inBackground = { background: true };

/** True when the value behind the payload says so. */
export const saysBackground = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'background' in value && value.background === true;
