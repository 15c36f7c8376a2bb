import type { Layers, Mark } from '@lightbox/contract/annotations/schemas.js';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Engine } from '../useEngine';
import { type AuthorLayers, authorKey, byAuthor, layersOfOthers, OWN, ownLayers } from './authors';
import { Keeper, type KeepState } from './keeper';
import { forget, keeperChanged, keepers, watchKeepers } from './keepers';
import { callsFor, layersOf, type Source } from './layers';

/** The images that a viewer shows now. */
const opened = new Set<string>();

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

interface Drawing extends Omit<Wishes, 'source'> {
  data: Layers | undefined;
  /** The keys of the authors whose marks are not drawn. */
  hidden: ReadonlySet<string>;
}

const worst = (states: readonly KeepState[]): KeepState =>
  (['refused', 'waiting', 'saving'] as const).find((state) => states.includes(state)) ?? 'saved';

/** Draws the marks of other people. With the screen they leave the library. */
function useMarksOfOthers({ engine, data, images, me, hidden, ended }: Drawing) {
  /** The images of the drawn layers, by the id of the layer. */
  const drawn = useRef(new Map<string, string>());
  useEffect(() => {
    if (!engine || !data || ended) return;
    const shown = layersOfOthers(data, images, me);
    for (const [id, imageId] of drawn.current) {
      if (!shown.some((layer) => layer.id === id)) engine.showMarks(imageId, id, [], true);
    }
    drawn.current = new Map(shown.map(({ id, imageId }) => [id, imageId]));
    for (const layer of shown) {
      engine.showMarks(layer.imageId, layer.id, layer.marks, !hidden.has(authorKey(layer, me)));
    }
  }, [engine, data, ended, images, me, hidden]);
  useEffect(() => {
    if (!engine) return;
    return () => {
      for (const [id, imageId] of drawn.current) engine.showMarks(imageId, id, [], true);
      drawn.current = new Map();
    };
  }, [engine]);
}

/** Draws the person's own marks, and has every change of them kept. */
function useOwnMarks({ engine, data, images, me, hidden, ended }: Drawing) {
  const mayAnnotate = data?.mayAnnotate === true && me !== undefined;
  const [editing, setEditing] = useState<string>();
  const [, setTold] = useState(0);
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
        changed: keeperChanged,
      });
      made.shared = now.current.wantsShared;
      keepers.set(imageId, made);
      return made;
    },
    [engine, me],
  );

  useEffect(() => watchKeepers(() => setTold((n) => n + 1)), []);

  // With the screen its marks leave the library; those that are not saved stay with their keeper.
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
    };
  }, [engine, images]);

  /** Tells the keepers what is drawn. */
  const collect = useCallback(() => {
    if (!engine) return;
    const own = new Map<string, Mark[]>([...keepers.keys()].filter((id) => images.has(id)).map((id) => [id, []]));
    for (const { imageId, layer, mark } of engine.drawnMarks()) {
      if (!layer && images.has(imageId)) own.set(imageId, [...(own.get(imageId) ?? []), mark]);
    }
    const stored = now.current.data && ownLayers(now.current.data, me);
    for (const [id, marks] of own) {
      const isNew = !keepers.has(id);
      const keeper = keeperOf(id);
      keeper?.drawn(marks);
      if (isNew) keeper?.read(stored?.get(id));
    }
  }, [engine, images, keeperOf, me]);

  useEffect(() => {
    if (!engine || !data || ended || !mayAnnotate) return;
    collect();
    const stored = ownLayers(data, me);
    now.current.wantsShared ||= [...stored.values()].some(({ shared }) => shared);
    for (const id of images) {
      if (stored.has(id) || keepers.has(id)) keeperOf(id)?.read(stored.get(id));
    }
  }, [engine, data, ended, mayAnnotate, collect, images, keeperOf, me]);

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
  return {
    mayAnnotate,
    state: worst(own.map((keeper) => keeper.state)),
    hasMarks: own.some((keeper) => keeper.marks.length > 0),
    shared: own.some((keeper) => keeper.shared) || (own.length === 0 && now.current.wantsShared),
    share: (shared: boolean) => {
      now.current.wantsShared = shared;
      for (const keeper of own) keeper.share(shared);
      keeperChanged();
    },
    canUndo: own.some(({ lastChange }) => lastChange > 0),
    undo: () => [...own].sort((one, other) => other.lastChange - one.lastChange)[0]?.undo(),
    /** The arrow whose text is asked for. */
    editing,
    edit: setEditing,
  };
}

/** Reads, draws and keeps the marks of the opened images. */
export function useLayers({ engine, source, images, me, ended }: Wishes) {
  const { data } = useQuery({
    ...layersOf(source ?? { imageId: '' }),
    enabled: source !== undefined && engine !== undefined && !ended,
  });
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const own = useOwnMarks({ engine, data, images, me, hidden, ended });
  useMarksOfOthers({ engine, data, images, me, hidden, ended });
  const authors = useMemo(() => (data ? byAuthor(data, images, me) : nothing), [data, images, me]);

  return {
    ...own,
    /** True once it is known that marks are not kept here. */
    notKept: data !== undefined && !own.mayAnnotate,
    authors,
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
    textAt: (uid: string) => engine?.textAt(uid) ?? '',
    setText: (uid: string, text: string) => engine?.setText(uid, text),
  };
}
export type MarkLayers = ReturnType<typeof useLayers>;
