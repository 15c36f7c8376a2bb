import { test as base } from 'vitest';
import { launchChromium } from './chromium.js';
import { startProduct } from './product.js';

/**
 * The tests of a journey. The journeys of one worker run one after the other. They share a browser, each with contexts of its
 * own, and a product that has only an administrator. Each journey creates its own people, with addresses of their own, and
 * leaves the administrator's password and second factor unchanged. A journey that cannot do so starts its own product.
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

/**
 * Limit for a revocation to reach a screen. The product promises two seconds, which `infra/src/revocation.test.ts`
 * measures. Here three journeys share a machine. Without the update, the picture would stay.
 */
export const REVOKED_MS = 6_000;
