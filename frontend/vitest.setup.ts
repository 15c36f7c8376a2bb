import './src/i18n/signedIn';
import './src/lib/Toasts';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// What is awaited comes at once on a quiet machine; a busy one must not make a test fail.
configure({ asyncUtilTimeout: 10_000 });

// Without vitest's globals Testing Library does not clean up by itself, and an open dialog would block later tests.
afterEach(() => {
  cleanup();
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
