import { test as base } from 'vitest';
import { forJourneys, launchChromium } from './chromium.js';
import { startProduct } from './product.js';

/**
 * The tests of a journey. The journeys of one worker run one after the other. They share a browser, each with contexts of its
 * own, and a product that has only an administrator. Each journey creates its own people, with addresses of their own, and
 * leaves the administrator's password and second factor unchanged: `addAdministrator` adds another one. Only a journey that
 * needs the demonstration starts its own product.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs.
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchChromium(forJourneys);
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs.
  .extend('shared', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const product = await startProduct();
    onCleanup(() => product.stop());
    return product;
  });

/** Limit for a revocation to reach a screen, from the end of the owner's call. The product promises it. */
export const REVOKED_MS = 2_000;

/** True in a page whose dialog says that the access has ended, and that shows no picture. */
export const accessEnded = `[...document.querySelectorAll('[role=dialog] *')].some(
    (one) => one.childElementCount === 0 && one.textContent === 'Access has ended') &&
  !document.querySelector('img[src^="blob:"], img[src^="data:image"]')`;
