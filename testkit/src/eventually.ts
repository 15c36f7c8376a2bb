import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.js';

/** Waits until `check` throws nothing, and returns its result. For one value, `expect.poll` does the same. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE_MS);
