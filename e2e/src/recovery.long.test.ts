import { afterAll, afterEach, expect } from 'vitest';
import { test } from './journey.js';
import { addAdministrator, approve, line, Person, password } from './person.js';
import { visit } from './screens/judge.js';

/** An administrator of this journey, because it changes the password. */
const rubina = {
  email: 'rubina.shaikh@example.org',
  username: 'rubina.shaikh',
  firstname: 'Rubina',
  lastname: 'Shaikh',
};
const passwords = { second: 'Second-Enough-Pass-8', third: 'Third-Enough-Pass-7' };

let admin: Person;

test.beforeAll(async ({ browser, shared: product }) => {
  await addAdministrator(product, rubina);
  admin = await Person.arrive(product, browser, { ...rubina, password });
});

afterAll(async () => {
  await admin?.leave();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await admin.shootFailure('failed-recovery');
});

const press = (name: string) => admin.page.getByRole('button', { name, exact: true }).click();
const enter = (label: string, value: string) => admin.page.getByLabel(label, { exact: true }).fill(value);

test('A forgotten password is reset in three steps.', async () => {
  const { page } = admin;
  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot Password?' }).click();
  await page.getByRole('heading', { name: 'Forgot Password?' }).waitFor();
  await page.getByRole('link', { name: 'Home' }).waitFor();
  await enter('Email', admin.email);
  await press('Send code');
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
  const toast = page.getByRole('status').filter({ hasText: 'Reset code sent successfully!' });
  await toast.filter({ hasText: 'It arrives only if this email has an account.' }).waitFor();
  const code = line(await admin.mailed('Your password reset code'), 'Code');
  await page.getByLabel('Digit 1 of 6').focus();
  await page.keyboard.type(code === '000000' ? '000001' : '000000');
  await enter('New password', passwords.second);
  await enter('Confirm password', passwords.second);
  await press('Change password');
  // A refused code empties the boxes.
  await expect.poll(() => page.getByLabel('Digit 1 of 6').inputValue()).toBe('');
  await admin.atCode();
  await page.keyboard.type(code);
  await press('Change password');
  await page.getByRole('heading', { name: 'Password Changed!' }).waitFor();
  await toast.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('link', { name: 'Home', exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: 'Go to Login' }).click();
  await page.waitForURL('**/login');
});

test('The mailed link resets the password too, and its token disappears from the address at once.', async () => {
  const { page } = admin;
  await page.request.post('/api/auth/forgot-password', { data: { email: admin.email } });
  const link = /https?:\S+\/reset-password\?token=\S+/.exec(await admin.mailed('Your password reset code', 2))?.[0];
  const { pathname, search } = new URL(link ?? '');
  await page.goto(`${pathname}${search}`);
  await page.getByRole('heading', { name: 'Reset Password' }).waitFor();
  await page.waitForURL((url) => url.search === '');
  await enter('New password', passwords.third);
  await enter('Confirm password', passwords.second);
  await press('Reset Password');
  await page.getByText('Passwords do not match!').waitFor();
  await enter('Confirm password', passwords.third);
  await press('Reset Password');
  await page.waitForURL('**/login');
  await page.getByRole('status').filter({ hasText: 'Password reset successfully!' }).waitFor();
  // The history contains no token either.
  await page.goBack();
  expect(page.url()).not.toContain('token');
});

test('The new password opens the administrators’ dashboard, where a waiting provider is reviewed.', async () => {
  const { page } = admin;
  await page.request.post('/api/auth/register', {
    data: {
      email: 'omar.khan@example.org',
      username: 'omar.khan',
      password: passwords.second,
      role: 'healthProvider',
      firstname: 'Omar',
      lastname: 'Khan',
      licensenumber: 'PMC-77310',
      specialization: 'Radiology',
    },
  });
  await admin.signIn(passwords.third);
  await page.getByRole('link', { name: 'Admin Dashboard' }).click();
  await page.getByRole('heading', { name: 'Secure Medical Image Sharing Dashboard', level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.getByRole('heading', { name: 'System status' }).waitFor();
  await page.getByText('Omar Khan').first().waitFor();
  await page
    .getByRole('link', { name: /^Review/ })
    .first()
    .click();
  await page.waitForURL('**/approve-provider');
  await approve(page, 'Omar Khan');
  await page.getByRole('button', { name: 'Approve Omar Khan' }).waitFor({ state: 'detached' });
});

test('The layout changes at 1024 px, and the chat box has three quarters of the height of the window.', async () => {
  const { page } = admin;
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await page.setViewportSize({ width: 1024, height: 800 });
  await visit(page, '/messages');
  await page.getByText('Select a chat to start messaging').waitFor();
  await expect.poll(async () => (await menu.boundingBox())?.y).toBeLessThan(200);
  const box = page
    .locator('main')
    .getByRole('heading', { name: 'Chats', exact: true })
    .locator('xpath=ancestor::*[@data-chats]');
  await expect.poll(async () => (await box.boundingBox())?.height).toBeCloseTo(600, 0);

  await visit(page, '/audit-logs');
  // The reason and the button of the details are in view without scrolling sideways.
  for (const one of [
    page.getByRole('columnheader', { name: 'Reason' }),
    page.getByRole('button', { name: /^Details of/ }).first(),
  ]) {
    await one.waitFor();
    const end = async () => {
      const { x = 0, width = 1025 } = (await one.boundingBox()) ?? {};
      return x + width;
    };
    await expect.poll(end).toBeLessThanOrEqual(1024);
  }
  await page.goBack();
  await page.getByText('Select a chat to start messaging').waitFor();

  await page.setViewportSize({ width: 1023, height: 800 });
  await page.getByText('Select a chat to start messaging').waitFor({ state: 'detached' });
  // The menu is at the bottom, and only one pane is visible.
  await expect.poll(async () => (await menu.boundingBox())?.y).toBeGreaterThan(700);
  await expect.poll(async () => (await box.boundingBox())?.height).toBeCloseTo(600, 0);

  await page.getByRole('button', { name: 'New chat' }).first().click();
  await page.getByPlaceholder('Search user by name or email...').fill('omar khan');
  await page.locator('[role=dialog] [aria-busy=false]').getByText('Omar Khan').click();
  await page.getByRole('dialog').getByLabel('Message').fill('Welcome.');
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log').getByText('Welcome.').waitFor();
  await page.getByRole('heading', { name: 'Chats', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Back to the chats' }).click();
  await page.getByRole('heading', { name: 'Chats', exact: true }).waitFor();
  expect(admin.complaints).toEqual([]);
});
