import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Person, tick } from '../person.js';
import type { Role } from '../product.js';
import { shown } from '../totp.js';

export type Viewer = Role | 'nobody';
export type Language = 'en' | 'ur';

/** The ids of the demo that the addresses need. */
export interface Places {
  image: string;
  /** An image whose second opinion is signed, which its patient has opened. */
  signed: string;
  user: string;
}

export interface Screen {
  path: (places: Places) => string;
  /** The roles that may open it. */
  viewers: readonly Viewer[];
  /** An element with data from the server. The checks wait for it. */
  ready?: string;
  /** True when it shows names of permissions or settings, which look like keys of texts. */
  names?: boolean;
}

const at = (path: string, ...viewers: Viewer[]): Screen => ({ path: () => path, viewers });

/** The routes of the screens, and the viewer. `revocation.long.test.ts` checks the viewer of a guest. */
export const routes: readonly Screen[] = [
  at('/', 'nobody', 'patient'),
  at('/login', 'nobody'),
  at('/help', 'nobody', 'patient'),
  at('/privacy', 'nobody', 'patient'),
  at('/register', 'nobody'),
  at('/verify-account', 'nobody'),
  at('/forgot-password', 'nobody'),
  at('/reset-password?token=of-a-mail', 'nobody'),
  at('/not-me?token=of-a-mail', 'nobody'),
  { ...at('/sign-on/clinic?code=x&state=y', 'nobody'), ready: '[role=alert]' },
  at(`/guest/${'0'.repeat(24)}#${'x'.repeat(43)}`, 'nobody'),
  at(`/send/${'0'.repeat(24)}#${'x'.repeat(43)}`, 'nobody'),
  { ...at('/dashboard', 'admin', 'healthProvider'), ready: 'td' },
  at('/admin-dashboard', 'admin'),
  { ...at('/profile', 'patient', 'healthProvider', 'admin'), ready: 'dl' },
  { ...at('/profile/notifications', 'patient', 'healthProvider', 'admin'), ready: '[role=group]' },
  { ...at('/profile/carers', 'patient'), ready: 'main form' },
  { path: ({ user }) => `/user-profile/${user}`, viewers: ['admin', 'healthProvider', 'patient'], ready: 'dl' },
  { ...at('/disclosures', 'patient'), ready: 'main section, main h2' },
  at('/upload', 'healthProvider', 'admin'),
  at('/requests', 'healthProvider', 'admin'),
  { ...at('/view-images', 'healthProvider', 'patient', 'admin'), ready: 'article' },
  { ...at('/share-image', 'healthProvider', 'patient', 'admin'), ready: 'main img' },
  {
    path: ({ user }) => `/messages?chat=${user}`,
    viewers: ['patient', 'healthProvider', 'admin'],
    ready: '[role=log]',
  },
  { ...at('/audit-logs', 'admin', 'healthProvider'), ready: 'td' },
  { ...at('/appsettings', 'admin'), ready: 'td', names: true },
  at('/approve-provider', 'admin'),
  { ...at('/emergency-access', 'admin', 'healthProvider', 'patient'), ready: 'main h3' },
  { ...at('/roles-permissions', 'admin'), ready: 'li', names: true },
  { path: ({ image }) => `/ai-analysis/${image}`, viewers: ['healthProvider', 'admin'], ready: 'main h2' },
  {
    path: ({ signed }) => `/ai-analysis/${signed}`,
    viewers: ['patient', 'healthProvider'],
    ready: '[data-review=signed]',
  },
  {
    path: ({ image }) => `/viewer/${image}`,
    viewers: ['healthProvider'],
    ready: '[data-viewport][data-state=drawn]',
  },
];

/** A main screen with a baseline. The parts that differ in every run are masked. */
export interface Portrait extends Pick<Screen, 'path' | 'ready'> {
  name: string;
  viewer: Viewer;
  masked: string;
  /** Waits for a change that the first visit makes, so that the second shows it. */
  changed?: (person: Person) => Promise<void>;
}

export const portraits: readonly Portrait[] = [
  { name: 'landing', viewer: 'nobody', path: () => '/', masked: '' },
  { name: 'login', viewer: 'nobody', path: () => '/login', ready: '[aria-labelledby=demo-title]', masked: '' },
  { name: 'dashboard', viewer: 'admin', path: () => '/dashboard', ready: 'main :is(td, li)', masked: '' },
  {
    name: 'admin-dashboard',
    viewer: 'admin',
    path: () => '/admin-dashboard',
    // The first table is hidden.
    ready: 'main table:visible',
    masked: 'main table:visible',
  },
  { name: 'view-images', viewer: 'healthProvider', path: () => '/view-images', ready: 'article img', masked: '' },
  {
    name: 'ai-analysis',
    viewer: 'healthProvider',
    path: ({ image }) => `/ai-analysis/${image}`,
    ready: 'main article h2',
    masked: '',
  },
  {
    name: 'messages',
    viewer: 'patient',
    path: ({ user }) => `/messages?chat=${user}`,
    // The partner is signed in too.
    ready: ':text-is("Online now")',
    masked: '',
    changed: (person) =>
      expect
        .poll(async () => (await person.call<{ unread: number }[]>('/message/chat-list')).map(({ unread }) => unread))
        .toEqual([0]),
  },
];

/** The label of a button in every language. */
type Words = Record<Language, string>;
const word = (en: string, ur: string): Words => ({ en, ur });

export interface Dialog {
  name: string;
  viewer: Viewer;
  path: string | Screen['path'];
  /** Opens the dialog, on the screen at `path`. */
  open: (page: Page, language: Language, person: Person) => Promise<void>;
  /** An element that is visible when it is open. */
  shown?: string;
}

const press = (words: Words) => (page: Page, language: Language) =>
  page.getByRole('button', { name: words[language], exact: true }).first().click();

/** Presses a button of an image card by its position, which is the same in every language. */
const onCard =
  (caption: string, which: 'open' | 'act' | 'delete') =>
  async (page: Page): Promise<void> => {
    const buttons = page.locator('article', { hasText: caption }).first().locator('button');
    await (which === 'delete' ? buttons.last() : buttons.nth(which === 'open' ? 0 : 1)).click();
  };

/** Chooses an entry of a row's menu by its index. A negative index counts from the end. */
const inRowMenu = (entry: number) => async (page: Page) => {
  await page.locator('td button[aria-haspopup=menu]').first().click();
  await page.getByRole('menuitem').nth(entry).click();
};

/** Presses a button in the row of a setting: back to default, history, edit. */
const inSettingRow = (button: number) => async (page: Page) =>
  page.locator('tbody tr', { hasText: 'sharing.expiryHours' }).locator('button').nth(button).click();

const setUpApp = async (page: Page, language: Language, person: Person) => {
  await person.call('/auth/step-up', 'POST', { password: person.password });
  await press(word('Set up the app', 'ایپ لگائیں'))(page, language);
  await page.locator('[data-secret]').waitFor();
};

const confirmApp = async (page: Page, language: Language, person: Person) => {
  await setUpApp(page, language, person);
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  await page.getByRole('dialog').getByRole('textbox').first().focus();
  await page.keyboard.type(shown(secret.replaceAll(' ', ''), Date.now()));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
  // Remove the app, because the test of the next language sets it up again.
  await person.call('/auth/totp', 'DELETE', { password: person.password });
};

const personal = { firstname: 'Hina', lastname: 'Farooq', email: 'hina@example.org', username: 'hina' };
const professional = { licensenumber: 'PMC-10422', specialization: 'Radiology' };

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value);
}

/** Fills the wizard up to a step. The steps count from one, as on the screen. */
const registerTo = (role: 'patient' | 'healthProvider', step: 2 | 3 | 4) => async (page: Page) => {
  const next = () => page.locator('button[type=submit]').click();
  await tick(page.locator(`input[value=${role}]`));
  await next();
  await fill(page, personal);
  if (step === 2) return;
  await next();
  await page.locator('[name=bloodgroup], [name=licensenumber]').waitFor();
  if (step === 3) return;
  if (role === 'healthProvider') await fill(page, professional);
  await next();
};

const newChat = press(word('New chat', 'نئی گفتگو'));

/** The dialogs, menus and drawers over the screens, and the steps of the wizards. */
export const dialogs: readonly Dialog[] = [
  { name: 'help', viewer: 'nobody', path: '/login', open: press(word('Get help', 'مدد لیں')) },
  { name: 'register-2', viewer: 'nobody', path: '/register', open: registerTo('patient', 2), shown: '[name=dob]' },
  {
    name: 'register-3-patient',
    viewer: 'nobody',
    path: '/register',
    open: registerTo('patient', 3),
    shown: '[name=bloodgroup]',
  },
  {
    name: 'register-3-provider',
    viewer: 'nobody',
    path: '/register',
    open: registerTo('healthProvider', 3),
    shown: '[name=taxid]',
  },
  { name: 'register-4', viewer: 'nobody', path: '/register', open: registerTo('patient', 4), shown: '[name=confirm]' },
  {
    name: 'forgot-2',
    viewer: 'nobody',
    path: '/forgot-password',
    open: async (page) => {
      await page.locator('[name=email]').fill('nobody@example.org');
      await page.locator('button[type=submit]').click();
    },
    shown: '[name=confirm]',
  },
  { name: 'share', viewer: 'healthProvider', path: '/view-images', open: onCard('Left hand', 'act') },
  {
    name: 'share-without-identity',
    viewer: 'healthProvider',
    path: '/view-images',
    open: async (page) => {
      await onCard('Chest CT', 'act')(page);
      await page.getByRole('dialog').locator('[data-identity] label').click();
      await page.locator('[data-burned-in] button[aria-expanded]').click();
    },
    shown: '[data-burned-in] table',
  },
  {
    name: 'share-black-out',
    viewer: 'healthProvider',
    path: '/view-images',
    open: async (page, language) => {
      await onCard('Chest CT', 'act')(page);
      await page.getByRole('dialog').locator('[data-identity] label').click();
      await press(word('Black out text', 'لکھائی سیاہ کریں'))(page, language);
      await page.locator('[data-black-surface] img').waitFor();
      await press(word('Add a rectangle', 'خانہ شامل کریں'))(page, language);
    },
    shown: '[data-black]',
  },
  {
    name: 'sign-opinion',
    viewer: 'healthProvider',
    path: ({ image }) => `/ai-analysis/${image}`,
    open: press(word('Review and sign', 'جائزہ لیں اور دستخط کریں')),
  },
  {
    name: 'withdraw-opinion',
    viewer: 'healthProvider',
    path: ({ signed }) => `/ai-analysis/${signed}`,
    open: press(word('Withdraw', 'واپس لیں')),
  },
  { name: 'open-image', viewer: 'healthProvider', path: '/view-images', open: onCard('Left hand', 'open') },
  {
    name: 'delete-image',
    viewer: 'healthProvider',
    path: '/view-images',
    open: onCard('Left hand', 'delete'),
    shown: '[role=alertdialog]',
  },
  {
    name: 'delete-of-patient',
    viewer: 'healthProvider',
    path: '/view-images',
    open: onCard('Chest CT', 'delete'),
    shown: '[role=alertdialog]',
  },
  { name: 'verify', viewer: 'patient', path: '/view-images', open: onCard('Chest CT', 'open') },
  { name: 'new-chat', viewer: 'healthProvider', path: '/messages', open: newChat },
  {
    name: 'attach-images',
    viewer: 'healthProvider',
    path: '/messages',
    open: async (page, language) => {
      await page.locator('[data-chat]').first().click();
      await press(word('Attach an image', 'تصویر منسلک کریں'))(page, language);
    },
  },
  {
    name: 'voice-message',
    viewer: 'healthProvider',
    path: '/messages',
    open: async (page, language) => {
      await page.locator('[data-chat]').first().click();
      await press(word('Record a voice message', 'صوتی پیغام ریکارڈ کریں'))(page, language);
    },
    shown: '[data-recorder=recording]',
  },
  {
    name: 'chat-search',
    viewer: 'healthProvider',
    path: '/messages',
    open: async (page, language) => {
      await page.locator('[data-chat]').first().click();
      await press(word('Search in this chat', 'اس گفتگو میں تلاش کریں'))(page, language);
    },
    shown: '[role=search] input',
  },
  {
    name: 'send-message',
    viewer: 'healthProvider',
    path: '/messages',
    open: async (page, language) => {
      await newChat(page, language);
      await page.getByRole('dialog').getByText('Hina Farooq').click();
    },
    shown: 'textarea',
  },
  {
    name: 'edit-profile',
    viewer: 'patient',
    path: '/profile',
    open: press(word('Edit Profile', 'پروفائل میں ترمیم کریں')),
  },
  {
    name: 'delete-account',
    viewer: 'patient',
    path: '/profile',
    open: press(word('Delete account', 'اکاؤنٹ حذف کریں')),
    shown: '[role=alertdialog]',
  },
  {
    name: 'notifications',
    viewer: 'patient',
    path: '/view-images',
    open: (page) => page.locator('header button[aria-haspopup=dialog]').click(),
  },
  {
    name: 'theme-menu',
    viewer: 'patient',
    path: '/view-images',
    open: (page) => page.locator('header button[aria-haspopup=menu]').click(),
    shown: '[role=menu]',
  },
  {
    name: 'row-menu',
    viewer: 'admin',
    path: '/dashboard',
    open: (page) => page.locator('td button[aria-haspopup=menu]').first().click(),
    shown: '[role=menu]',
  },
  {
    name: 'deactivate-user',
    viewer: 'admin',
    path: '/dashboard',
    open: inRowMenu(1),
    shown: '[role=alertdialog]',
  },
  { name: 'delete-user', viewer: 'admin', path: '/dashboard', open: inRowMenu(-1), shown: '[role=alertdialog]' },
  {
    name: 'approve-provider',
    viewer: 'admin',
    path: '/approve-provider',
    open: (page) => page.locator('main li button').nth(1).click(),
    shown: '[role=dialog] dl',
  },
  {
    name: 'reject-provider',
    viewer: 'admin',
    path: '/approve-provider',
    open: (page) => page.locator('main li button, main article button').first().click(),
    shown: '[role=dialog], [role=alertdialog]',
  },
  {
    name: 'edit-setting',
    viewer: 'admin',
    path: '/appsettings',
    open: inSettingRow(2),
    shown: 'tbody input',
  },
  {
    name: 'reset-setting',
    viewer: 'admin',
    path: '/appsettings',
    open: inSettingRow(0),
    shown: '[role=alertdialog]',
  },
  { name: 'setting-history', viewer: 'admin', path: '/appsettings', open: inSettingRow(1), shown: '[role=dialog] li' },
  {
    name: 'change-role',
    viewer: 'admin',
    path: '/dashboard',
    open: inRowMenu(2),
    shown: '[role=dialog] select, [role=alertdialog] select',
  },
  {
    name: 'audit-entry',
    viewer: 'admin',
    path: '/audit-logs',
    open: (page) => page.locator('td button').first().click(),
    shown: '[role=dialog] dl',
  },
  {
    name: 'audit-days',
    viewer: 'admin',
    path: '/audit-logs?since=days',
    open: (page) => page.locator('main button[aria-haspopup=menu]').click(),
    shown: '[role=menu]',
  },
  {
    name: 'why-access',
    viewer: 'admin',
    path: '/view-images',
    open: async (page) => {
      await onCard('Chest CT', 'act')(page);
      await page.locator('[role=dialog] button[aria-expanded]').first().click();
    },
    shown: '[role=dialog] section dl',
  },
  {
    name: 'timeline',
    viewer: 'healthProvider',
    path: '/view-images',
    open: async (page, language) => {
      await onCard('Chest CT', 'open')(page);
      await press(word('Timeline', 'سرگزشت'))(page, language);
    },
    shown: '[role=dialog] ul li time',
  },
  {
    name: 'change-password',
    viewer: 'patient',
    path: '/profile',
    open: press(word('Change password', 'پاس ورڈ بدلیں')),
  },
  {
    name: 'new-webhook',
    viewer: 'patient',
    path: '/profile',
    open: press(word('Add a webhook', 'ویب ہُک شامل کریں')),
  },
  { name: 'set-up-app', viewer: 'patient', path: '/profile', open: setUpApp, shown: '[role=dialog] svg[role=img]' },
  { name: 'recovery-codes', viewer: 'patient', path: '/profile', open: confirmApp },
  {
    name: 'notify-offer',
    viewer: 'healthProvider',
    path: '/messages',
    open: async (page, language) => {
      await newChat(page, language);
      await page.getByRole('dialog').getByText('Hina Farooq').click();
      await page.locator('[role=dialog] textarea').fill('Please come on Monday.');
      await page.keyboard.press('Enter');
    },
    shown: 'section > [role=status] button',
  },
];
