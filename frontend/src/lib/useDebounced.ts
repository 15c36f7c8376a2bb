import { useEffect, useState } from 'react';

/** A value once it has rested, so that a search asks the server per word and not per letter. */
export function useDebounced<T>(value: T, ms = 250): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}
