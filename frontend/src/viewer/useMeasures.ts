import { useEffect, useMemo, useState } from 'react';
import type { Measure } from './engine';
import { partsOf } from './markUid';
import type { Engine } from './useEngine';

const none: readonly Measure[] = [];

/** Returns the measurements on the frames of all panes, and how to remove them. */
export function useMeasures(engine: Engine | undefined, places: readonly { frameIds: readonly string[] }[]) {
  const [measures, setMeasures] = useState(none);
  const frames = useMemo(() => new Set(places.flatMap(({ frameIds }) => frameIds)), [places]);
  useEffect(() => {
    if (!engine) return;
    let due = 0;
    const read = () => {
      due = 0;
      setMeasures(engine.measuresOf(engine.measureTools, frames));
    };
    // Once for each picture, although every move of the pointer changes a measurement.
    const later = () => {
      due ||= requestAnimationFrame(read);
    };
    read();
    const stop = engine.watchMeasures(later);
    return () => {
      cancelAnimationFrame(due);
      stop();
    };
  }, [engine, frames]);
  return {
    measures,
    remove: (uid: string) => engine?.removeMeasure(uid),
    removeLast: () => {
      const last = measures.findLast(({ uid }) => !partsOf(uid).layer);
      if (last) engine?.removeMeasure(last.uid);
    },
    /** Ends a drawing that has begun. Returns false when there is none. */
    cancel: () => engine?.cancelMeasure() ?? false,
  };
}
