import type { Layer, Mark, SaveLayer } from '@lightbox/contract/annotations/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { hundredth } from '../hundredth';

/** Milliseconds without a change after which marks are saved. */
const REST_MS = 600;
/** Milliseconds before the first further try, and at most. The time doubles. */
const RETRY_MS = 2_000;
const RETRY_MAX_MS = 30_000;
/** States of the marks that a person can go back to. */
const UNDOS = 50;

/** `waiting`: it could not be saved and is tried again. `refused`: the server does not take it. */
export type KeepState = 'saved' | 'saving' | 'waiting' | 'refused';

export interface Host {
  save: (layer: SaveLayer) => Promise<Layer>;
  /** Reads the own layer as it is stored now. */
  load: () => Promise<Layer | undefined>;
  /** Draws these marks in the place of those that are drawn. */
  show: (marks: readonly Mark[]) => void;
  changed: () => void;
  /** How a failed save goes on: the layer is newer on the server, the server never takes it, or it can be tried again. */
  judge: (error: unknown) => 'stale' | 'refused' | 'again';
}

const byId = (a: Mark, b: Mark) => (a.id < b.id ? -1 : 1);
/** The marks as text, so that the same ones are equal however they were computed, and in any order. */
const written = (marks: readonly Mark[]) =>
  JSON.stringify(
    [...marks]
      .sort(byId)
      .map(({ id, kind, frame, points, text }) => [
        id,
        kind,
        frame,
        points.map(([x, y]) => [hundredth(x), hundredth(y)]),
        text ?? '',
      ]),
  );
const same = (a: readonly Mark[], b: readonly Mark[]) => written(a) === written(b);

/** Applies the difference between `base` and `mine` to `theirs`: no mark of either side is lost. */
function rebased(base: readonly Mark[], mine: readonly Mark[], theirs: readonly Mark[]): Mark[] {
  const find = (marks: readonly Mark[], id: string) => marks.find((mark) => mark.id === id);
  const kept = theirs.flatMap((mark) => {
    const before = find(base, mark.id);
    const own = find(mine, mark.id);
    if (before && !own) return [];
    return own && !(before && same([before], [own])) ? [own] : [mark];
  });
  const added = mine.filter(({ id }) => !find(base, id) && !find(theirs, id));
  return [...kept, ...added].slice(0, limits.marks);
}

/** The changes of all images in their order, so that undo takes back the last one of a study. */
let changes = 0;

/** A state that a person can go back to, and the number of the change that ended it. */
interface Earlier {
  marks: readonly Mark[];
  change: number;
}

/** Keeps the own layer of one image: saves changes by itself, and takes over those of other windows. */
export class Keeper {
  state: KeepState = 'saved';
  shared = false;
  #base: Pick<Layer, 'version' | 'marks' | 'shared'> = { version: 0, marks: [], shared: false };
  #mine: readonly Mark[] = [];
  #loaded = false;
  #ended = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #wait = RETRY_MS;
  #undos: Earlier[] = [];

  constructor(readonly host: Host) {}

  get marks(): readonly Mark[] {
    return this.#mine;
  }
  /** The number of the last change that can be taken back; 0 when there is none. The higher one was later. */
  get lastChange(): number {
    return this.#undos.at(-1)?.change ?? 0;
  }
  get isDirty(): boolean {
    return !same(this.#mine, this.#base.marks) || this.shared !== this.#base.shared;
  }

  /** The layer as the server has it; undefined when there is none. */
  read(layer: Layer | undefined): void {
    if (this.#ended) return;
    const first = !this.#loaded;
    this.#loaded = true;
    const now = layer ?? { version: 0, marks: [], shared: this.shared };
    // An answer that was on its way while a newer version was saved is older than the base.
    const known = layer !== undefined && layer.version < this.#base.version;
    if (this.#running || known || (!first && now.version === this.#base.version)) return;
    const wasDirty = this.isDirty;
    const marks = wasDirty ? rebased(this.#base.marks, this.#mine, now.marks) : now.marks;
    this.#rebaseUndos(now.marks, marks);
    if (this.shared === this.#base.shared) this.shared = now.shared;
    this.#base = now;
    this.#show(marks);
    if (this.isDirty) this.#later(REST_MS);
    this.host.changed();
  }

  /** The marks as they are drawn now. */
  drawn(marks: readonly Mark[]): void {
    if (same(marks, this.#mine)) return;
    changes += 1;
    this.#undos.push({ marks: this.#mine, change: changes });
    if (this.#undos.length > UNDOS) this.#undos.shift();
    this.#mine = marks;
    this.#changed();
  }

  share(shared: boolean): void {
    if (shared === this.shared) return;
    this.shared = shared;
    this.#changed();
  }

  undo(): void {
    const before = this.#undos.pop();
    if (!before) return;
    this.#show(before.marks);
    this.#changed();
  }

  /** Saves at once, as when the connection is back or the screen closes. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#running || this.#ended || !this.#loaded) return;
    if (!this.isDirty) return this.#is('saved');
    this.#running = true;
    this.#is('saving');
    const sent = { marks: [...this.#mine], shared: this.shared };
    try {
      this.#base = await this.host.save({ version: this.#base.version, ...sent });
      this.#wait = RETRY_MS;
      this.#running = false;
    } catch (error) {
      this.#running = false;
      return this.#failed(this.host.judge(error));
    }
    if (this.isDirty) this.#later(REST_MS);
    else this.#is('saved');
  }

  /** Forgets everything: nothing is saved any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ended = true;
  }

  /** Other windows made `theirs` of the layer: undo takes back the own changes alone. */
  #rebaseUndos(theirs: readonly Mark[], mine: readonly Mark[]) {
    const states = this.#undos.map(({ marks, change }) => ({
      marks: rebased(this.#base.marks, marks, theirs),
      change,
    }));
    // A step that another window has taken already would change nothing.
    this.#undos = states.filter(({ marks }, i) => !same(marks, states[i + 1]?.marks ?? mine));
  }

  async #failed(how: ReturnType<Host['judge']>): Promise<void> {
    if (this.#ended) return;
    if (how === 'refused') return this.#is('refused');
    this.#is('waiting');
    if (how === 'stale') {
      const layer = await this.host.load().catch(() => null);
      if (layer !== null) {
        this.read(layer);
        return this.flush();
      }
    }
    this.#later(this.#wait);
    this.#wait = Math.min(this.#wait * 2, RETRY_MAX_MS);
  }

  #show(marks: readonly Mark[]) {
    const changed = !same(marks, this.#mine);
    this.#mine = marks;
    if (changed) this.host.show(marks);
  }

  #changed() {
    if (this.state !== 'waiting') this.state = this.isDirty ? 'saving' : 'saved';
    this.#later(REST_MS);
    this.host.changed();
  }

  #later(ms: number) {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.flush(), ms);
  }

  #is(state: KeepState) {
    this.state = state;
    this.host.changed();
  }
}
