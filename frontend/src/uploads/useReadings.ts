import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { planOf } from './plan';
import { type LockedZip, nothingRead, type Readings, readFiles, readSources } from './readFiles';

/** The screen follows the reading at most once in this time. */
const shownEveryMs = 150;

/** Reads the headers of the chosen files and groups them. */
export function useReadings(maxBytes: number) {
  const readings = useRef<Readings>(nothingRead());
  const stop = useRef(new AbortController());
  const [shown, setShown] = useState<Readings>(nothingRead);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const show = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const { sorted, omitted, locked, refused, ...counts } = readings.current;
    setShown({ sorted: [...sorted], omitted: [...omitted], locked: [...locked], refused: [...refused], ...counts });
  }, []);
  const showSoon = useCallback(() => {
    timer.current ??= setTimeout(show, shownEveryMs);
  }, [show]);

  useEffect(() => {
    // React runs effects twice in development.
    stop.current = new AbortController();
    return () => {
      stop.current.abort();
      readings.current = nothingRead();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, []);

  const add = useCallback(
    async (files: File[]) => {
      const reading = readFiles(readings.current, files, maxBytes, showSoon, stop.current.signal);
      show();
      await reading;
      show();
    },
    [maxBytes, show, showSoon],
  );

  const takeOut = (one: LockedZip) => {
    readings.current.locked = readings.current.locked.filter((kept) => kept !== one);
    show();
  };
  /** Returns false for a wrong password. */
  const unlock = async (one: LockedZip, password: string) => {
    const right = await one.zip.unlock(password).catch(() => {
      readings.current.refused.push({ name: one.name, fault: 'damaged' });
      takeOut(one);
      return true;
    });
    if (!right || !readings.current.locked.includes(one)) return right;
    takeOut(one);
    await readSources(readings.current, one.zip.sources, maxBytes, showSoon, stop.current.signal);
    show();
    return true;
  };

  /** Forgets the files, to choose others. */
  const reset = () => {
    stop.current.abort();
    stop.current = new AbortController();
    readings.current = nothingRead();
    show();
  };

  const disc = shown.omitted.some(({ reason }) => reason === 'directory');
  const plan = useMemo(() => planOf(shown.sorted, disc), [shown.sorted, disc]);
  return { ...shown, plan, add, reset, unlock, skip: takeOut, busy: shown.done < shown.total };
}
