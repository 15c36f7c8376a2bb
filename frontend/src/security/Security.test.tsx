import type { User } from '@lightbox/contract/users/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, opened, renderScreen } from '../lib/testing';
import { Security } from './Security';

const me: User = {
  id: 'a'.repeat(24),
  email: 's.mirza@example.org',
  username: 'sana.mirza',
  firstname: 'Sana',
  lastname: 'Mirza',
  active: true,
  status: 'active',
  role: { name: 'healthProvider' },
};
const at = '2026-11-21T02:00:00.000Z';
const device = (id: string, browser: string, system: string, current: boolean) => ({
  id: id.repeat(24),
  createAt: at,
  lastSeenAt: at,
  expiresAt: at,
  ip: '203.0.113.7',
  browser,
  system,
  current,
});
const here = device('1', 'Firefox', 'Linux', true);
const phone = device('2', 'Safari', 'iOS', false);
const entry = (id: string, actiontype: string, status: string, reason = '') => ({
  id: id.repeat(24),
  createAt: at,
  actiontype,
  status,
  ipaddress: '203.0.113.7',
  reason,
});

const notRight = (field: string) => ({
  status: 422,
  body: {
    error: 'VALIDATION_FAILED',
    message: 'Please check the fields.',
    errors: [{ field, message: 'This password is not right.' }],
  },
});

const state = (on: boolean) => ({ on, recoveryCodesLeft: on ? 10 : 0, required: false, ...(on && { since: at }) });
let on: boolean;
let devices: object[];
const server = () =>
  answer({
    'GET /users/profile': () => ({ body: { data: me } }),
    'GET /auth/sessions': () => ({ body: { data: devices } }),
    [`DELETE /auth/sessions/${phone.id}`]: () => {
      devices = [here];
      return { body: { data: null } };
    },
    'DELETE /auth/sessions': () => {
      devices = [here];
      return { body: { data: { ended: 1 } } };
    },
    'GET /auth/history': () => ({
      body: {
        data: [
          entry('3', 'auth.confirm', 'success', 'recoveryCode'),
          entry('4', 'auth.login', 'failed', 'INVALID_CREDENTIALS'),
        ],
        pagination: { hasNextPage: false },
      },
    }),
    'GET /auth/totp': () => ({ body: { data: state(on) } }),
    'POST /auth/totp': ({ body }) => {
      const { code } = body as { code?: string };
      if (code === undefined)
        return { body: { data: { secret: 'ABCDEFGH', uri: 'otpauth://totp/x?secret=ABCDEFGH' } } };
      if (code !== '123456') return { status: 422, body: { error: 'WRONG_CODE', message: 'No.', triesLeft: 4 } };
      on = true;
      return { body: { data: { recoveryCodes: ['AAAAA-22222', 'BBBBB-33333'] } } };
    },
    'POST /auth/totp/recovery-codes': () => ({ body: { data: { recoveryCodes: ['CCCCC-44444', 'DDDDD-55555'] } } }),
    'PUT /auth/password': ({ body }) => {
      const { currentPassword } = body as { currentPassword: string };
      return currentPassword === 'Right-Pass-1' ? { body: { data: null } } : notRight('currentPassword');
    },
    'DELETE /auth/totp': ({ body }) => {
      on = (body as { password: string }).password !== 'Right-Pass-1';
      return on ? notRight('password') : { body: { data: null } };
    },
  });

beforeEach(() => {
  startSession(me, 'token');
  on = false;
  devices = [here, phone];
});

const press = async (name: string, inside: ReturnType<typeof within> | typeof screen = screen) =>
  userEvent.click(await inside.findByRole('button', { name }));

describe('the devices', () => {
  it('say which one this is, and the others can be signed out', async () => {
    server();
    renderScreen(<Security />);
    const list = await screen.findByRole('list', { name: 'Signed-in devices' });
    const rows = within(list).getAllByRole('listitem');
    expect(rows[0]?.textContent).toContain('Firefox on Linux');
    expect(rows[0]?.textContent).toContain('This device');
    await press('Sign out Safari on iOS');
    await screen.findByText('Safari on iOS was signed out.');
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
    expect(screen.queryByRole('button', { name: 'Sign out everywhere else' })).toBeNull();
  });

  it('are all signed out but this one', async () => {
    server();
    renderScreen(<Security />);
    await press('Sign out everywhere else');
    await screen.findByText('1 device was signed out.');
  });
});

it('the sign-ins are told in words', async () => {
  server();
  renderScreen(<Security />);
  const list = await screen.findByRole('list', { name: 'Recent sign-ins' });
  const words = within(list)
    .getAllByRole('listitem')
    .map((row) => row.textContent);
  expect(words[0]).toContain('Signed in with a recovery code');
  expect(words[1]).toContain('Wrong password');
  expect(words[1]).toContain('203.0.113.7');
});

describe('the authenticator app', () => {
  it('is set up with its picture, its key and a code, and shows the recovery codes', async () => {
    const heard = server();
    renderScreen(<Security />);
    await press('Set up the app');
    const dialog = within(await opened());
    expect((await dialog.findByRole('img', { name: 'QR code for the authenticator app' })).innerHTML).toContain('path');
    await dialog.findByText('ABCD EFGH');
    const type = async (code: string) => {
      const [first] = dialog.getAllByRole('textbox');
      if (first) await userEvent.click(first);
      await userEvent.paste(code);
      const typed = () => dialog.getAllByRole<HTMLInputElement>('textbox').map(({ value }) => value);
      await waitFor(() => expect(typed().join('')).toBe(code));
      await press('Turn on', dialog);
    };
    await type('000000');
    await dialog.findByText('That code is not right. 4 tries left.');
    await type('123456');
    const codes = await dialog.findByRole('list', { name: 'Recovery codes' });
    expect(codes.textContent).toBe('AAAAA-22222BBBBB-33333');
    await press('I have kept them', dialog);
    await screen.findByText(/^On since/);
    expect(screen.getByText('10 recovery codes left.')).toBeTruthy();
    expect(heard.filter(({ method, path }) => method === 'POST' && path === '/auth/totp')).toHaveLength(3);
  });

  it('is removed with the password', async () => {
    on = true;
    server();
    renderScreen(<Security />);
    await press('Remove the app');
    const dialog = within(await opened('alertdialog'));
    const password = dialog.getByLabelText('Your password');
    await userEvent.type(password, 'Wrong-Pass-1');
    await press('Remove the app', dialog);
    await dialog.findByText('This password is not right.');
    await userEvent.clear(password);
    await userEvent.type(password, 'Right-Pass-1');
    await press('Remove the app', dialog);
    await screen.findByRole('button', { name: 'Set up the app' });
  });
});

it('recovery codes are renewed for the password, and shown once', async () => {
  on = true;
  const heard = server();
  renderScreen(<Security />);
  await press('New recovery codes');
  const ask = within(await opened('alertdialog'));
  await userEvent.type(ask.getByLabelText('Your password'), 'Right-Pass-1');
  await press('New recovery codes', ask);
  const dialog = within(await opened());
  expect((await dialog.findByRole('list', { name: 'Recovery codes' })).textContent).toBe('CCCCC-44444DDDDD-55555');
  await press('I have kept them', dialog);
  await waitFor(() => expect(screen.queryByText('CCCCC-44444')).toBeNull());
  expect(heard.find(({ path }) => path === '/auth/totp/recovery-codes')?.body).toEqual({ password: 'Right-Pass-1' });
});

it('the password is changed for the current one, and a wrong one is said at its field', async () => {
  const enter = async (field: HTMLElement, text: string) => {
    await userEvent.click(field);
    await userEvent.paste(text);
  };
  const heard = server();
  renderScreen(<Security />);
  await press('Change password');
  const dialog = within(await opened());
  await press('Change password', dialog);
  await dialog.findByText('Please enter your password.');
  const current = dialog.getByLabelText('Current password');
  await enter(current, 'Wrong-Pass-1');
  await enter(dialog.getByLabelText('New password'), 'Harbour-Lantern-42');
  await enter(dialog.getByLabelText('Confirm password'), 'Harbour-Lantern-42');
  await press('Change password', dialog);
  await dialog.findByText('This password is not right.');
  expect(document.activeElement).toBe(current);
  await userEvent.clear(current);
  await enter(current, 'Right-Pass-1');
  await press('Change password', dialog);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(heard.filter(({ path }) => path === '/auth/password').map(({ body }) => body)).toEqual([
    { currentPassword: 'Wrong-Pass-1', newPassword: 'Harbour-Lantern-42' },
    { currentPassword: 'Right-Pass-1', newPassword: 'Harbour-Lantern-42' },
  ]);
  // Who is signed in now is read again.
  await waitFor(() => expect(heard.filter(({ path }) => path === '/auth/sessions').length).toBeGreaterThan(1));
});
