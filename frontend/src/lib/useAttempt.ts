import { useRef } from 'react';
import { ApiError } from './http';
import { uuid } from './uuid';

/**
 * Gives each wish one idempotency key, so that a retry after a lost answer does it once. `forget` gives the next sending of
 * the same wish another key; `refused` does so after an answer that says no.
 */
export function useAttempt() {
  const attempt = useRef<{ of: string; key: string }>(undefined);
  const forget = () => {
    attempt.current = undefined;
  };
  return {
    keyOf: (wish: object): string => {
      const of = JSON.stringify(wish);
      if (attempt.current?.of !== of) attempt.current = { of, key: uuid() };
      return attempt.current.key;
    },
    forget,
    refused: (error: Error) => {
      if (error instanceof ApiError && error.status > 0 && error.status < 500) forget();
    },
  };
}
