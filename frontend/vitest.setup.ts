import './src/i18n/signedIn';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import { endedAtom, endSession } from './src/auth/session';
import { forgetPrivate } from './src/lib/private';
import { store } from './src/lib/store';

// What is awaited comes at once on a quiet machine; a busy one must not make a test fail.
configure({ asyncUtilTimeout: 10_000 });

const untouched = globalThis.fetch;

// Files share their modules, so each test gives back what it changed in them. Without vitest's globals Testing Library does
// not clean up by itself, and an open dialog would block later tests.
afterEach(() => {
  cleanup();
  endSession('logout');
  store.set(endedAtom, undefined);
  forgetPrivate();
  globalThis.fetch = untouched;
  document.body.removeAttribute('style');
  localStorage.clear();
  sessionStorage.clear();
});

// Menus and poppers measure; jsdom has nothing to measure with.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollTo ??= () => {};
Element.prototype.scrollIntoView ??= () => {};
window.scrollTo = () => {};

// A desktop by day: every `min-width` is met, and nobody asks for the dark.
window.matchMedia ??= (media) =>
  ({
    media,
    matches: media.includes('min-width'),
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }) as unknown as MediaQueryList;
