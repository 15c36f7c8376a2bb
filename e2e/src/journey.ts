import { test as base } from 'vitest';
import { launchChromium } from './chromium.js';
import { startProduct } from './product.js';

/**
 * The tests of a journey. The journeys of one worker follow on each other: they share a browser, each with contexts of its
 * own, and a product that has an administrator and nobody else. Each journey brings its own people, with addresses of their
 * own, and leaves the administrator's password and second factor as they were; one that cannot starts a product for itself.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs.
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchChromium();
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs.
  .extend('shared', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const product = await startProduct();
    onCleanup(() => product.stop());
    return product;
  });
