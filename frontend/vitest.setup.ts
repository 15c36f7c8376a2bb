import './src/i18n/signedIn';
import { StyleSheet } from '@emotion/sheet';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import { endedAtom, endSession } from './src/auth/session';
import { forgetPrivate } from './src/lib/private';
import { store } from './src/lib/store';

// A long timeout, so that no test fails on a busy machine. On an idle machine no test waits that long.
configure({ asyncUtilTimeout: 10_000 });

const untouched = globalThis.fetch;

// The tests share modules, so their state is reset after each test. Without vitest's globals Testing Library does not
// clean up by itself, and an open dialog would block later tests.
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

// jsdom would parse each rule and match all rules for each role that a test looks for. No test looks at styles.
StyleSheet.prototype.insert = () => {};

// Menus and popovers measure elements, but jsdom has no layout.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
// Ids in tests need no escape.
globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS;
Element.prototype.scrollTo ??= () => {};
Element.prototype.scrollIntoView ??= () => {};
window.scrollTo = () => {};

// A desktop in the light theme: every `min-width` matches, and no other media query.
window.matchMedia ??= (media) =>
  ({
    media,
    matches: media.includes('min-width'),
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }) as unknown as MediaQueryList;
