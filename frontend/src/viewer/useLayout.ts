import { useMemo, useState } from 'react';
import type { Entry } from './entries';
import type { Plane } from './orientation';
import type { Engine } from './useEngine';

/** The content of one pane. */
export interface Place {
  /** The pane, which stays when another entry is put into it. */
  pane: string;
  key: string;
  entry: Entry;
  frameIds: readonly string[];
  plane?: Plane;
  /** The position that is shown first, from 0. */
  at: number;
}

export interface Arrangement {
  name: 'one' | 'compare' | 'planes';
  places: readonly Place[];
}

/** The arrangement of the panes: one picture, two beside each other, or three planes of a volume. */
export function useLayout(entries: readonly Entry[], start: { key: string; at: number }, engine: Engine | undefined) {
  const [name, setName] = useState<Arrangement['name']>('one');
  const [first, setFirst] = useState<string>();
  const [second, setSecond] = useState<string>();
  const [active, setActive] = useState(0);
  const [linked, setLinked] = useState(true);
  const byKey = (key: string | undefined) => entries.find((entry) => entry.key === key);
  const entry = byKey(first) ?? byKey(start.key) ?? entries[0];
  const other = byKey(second) ?? entries.find((one) => one.kind === 'stack' && one !== entry) ?? entry;

  // The library asks for the facts of a frame while it loads it.
  useMemo(() => {
    if (engine) for (const { id, facts } of entries.flatMap(({ images }) => images)) engine.registerFacts(id, facts);
  }, [engine, entries]);

  const planes = useMemo(() => {
    const volume = engine && entry?.kind === 'stack' ? engine.volumeOf(entry.frameIds) : undefined;
    return volume && engine ? () => engine.planesOf(volume) : undefined;
  }, [engine, entry]);

  const arrangement = useMemo((): Arrangement => {
    if (!entry) return { name: 'one', places: [] };
    // Pages of a document are no frames of the imaging library.
    const count = entry.kind === 'stack' ? entry.frameIds.length : entry.facts.frames;
    const last = Math.max(0, count - 1);
    const at = entry.key === start.key ? Math.min(start.at, last) : 0;
    const alone: Place = { pane: 'first', key: entry.key, entry, frameIds: entry.frameIds, at };
    if (name === 'planes' && planes) {
      const places = planes().map(({ plane, frameIds }, i) => ({
        pane: `plane-${i}`,
        key: `${entry.key}-${plane}`,
        entry,
        frameIds,
        plane,
        at: Math.floor(frameIds.length / 2),
      }));
      return { name, places };
    }
    if (name === 'compare' && other) {
      return {
        name,
        places: [alone, { pane: 'second', key: `${other.key}-second`, entry: other, frameIds: other.frameIds, at: 0 }],
      };
    }
    return { name: 'one', places: [alone] };
  }, [name, entry, other, planes, start.key, start.at]);

  const show = (next: Arrangement['name']) => {
    setActive(0);
    setName(next);
  };
  return {
    arrangement,
    active: Math.min(active, Math.max(0, arrangement.places.length - 1)),
    setActive,
    linked,
    setLinked,
    hasPlanes: planes !== undefined,
    single: () => show('one'),
    toggleCompare: () => show(name === 'compare' ? 'one' : 'compare'),
    togglePlanes: () => show(name === 'planes' ? 'one' : 'planes'),
    shownKeys: arrangement.places.map((place) => place.entry.key),
    /** Shows an entry in the first or the second pane. */
    put: (key: string, pane: 0 | 1 = 0) => {
      if (pane === 1) return setSecond(key);
      if (name === 'planes') show('one');
      setFirst(key);
    },
  };
}

export type Layout = ReturnType<typeof useLayout>;
