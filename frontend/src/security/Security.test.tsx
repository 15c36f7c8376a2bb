import type { User } from '@lightbox/contract/users/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { reread } from '../lib/live';
import { queryClient } from '../lib/query';
import { answer, opened, renderScreen } from '../lib/testing';
import { Security } from './Security';
import { StepUp } from './StepUp';

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
    errors: [{ field, message: 'This password is not correct.' }],
  },
});

/** The server's answer to a call without a step-up proof. */
const unproven = {
  status: 403,
  body: { error: 'STEP_UP_REQUIRED', message: 'No.', requestId: 'r', ways: ['password', 'mailedCode'] },
};
const key = { id: '9'.repeat(24), name: 'Desk', createAt: at, synced: false };

const state = (on: boolean) => ({ on, recoveryCodesLeft: on ? 10 : 0, required: false, ...(on && { since: at }) });
let on: boolean;
let proven: boolean;
let passkeys: object[];
let devices: object[];
let tokens: object[];
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
    'GET /auth/passkeys': () => ({ body: { data: passkeys } }),
    'GET /webhooks': () => ({ body: { data: [] } }),
    'GET /auth/tokens': () => ({ body: { data: tokens } }),
    'POST /auth/tokens': ({ body }) => {
      const { name, scopes } = body as { name: string; scopes: string[] };
      tokens = [{ id: '8'.repeat(24), name, scopes, createAt: at, expiresAt: at }];
      return { status: 201, body: { data: { ...tokens[0], token: 'lbx_secret' } } };
    },
    [`DELETE /auth/tokens/${'8'.repeat(24)}`]: () => {
      tokens = [];
      return { body: { data: null } };
    },
    'POST /auth/step-up': ({ body }) => {
      proven = (body as { password: string }).password === 'Right-Pass-1';
      return proven ? { body: { data: null } } : notRight('password');
    },
    'POST /auth/totp': ({ body }) => {
      const { code } = body as { code?: string };
      if (code === undefined)
        return { body: { data: { secret: 'ABCDEFGH', uri: 'otpauth://totp/x?secret=ABCDEFGH' } } };
      if (code !== '123456') return { status: 422, body: { error: 'WRONG_CODE', message: 'No.', triesLeft: 4 } };
      on = true;
      return { body: { data: { recoveryCodes: ['AAAAA-22222', 'BBBBB-33333'] } } };
    },
    'POST /auth/totp/recovery-codes': () =>
      proven ? { body: { data: { recoveryCodes: ['CCCCC-44444', 'DDDDD-55555'] } } } : unproven,
    'PUT /auth/password': ({ body }) => {
      const { currentPassword } = body as { currentPassword: string };
      return currentPassword === 'Right-Pass-1' ? { body: { data: null } } : notRight('currentPassword');
    },
    'DELETE /auth/totp': () => {
      on = !proven;
      return on ? unproven : { body: { data: null } };
    },
    [`DELETE /auth/passkeys/${key.id}`]: () => {
      passkeys = [];
      return { body: { data: null } };
    },
    [`PUT /auth/passkeys/${key.id}`]: ({ body }) => {
      passkeys = [{ ...key, ...(body as { name: string }) }];
      return { body: { data: passkeys[0] } };
    },
  });

beforeEach(() => {
  startSession(me, 'token');
  on = false;
  proven = false;
  passkeys = [];
  devices = [here, phone];
  tokens = [];
});

const press = async (name: string, inside: ReturnType<typeof within> | typeof screen = screen) =>
  userEvent.click(await inside.findByRole('button', { name }));

describe('the devices', () => {
  it('The list of devices marks this device, and another device can be signed out.', async () => {
    server();
    renderScreen(<Security />);
    const list = await screen.findByRole('list', { name: 'Logged-in devices' });
    const rows = within(list).getAllByRole('listitem');
    expect(rows[0]?.textContent).toContain('Firefox on Linux');
    expect(rows[0]?.textContent).toContain('This device');
    await press('Log out Safari on iOS');
    await screen.findByText('Safari on iOS was logged out.');
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
    expect(screen.queryByRole('button', { name: 'Log out everywhere else' })).toBeNull();
  });

  it('One button signs out all other devices.', async () => {
    server();
    renderScreen(<Security />);
    await press('Log out everywhere else');
    await screen.findByText('1 device was logged out.');
  });
});

it('The list of sign-ins says how the person signed in, or why the sign-in failed.', async () => {
  server();
  renderScreen(<Security />);
  const list = await screen.findByRole('list', { name: 'Recent logins' });
  const words = within(list)
    .getAllByRole('listitem')
    .map((row) => row.textContent);
  expect(words[0]).toContain('Logged in with a recovery code');
  expect(words[1]).toContain('Wrong password');
  expect(words[1]).toContain('203.0.113.7');
});

describe('the authenticator app', () => {
  it('The set-up of the app shows the QR code and the key, asks for a code, and shows the recovery codes.', async () => {
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
    await dialog.findByText('That code didn’t match. 4 tries left.');
    await type('123456');
    const codes = await dialog.findByRole('list', { name: 'Recovery codes' });
    expect(codes.textContent).toBe('AAAAA-22222BBBBB-33333');
    await press('I have saved them', dialog);
    await screen.findByText(/^On since/);
    expect(screen.getByText('10 recovery codes left.')).toBeTruthy();
    expect(heard.filter(({ method, path }) => method === 'POST' && path === '/auth/totp')).toHaveLength(3);
  });

  it('The set-up keeps its secret while everything is read again, as after a reconnect.', async () => {
    const heard = server();
    renderScreen(<Security />);
    await press('Set up the app');
    await within(await opened()).findByText('ABCD EFGH');
    await reread(queryClient, []);
    expect(heard.filter(({ method, path }) => method === 'POST' && path === '/auth/totp')).toHaveLength(1);
  });

  it('A set-up that is closed before its last button shows that the app is on.', async () => {
    server();
    renderScreen(<Security />);
    await press('Set up the app');
    const dialog = within(await opened());
    await dialog.findByText('ABCD EFGH');
    await userEvent.click(dialog.getAllByRole('textbox')[0] as HTMLElement);
    await userEvent.paste('123456');
    await press('Turn on', dialog);
    await dialog.findByRole('list', { name: 'Recovery codes' });
    await userEvent.keyboard('{Escape}');
    await screen.findByText(/^On since/);
  });

  it('The app is removed after the person gave the step-up proof.', async () => {
    on = true;
    server();
    renderScreen(
      <>
        <Security />
        <StepUp />
      </>,
    );
    await press('Remove the app');
    await press('Remove the app', within(await opened('alertdialog')));
    const dialog = within(await opened('dialog', 'Is this still you?'));
    const password = dialog.getByLabelText('Your password');
    await userEvent.type(password, 'Wrong-Pass-1');
    await press('Confirm', dialog);
    await dialog.findByText('This password is not correct.');
    await userEvent.clear(password);
    await userEvent.type(password, 'Right-Pass-1');
    await press('Confirm', dialog);
    await screen.findByRole('button', { name: 'Set up the app' });
  });
});

it('Recovery codes can be renewed, and the new ones are shown once.', async () => {
  [on, proven] = [true, true];
  const heard = server();
  renderScreen(<Security />);
  await press('New recovery codes');
  await press('New recovery codes', within(await opened('alertdialog')));
  const dialog = within(await opened());
  expect((await dialog.findByRole('list', { name: 'Recovery codes' })).textContent).toBe('CCCCC-44444DDDDD-55555');
  await press('I have saved them', dialog);
  await waitFor(() => expect(screen.queryByText('CCCCC-44444')).toBeNull());
  expect(heard.find(({ path }) => path === '/auth/totp/recovery-codes')?.body).toEqual({});
});

it('A passkey can be renamed and removed. A browser that cannot use passkeys offers no new one.', async () => {
  passkeys = [key];
  server();
  renderScreen(<Security />);
  await screen.findByText('This browser cannot use passkeys at this address. They need https, or localhost.');
  expect(screen.queryByRole('button', { name: 'Add a passkey' })).toBeNull();
  await press('Rename Desk');
  const dialog = within(await screen.findByRole('dialog'));
  const name = dialog.getByLabelText('Name of the passkey');
  await userEvent.clear(name);
  await press('Save', dialog);
  await dialog.findByText('Please give it a name.');
  await userEvent.type(name, 'Telephone');
  await press('Save', dialog);
  await press('Remove Telephone');
  await press('Remove the passkey', within(await screen.findByRole('alertdialog')));
  await waitFor(() => expect(screen.queryByText('Telephone')).toBeNull());
});

it('The password can be changed with the current one, and a wrong current one is an error at its field.', async () => {
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
  await dialog.findByText('This password is not correct.');
  expect(document.activeElement).toBe(current);
  await userEvent.clear(current);
  await enter(current, 'Right-Pass-1');
  await press('Change password', dialog);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(heard.filter(({ path }) => path === '/auth/password').map(({ body }) => body)).toEqual([
    { currentPassword: 'Wrong-Pass-1', newPassword: 'Harbour-Lantern-42' },
    { currentPassword: 'Right-Pass-1', newPassword: 'Harbour-Lantern-42' },
  ]);
  // The list of devices is read again.
  await waitFor(() => expect(heard.filter(({ path }) => path === '/auth/sessions').length).toBeGreaterThan(1));
});

it('A personal token needs a name and a scope, is shown once, and can be ended.', async () => {
  const heard = server();
  renderScreen(<Security />);
  await press('Create a token');
  const dialog = within(await opened());
  await press('Create the token', dialog);
  await dialog.findByText('Please give it a name.');
  await dialog.findByText('Please choose at least one.');
  await userEvent.type(dialog.getByLabelText('Name of the token'), 'CT scanner');
  await userEvent.click(dialog.getByLabelText('upload images for you'));
  await press('Create the token', dialog);
  await dialog.findByText('lbx_secret');
  expect(heard.find(({ method, path }) => method === 'POST' && path === '/auth/tokens')?.body).toEqual({
    name: 'CT scanner',
    scopes: ['upload'],
    days: 90,
  });
  await press('I have saved it', dialog);
  await waitFor(() => expect(screen.queryByText('lbx_secret')).toBeNull());
  const list = await screen.findByRole('list', { name: 'Personal tokens' });
  expect(list.textContent).toContain('Upload images');
  await press('End CT scanner');
  await press('End the token', within(await opened('alertdialog')));
  await waitFor(() => expect(screen.queryByText('CT scanner')).toBeNull());
});
