import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

// Without it an open dialog keeps `pointer-events: none` on the body and breaks the next test.
afterEach(cleanup);

// jsdom lays nothing out; menus and tooltips ask for this all the same.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
