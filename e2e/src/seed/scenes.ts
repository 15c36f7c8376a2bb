import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { turnTo } from '../screens/judge.js';
import type { Find } from './find.js';

/** A state of a screen, with the elements that the seed specification requires there. */
export interface Scene {
  name: string;
  /** The address to open first. Without it, the scene continues the previous one. */
  path?: string;
  /** True when the page must be loaded, because the scene needs data or answers that an earlier scene has changed. */
  load?: true;
  act?: (page: Page) => Promise<unknown>;
  finds: Find[];
  /** The elements that must be absent. */
  none?: Find[];
  /** A further check, for a rule that is not about a text. */
  also?: (page: Page) => Promise<boolean>;
}

/**
 * Makes the next call to the address fail without a message, so that the screen shows its own. The call fails after the
 * element `after` is visible.
 */
export async function refuse(page: Page, address: string, { after }: { after?: Locator } = {}): Promise<void> {
  await page.route(
    address,
    async (route) => {
      await after?.waitFor();
      await route.fulfill({ status: 500, body: '' });
    },
    { times: 1 },
  );
}

/** Plays the scenes one after the other, and returns the elements that it did not find. */
export async function missing(page: Page, scenes: readonly Scene[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [at, scene] of scenes.entries()) {
    try {
      if (scene.path) await (at === 0 || scene.load ? page.goto(scene.path) : turnTo(page, scene.path));
      if (scene.path) await page.locator('h1').first().waitFor({ state: 'attached' });
      await scene.act?.(page);
    } catch (error) {
      faults.push(`${scene.name}: ${String(error).slice(0, 400)}`);
      continue;
    }
    for (const find of scene.finds) {
      const found = await find
        .in(page)
        .first()
        .waitFor()
        .then(
          () => true,
          () => false,
        );
      if (!found) faults.push(`${scene.name}: no ${find.says}`);
    }
    for (const find of scene.none ?? []) {
      const gone = expect.poll(() => find.in(page).count()).toBe(0);
      await gone.catch(() => faults.push(`${scene.name}: there is ${find.says}`));
    }
    const rule = expect.poll(async () => (await scene.also?.(page)) ?? true).toBe(true);
    await rule.catch(() => faults.push(`${scene.name}: its rule does not hold`));
  }
  return faults;
}
