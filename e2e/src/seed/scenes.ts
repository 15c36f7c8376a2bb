import type { Locator, Page } from 'playwright-core';
import type { Find } from './find.js';

/** A state of a screen, and what the seed says that one finds there. */
export interface Scene {
  name: string;
  /** Where to go first; without it the scene follows on the one before. */
  path?: string;
  act?: (page: Page) => Promise<unknown>;
  finds: Find[];
  /** What must not be there. */
  none?: Find[];
  /** A rule that is no text. */
  also?: (page: Page) => Promise<boolean>;
}

/**
 * The next such call fails with no word from the server, so that the screen needs its own; `after` is what the screen
 * shows while it waits.
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

/** Plays the scenes one after the other, and answers with what was not to be found. */
export async function missing(page: Page, scenes: readonly Scene[]): Promise<string[]> {
  const faults: string[] = [];
  for (const scene of scenes) {
    try {
      if (scene.path) await page.goto(scene.path);
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
        .waitFor({ timeout: 6000 })
        .then(
          () => true,
          () => false,
        );
      if (!found) faults.push(`${scene.name}: no ${find.says}`);
    }
    for (const find of scene.none ?? []) {
      if (await find.in(page).count()) faults.push(`${scene.name}: there is ${find.says}`);
    }
    if (scene.also && !(await scene.also(page))) faults.push(`${scene.name}: its rule does not hold`);
  }
  return faults;
}
