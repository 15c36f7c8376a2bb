import '../i18n';
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

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
