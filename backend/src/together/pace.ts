import { limits } from '@lightbox/contract/limits.js';
import { type StreamedEvent, streamedEvents } from '@lightbox/contract/together/schemas.js';

/** The times at which a socket last sent each streamed event, in milliseconds. */
export type Paces = Map<StreamedEvent, number[]>;

const SECOND_MS = 1_000;

export const isStreamed = (name: string): name is StreamedEvent => (streamedEvents as readonly string[]).includes(name);

/** False when the socket has sent as many of these events in the last second as it may. */
export function take(paces: Paces, name: StreamedEvent, now = performance.now()): boolean {
  const times = (paces.get(name) ?? []).filter((time) => now - time < SECOND_MS);
  const may = times.length < limits.viewEventsPerSecond;
  paces.set(name, may ? [...times, now] : times);
  return may;
}
