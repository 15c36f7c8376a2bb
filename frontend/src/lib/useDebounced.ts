import { useEffect, useState } from 'react';

/** Returns the value after it stayed the same for `ms`, so that a search sends one request per word, not per letter. */
export function useDebounced<T>(value: T, ms = 250): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}
