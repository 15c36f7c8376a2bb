import type { Locator, Page } from 'playwright-core';

/** An element of the seed specification, found by its role and name, or by its text. */
export interface Find {
  says: string;
  in: (page: Page) => Locator;
}

const one = (says: string, find: (page: Page) => Locator): Find => ({ says, in: find });

export const heading = (name: string) => one(`heading "${name}"`, (page) => page.getByRole('heading', { name }));
export const button = (name: string) => one(`button "${name}"`, (page) => page.getByRole('button', { name }));
export const link = (name: string) => one(`link "${name}"`, (page) => page.getByRole('link', { name, exact: true }));
export const field = (label: string) => one(`field "${label}"`, (page) => page.getByLabel(label));
export const hint = (words: string) => one(`placeholder "${words}"`, (page) => page.getByPlaceholder(words));
export const column = (name: string) =>
  one(`column "${name}"`, (page) => page.getByRole('columnheader', { name, exact: true }));
export const entry = (name: string) => one(`menu entry "${name}"`, (page) => page.getByRole('menuitem', { name }));
export const radio = (name: string) => one(`choice "${name}"`, (page) => page.getByRole('radio', { name }));
export const says = (words: string | RegExp) =>
  one(`words "${words}"`, (page) => page.getByText(words).filter({ visible: true }));
/** Finds an entry of a list of facts by its label and its value. */
export const fact = (label: string, value?: string) =>
  one(`"${label}"${value ? `: ${value}` : ''}`, (page) => {
    const term = page.locator('dt').filter({ hasText: new RegExp(`^${label}$`) });
    return value ? term.locator('xpath=following-sibling::dd[1]').filter({ hasText: value }) : term;
  });
/** Finds an entry of the navigation. */
export const menu = (name: string) =>
  one(`menu entry "${name}"`, (page) =>
    page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: name === 'Dashboard' }),
  );
export const alert = (words: string) =>
  one(`alert "${words}"`, (page) => page.getByRole('alert').filter({ hasText: words }));
export const status = (words: string) =>
  one(`status "${words}"`, (page) => page.getByRole('status').filter({ hasText: words }));

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
