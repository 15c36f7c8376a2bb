import type { ServerPayload, ViewEvent } from '@lightbox/contract/events.js';

type Listeners = { [E in ViewEvent]?: (payload: ServerPayload<E>) => void };
const all = new Set<Listeners>();

/** Returns the handler of an event of looking together: it changes no cached data, and calls the open viewer. */
export const heard =
  <E extends ViewEvent>(name: E) =>
  (payload: ServerPayload<E>): void => {
    for (const listeners of all) listeners[name]?.(payload);
  };

export function hear(listeners: Listeners): () => void {
  all.add(listeners);
  return () => void all.delete(listeners);
}
