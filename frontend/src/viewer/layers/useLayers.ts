import type { Layer, Layers, Mark } from '@lightbox/contract/annotations/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { askBeforeLeaving } from '../../lib/leaving';
import { holdPrivate } from '../../lib/private';
import type { Engine } from '../useEngine';
import { Keeper, type KeepState } from './keeper';
import { callsFor, layersOf, type Source } from './layers';

/** The keepers of the images, by the id of the image. One with unsaved marks outlives its screen. */
const keepers = new Map<string, Keeper>();
/** The images that a viewer shows now. */
const opened = new Set<string>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
function forget(id: string, keeper: Keeper) {
  keeper.end();
  if (keepers.get(id) === keeper) keepers.delete(id);
}
holdPrivate(() => {
  for (const [id, keeper] of keepers) forget(id, keeper);
});
const saveAll = () => {
  for (const keeper of keepers.values()) void keeper.flush();
};
window.addEventListener('online', saveAll);
// A phone does not ask before it ends a page. It hides the page first.
window.addEventListener('pagehide', saveAll);
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && saveAll());
askBeforeLeaving(() => [...keepers.values()].some(({ state }) => state === 'saving' || state === 'waiting'));

/** The layers of one author among the opened images. */
export interface AuthorLayers {
  key: string;
  /** Absent for the person's own, and where the viewer is a guest. */
  author: UserRef | undefined;
  mine: boolean;
  layers: readonly Layer[];
}

const OWN = 'own';

const ownOf = (data: Layers | undefined, me: string | undefined, imageId: string) =>
  data?.layers.find((layer) => layer.imageId === imageId && layer.author?.id === me);
const nothing: readonly AuthorLayers[] = [];

interface Wishes {
  engine: Engine | undefined;
  source: Source | undefined;
  /** The images whose frames the viewer can show. */
  images: ReadonlySet<string>;
  /** The signed-in person; absent for a guest. */
  me: string | undefined;
  ended: boolean;
}

const worst = (states: readonly KeepState[]): KeepState =>
  (['refused', 'waiting', 'saving'] as const).find((state) => states.includes(state)) ?? 'saved';

/** Reads, draws and keeps the marks of the opened images. */
export function useLayers({ engine, source, images, me, ended }: Wishes) {
  const { data } = useQuery({
    ...layersOf(source ?? { imageId: '' }),
    enabled: source !== undefined && engine !== undefined && !ended,
  });
  const [, setTold] = useState(0);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<string>();
  const now = useRef({ hidden, ended, data, wantsShared: false });
  now.current = { ...now.current, hidden, ended, data };

  const keeperOf = useCallback(
    (imageId: string): Keeper | undefined => {
      if (!engine || !me) return undefined;
      const known = keepers.get(imageId);
      if (known) return known;
      const made = new Keeper({
        ...callsFor(imageId, me),
        show: (marks: readonly Mark[]) => engine.showMarks(imageId, undefined, marks, !now.current.hidden.has(OWN)),
        changed: tell,
      });
      made.shared = now.current.wantsShared;
      keepers.set(imageId, made);
      return made;
    },
    [engine, me],
  );

  useEffect(() => {
    const listener = () => setTold((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);

  // With the screen its marks leave the library; those that are not saved stay with their keeper.
  const others = useRef(new Map<string, string>());
  useEffect(() => {
    if (!engine) return;
    for (const id of images) {
      opened.add(id);
      const kept = keepers.get(id);
      if (kept) engine.showMarks(id, undefined, kept.marks, true);
    }
    return () => {
      for (const id of images) {
        opened.delete(id);
        const keeper = keepers.get(id);
        if (keeper && now.current.ended) forget(id, keeper);
        else if (keeper) void keeper.flush().then(() => !opened.has(id) && !keeper.isDirty && forget(id, keeper));
      }
      for (const { imageId, layer } of engine.drawnMarks()) {
        if (images.has(imageId) && !layer) engine.showMarks(imageId, undefined, [], true);
      }
      for (const [id, imageId] of others.current) engine.showMarks(imageId, id, [], true);
      others.current = new Map();
    };
  }, [engine, images]);

  /** Tells the keepers what is drawn. */
  const collect = useCallback(() => {
    if (!engine) return;
    const own = new Map<string, Mark[]>([...keepers.keys()].filter((id) => images.has(id)).map((id) => [id, []]));
    for (const { imageId, layer, mark } of engine.drawnMarks()) {
      if (!layer && images.has(imageId)) own.set(imageId, [...(own.get(imageId) ?? []), mark]);
    }
    for (const [id, marks] of own) {
      const isNew = !keepers.has(id);
      const keeper = keeperOf(id);
      keeper?.drawn(marks);
      if (isNew) keeper?.read(ownOf(now.current.data, me, id));
    }
  }, [engine, images, keeperOf, me]);

  const mayAnnotate = data?.mayAnnotate === true && me !== undefined;
  useEffect(() => {
    if (!engine || !data || ended) return;
    if (mayAnnotate) {
      collect();
      const own = new Map(data.layers.filter(({ author }) => author?.id === me).map((layer) => [layer.imageId, layer]));
      now.current.wantsShared ||= [...own.values()].some(({ shared }) => shared);
      for (const id of new Set([...own.keys(), ...[...keepers.keys()].filter((one) => images.has(one))])) {
        if (images.has(id)) keeperOf(id)?.read(own.get(id));
      }
    }
    const shown = data.layers.filter(({ author, imageId }) => !(me && author?.id === me) && images.has(imageId));
    for (const [id, imageId] of others.current) {
      if (!shown.some((layer) => layer.id === id)) engine.showMarks(imageId, id, [], true);
    }
    others.current = new Map(shown.map(({ id, imageId }) => [id, imageId]));
    for (const { id, imageId, author, marks } of shown) {
      engine.showMarks(imageId, id, marks, !hidden.has(author?.id ?? id));
    }
  }, [engine, data, ended, mayAnnotate, collect, images, keeperOf, me, hidden]);

  useEffect(() => {
    if (!engine || !mayAnnotate || ended) return;
    let due = 0;
    const later = () => {
      due ||= requestAnimationFrame(() => {
        due = 0;
        collect();
      });
    };
    const stops = [engine.watchMeasures(later), engine.watchArrows(setEditing)];
    return () => {
      cancelAnimationFrame(due);
      for (const stop of stops) stop();
    };
  }, [engine, mayAnnotate, ended, collect]);

  const own = [...keepers].filter(([id]) => images.has(id)).map(([, keeper]) => keeper);
  const state = worst(own.map((keeper) => keeper.state));

  const authors = useMemo(() => {
    if (!data) return nothing;
    const groups = new Map<string, AuthorLayers>();
    for (const layer of data.layers) {
      if (!images.has(layer.imageId)) continue;
      const mine = me !== undefined && layer.author?.id === me;
      const key = mine ? OWN : (layer.author?.id ?? layer.id);
      const group = groups.get(key) ?? { key, author: mine ? undefined : layer.author, mine, layers: [] };
      groups.set(key, { ...group, layers: [...group.layers, layer] });
    }
    return [...groups.values()];
  }, [data, images, me]);

  return {
    /** True once it is known that marks are not kept here. */
    notKept: data !== undefined && !mayAnnotate,
    mayAnnotate,
    authors,
    state,
    hasMarks: own.some((keeper) => keeper.marks.length > 0),
    shared: own.some((keeper) => keeper.shared) || (own.length === 0 && now.current.wantsShared),
    share: (shared: boolean) => {
      now.current.wantsShared = shared;
      for (const keeper of own) keeper.share(shared);
      tell();
    },
    canUndo: own.some(({ lastChange }) => lastChange > 0),
    undo: () => [...own].sort((one, other) => other.lastChange - one.lastChange)[0]?.undo(),
    isHidden: (key: string) => hidden.has(key),
    toggle: (key: string) => {
      const next = new Set(hidden);
      if (!next.delete(key)) next.add(key);
      setHidden(next);
      if (key !== OWN) return;
      for (const [id, keeper] of keepers) {
        if (images.has(id)) engine?.showMarks(id, undefined, keeper.marks, !next.has(OWN));
      }
    },
    /** The arrow whose text is asked for. */
    editing,
    edit: setEditing,
    textAt: (uid: string) => engine?.textAt(uid) ?? '',
    setText: (uid: string, text: string) => engine?.setText(uid, text),
  };
}
export type MarkLayers = ReturnType<typeof useLayers>;
