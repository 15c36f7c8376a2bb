import type { LiveUpdate } from '@lightbox/core/events/signals.js';
import type { Viewer } from '../context.js';
import { type Io, userRoom } from './rooms.js';

/** Sends the payloads of one live update. People for whom the same object is ready in the same turn share one packet. */
export class Packets {
  private readonly waiting = new Map<object, string[]>();

  constructor(
    private readonly io: Io,
    readonly name: LiveUpdate['name'],
  ) {}

  send(viewer: Viewer, payload: object): void {
    const others = this.waiting.get(payload);
    if (others) {
      others.push(userRoom(viewer.id));
      return;
    }
    const rooms = [userRoom(viewer.id)];
    this.waiting.set(payload, rooms);
    // It runs after all promises that are settled by now.
    process.nextTick(() => {
      this.waiting.delete(payload);
      this.io.to(rooms).emit(this.name, payload as never);
    });
  }
}
