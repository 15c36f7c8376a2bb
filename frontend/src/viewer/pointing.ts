import type { ServerPayload } from '@lightbox/contract/events.js';

/** Milliseconds after which a pointer that rests, and a line that was drawn, are gone. */
export const FADE_MS = 4_000;

export interface Pointer {
  userId: string;
  frame: number;
  x: number;
  y: number;
  draw: boolean;
  at: number;
}

/** A piece of a line, from one place of a pointer to its next. */
export interface Stroke {
  key: number;
  userId: string;
  frame: number;
  from: readonly [number, number];
  to: readonly [number, number];
  at: number;
}

interface Shown {
  pointers: readonly Pointer[];
  strokes: readonly Stroke[];
}
const empty: Shown = { pointers: [], strokes: [] };

/** The pointers of the people who look, and the lines that they draw. Both fade. */
export class Pointing {
  #shown = empty;
  #changed = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #made = 0;

  readonly subscribe = (changed: () => void) => {
    this.#changed.add(changed);
    return () => void this.#changed.delete(changed);
  };
  readonly snapshot = (): Shown => this.#shown;

  moved({ userId, frame, x, y, draw = false }: Omit<ServerPayload<'view:pointer'>, 'imageId'>, at = Date.now()): void {
    const before = this.#shown.pointers.find((one) => one.userId === userId);
    const pointer = { userId, frame, x, y, draw, at };
    const line = draw && before?.draw && before.frame === frame;
    this.#show({
      pointers: [...this.#shown.pointers.filter((one) => one.userId !== userId), pointer],
      strokes: line
        ? [...this.#shown.strokes, { key: ++this.#made, userId, frame, from: [before.x, before.y], to: [x, y], at }]
        : this.#shown.strokes,
    });
    this.#timer ??= setTimeout(this.#fade, FADE_MS);
  }

  /** Ends the line of a person: the next place begins another one. */
  lift(userId: string): void {
    if (!this.#shown.pointers.some((one) => one.userId === userId)) return;
    this.#show({ ...this.#shown, pointers: this.#shown.pointers.filter((one) => one.userId !== userId) });
  }

  remove(userId: string): void {
    const others = <T extends { userId: string }>(all: readonly T[]) => all.filter((one) => one.userId !== userId);
    this.#show({ pointers: others(this.#shown.pointers), strokes: others(this.#shown.strokes) });
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#show(empty);
  }

  readonly #fade = () => {
    const since = Date.now() - FADE_MS;
    const { pointers, strokes } = this.#shown;
    const recent = <T extends { at: number }>(all: readonly T[]) => all.filter(({ at }) => at > since);
    this.#show({ pointers: recent(pointers), strokes: recent(strokes) });
    const left = this.#shown.pointers.length + this.#shown.strokes.length > 0;
    this.#timer = left ? setTimeout(this.#fade, FADE_MS / 8) : undefined;
  };

  #show(next: Shown) {
    if (next.pointers.length === 0 && this.#shown.pointers.length === 0 && next.strokes === this.#shown.strokes) return;
    this.#shown = next;
    for (const changed of this.#changed) changed();
  }
}
