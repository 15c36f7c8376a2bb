import './src/i18n/further';
import { StyleSheet } from '@emotion/sheet';
import { cleanup, configure, getConfig } from '@testing-library/react';
import * as React from 'react';
import { afterAll, afterEach, vi } from 'vitest';
import { endedAtom, endSession } from './src/auth/session';
import { forgetPrivate } from './src/lib/private';
import { store } from './src/lib/store';

// A long timeout, so that no test fails on a busy machine, which loads a dialog for half a minute. On an idle machine no test
// waits that long.
configure({ asyncUtilTimeout: 60_000 });

// Testing Library would print the document for each look that finds nothing, and a wait looks again after each change. So
// the document is printed when the message is read: after the last look of a wait, or by the reporter.
const { getElementError } = getConfig();
function printedOnDemand(message: string | null, container: Element): Error {
  const error = new Error();
  error.name = 'TestingLibraryElementError';
  Error.captureStackTrace(error, printedOnDemand);
  const get = () => getElementError(message, container).message;
  return Object.defineProperty(error, 'message', { configurable: true, get });
}
// The library may serve several test files.
if (getElementError.name !== printedOnDemand.name) configure({ getElementError: printedOnDemand });

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

// A screen that a test began to load may arrive after its last test. Vitest refuses a module that it loads between two files,
// and the files of this worker, which share their modules, would never get it.
afterAll(() => vi.dynamicImportSettled());

// jsdom would parse each rule and match all rules for each role that a test looks for. No test looks at styles.
StyleSheet.prototype.insert = () => {};

// For each computed style, jsdom would match all rules of its own style sheet. Without other sheets an element has its own
// style, and the display of its kind.
const { getComputedStyle } = window;
const displays = new Map<string, string>();
function displayOf(element: HTMLElement): string {
  if (element.style.display) return element.style.display;
  if (element.hidden) return 'none';
  const { tagName } = element;
  const known = displays.get(tagName) ?? getComputedStyle(document.createElement(tagName)).display;
  displays.set(tagName, known);
  return known;
}
function leanStyle(element: Element): CSSStyleDeclaration {
  const { style } = element as HTMLElement;
  const display = displayOf(element as HTMLElement);
  const propertyOf = (name: string) => (name === 'display' ? display : style.getPropertyValue(name));
  return new Proxy(style, {
    get: (_, name) => {
      if (name === 'getPropertyValue') return propertyOf;
      return name === 'display' ? display : Reflect.get(style, name, style);
    },
  });
}
// A window may serve several test files.
if (getComputedStyle.name !== leanStyle.name) window.getComputedStyle = leanStyle;

// React would record a stack for each element that it creates, for its warnings.
Object.defineProperty(
  (React as unknown as Record<string, object>).__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE,
  'recentlyCreatedOwnerStacks',
  { configurable: true, get: () => Number.POSITIVE_INFINITY, set: () => {} },
);

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
