import type { Page } from 'playwright-core';

export interface Screen {
  path: string;
  signedIn: boolean;
  /** The interactions on the screen. Each one is a key press or a click. */
  act: (page: Page) => Promise<void>;
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

/** Opens the list of notifications and closes it. */
async function lookAtNotices(page: Page): Promise<void> {
  await press(page, /^Notifications/);
  await page.keyboard.press('Escape');
}

export const screens: readonly Screen[] = [
  {
    path: '/',
    signedIn: false,
    act: async (page) => {
      await press(page, /^Theme/);
      await page.keyboard.press('Escape');
    },
  },
  {
    path: '/login',
    signedIn: false,
    act: async (page) => {
      await page.getByLabel('Email').click();
      await page.keyboard.type('nobody@example');
      await press(page, 'Show password');
      await press(page, 'Login');
      await page.getByRole('alert').first().waitFor();
    },
  },
  {
    path: '/dashboard',
    signedIn: true,
    act: async (page) => {
      await lookAtNotices(page);
      await press(page, 'Collapse the menu');
    },
  },
  { path: '/view-images', signedIn: true, act: lookAtNotices },
  {
    path: '/messages',
    signedIn: true,
    act: async (page) => {
      await press(page, /^New chat/i);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('sana');
      await page.keyboard.press('Escape');
    },
  },
];
