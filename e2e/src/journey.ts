import { whenBusy } from '@lightbox/testkit/busy.js';
import { test as base, inject } from 'vitest';
import { forJourneys, launchChromium } from './chromium.js';
import { reachProduct } from './sharedProduct.js';

/**
 * The tests of a journey. The journeys of one worker run one after the other and share a browser, each with contexts of its
 * own. All journeys that run at the same time share a product, which has only an administrator. So each journey creates its
 * own people, with names and addresses of their own, and nobody logs in as the administrator: `addAdministrator` adds another
 * one. A journey finds its own rows by their names, because lists of all people and all images have those of other journeys.
 * A journey that needs the demonstration, or a setting that changes the screens of others, starts its own product.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs.
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchChromium(forJourneys);
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs.
  .extend('shared', { scope: 'worker' }, ({}) => reachProduct(inject('sharedProduct')));

/**
 * The time within which an ended access has disappeared from every open page: two seconds, and longer on a machine with
 * more work than cores.
 */
export const revokedMs = () => whenBusy(2_000);

/** True in a page whose dialog says that the access has ended, and that shows no picture. */
export const accessEnded = `[...document.querySelectorAll('[role=dialog] *')].some(
    (one) => one.childElementCount === 0 && one.textContent === 'Access has ended') &&
  !document.querySelector('img[src^="blob:"], img[src^="data:image"]')`;
