import { limits } from '@lightbox/contract/limits.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lastActive } from '../lib/activity';
import { publicSettings, settingEvents } from '../lib/publicSettings';
import { queryClient } from '../lib/query';
import { answer, renderScreen } from '../lib/testing';
import { IdleWarning } from './IdleWarning';
import { Login } from './Login';
import { endSession, rememberPlace, session, startSession, takePlace } from './session';

const user = {
  id: '0000000000000000000000aa',
  firstname: 'Hina',
  lastname: 'Farooq',
  role: { name: 'patient' },
} as unknown as User;

const idleMs = limits.sessionIdleMinutes * 60_000;

// The dialog's code is compiled before its time counts.
beforeAll(async () => void (await import('./IdleDialog')));
beforeEach(() => startSession(user, 'token'));
afterEach(() => endSession('logout'));

const idleFor = (ms: number) => localStorage.setItem('activity', String(Date.now() - ms));

describe('the idle warning', () => {
  it('The idle warning counts down, and its button keeps the session alive.', async () => {
    const heard = answer({
      'GET /notifications': () => ({ body: { data: [], pagination: {} } }),
    });
    idleFor(idleMs - 110_000);
    renderScreen(<IdleWarning />);
    const dialog = await screen.findByRole('alertdialog', { name: 'Are you still there?' });
    expect(dialog.textContent).toMatch(/1:[0-5]\d/);
    expect(screen.getByText('You will be logged out in 2 minutes.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Stay logged in' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    const kept = heard.find(({ path }) => path.startsWith('/notifications'));
    expect(kept?.headers.get('X-Background')).toBeNull();
    expect(Date.now() - lastActive()).toBeLessThan(10_000);
    expect(session().token).toBe('token');
  });

  it.each([
    ['the server’s message', { message: 'Maintenance until noon.' }, 'Maintenance until noon.'],
    ['a text of its own without one', {}, 'Logout failed. Please try again.'],
  ])('A failed logout shows %s, and the session stays.', async (_, body, text) => {
    answer({ 'POST /auth/logout': () => ({ status: 500, body }) });
    idleFor(idleMs - 90_000);
    renderScreen(<IdleWarning />);
    await screen.findByRole('alertdialog', { name: 'Are you still there?' });
    await userEvent.click(screen.getByRole('button', { name: 'Log out now' }));
    expect(await screen.findByText(text)).toBeTruthy();
    expect(session().token).toBe('token');
  });

  it('The idle warning uses the idle minutes that an administrator set, also after a change during the session.', async () => {
    let minutes = 60;
    const heard = answer({
      'GET /settings/public': () => ({
        body: {
          data: { 'upload.maxBytes': 10_485_760, 'sharing.expiryHours': 24, 'session.idleMinutes': minutes },
        },
      }),
    });
    idleFor(9.5 * 60_000);
    renderScreen(<IdleWarning />);
    await waitFor(() => expect(queryClient.getQueryData(publicSettings.queryKey)?.['session.idleMinutes']).toBe(60));
    // The request for the settings must not count as activity.
    expect(heard[0]?.headers.get('X-Background')).toBe('1');
    expect(screen.queryByRole('alertdialog')).toBeNull();
    minutes = 10;
    settingEvents['settings:changed']?.({}, queryClient);
    await screen.findByRole('alertdialog', { name: 'Are you still there?' });
    minutes = 9;
    settingEvents['settings:changed']?.({}, queryClient);
    await waitFor(() => expect(session().token).toBe(''));
    renderScreen(<Login />);
    expect(await screen.findByText('You were logged out after 9 minutes of inactivity.')).toBeTruthy();
  });

  it('At the idle limit the client signs out, deletes unsent drafts and explains it at /login.', async () => {
    answer({});
    sessionStorage.setItem(`drafts:${user.id}`, '{"x":"half a sentence"}');
    idleFor(idleMs + 1);
    renderScreen(<IdleWarning />);
    await waitFor(() => expect(session().token).toBe(''));
    expect(sessionStorage.getItem(`drafts:${user.id}`)).toBeNull();
    renderScreen(<Login />);
    expect(await screen.findByText('You were logged out after 30 minutes of inactivity.')).toBeTruthy();
    expect(screen.getByText(/unsent messages were removed/)).toBeTruthy();
  });
});

describe('the end of a session', () => {
  it('/login explains the end of a session by the first reported reason.', async () => {
    answer({});
    act(() => {
      endSession('deactivated');
      endSession('expired');
    });
    renderScreen(<Login />);
    expect(await screen.findByText('Your account was deactivated. Ask an administrator.')).toBeTruthy();
    expect(screen.queryByText(/Log in to continue/)).toBeNull();
  });

  it('The next sign-in returns to the last screen for the same person only.', () => {
    endSession('idle');
    rememberPlace('/messages?with=1#2');
    expect(takePlace(user.id)).toBe('/messages?with=1#2');
    startSession(user, 'token');
    endSession('idle');
    rememberPlace('/messages');
    expect(takePlace('somebody else')).toBeUndefined();
  });
});
