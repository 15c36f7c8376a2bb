import type { User } from '@lightbox/contract/users/schemas.js';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { store } from '../lib/store';
import { answer, renderScreen } from '../lib/testing';
import { endSession, session, totpDueAtom, verificationAtom } from './session';
import { VerifyAccount } from './VerifyAccount';

const me: User = {
  id: 'a'.repeat(24),
  email: 's.mirza@example.org',
  username: 'sana.mirza',
  firstname: 'Sana',
  lastname: 'Mirza',
  active: true,
  role: { name: 'healthProvider' },
};
const signedIn = (extra = {}) => ({ body: { data: { token: 'access', user: me, ...extra } } });
const waiting = (method: 'mail' | 'totp') =>
  store.set(verificationAtom, { token: 'verification', email: me.email, method, sentAt: Date.now() });

beforeEach(() => endSession('logout'));

async function enter(code: string) {
  const [first] = screen.getAllByRole('textbox');
  if (first) await userEvent.click(first);
  await userEvent.paste(code);
  const typed = () => screen.getAllByRole<HTMLInputElement>('textbox').map(({ value }) => value);
  await waitFor(() => expect(typed().join('')).toContain(code));
  await userEvent.click(screen.getByText('Verify'));
}

describe('the second step with an authenticator app', () => {
  it('The second step by app asks for its code, offers no new mail, and accepts a recovery code instead.', async () => {
    waiting('totp');
    const heard = answer({
      'POST /auth/confirm': ({ body }) =>
        'recoveryCode' in (body as object)
          ? signedIn()
          : { status: 423, body: { error: 'CODE_LOCKED', message: 'Too many wrong codes. Ask for a new one.' } },
    });
    renderScreen(<VerifyAccount />, '/verify-account');
    await screen.findByText('Enter the 6-digit code from your authenticator app.');
    expect(screen.queryByText('Resend code')).toBeNull();
    await enter('123456');
    await screen.findByText('Too many wrong codes. Please log in again.');
    await userEvent.click(screen.getByText('Use a recovery code'));
    await enter('abc');
    await screen.findByText('A recovery code has ten letters and digits.');
    await enter('de-fghjk');
    await waitFor(() => expect(session().token).toBe('access'));
    const confirmed = heard.filter(({ path }) => path === '/auth/confirm').map(({ body }) => body);
    expect(confirmed).toEqual([{ code: '123456' }, { recoveryCode: 'abcde-fghjk' }]);
  });
});

it('Without a password that was accepted before, the second step leads to the login.', async () => {
  const router = renderScreen(<VerifyAccount />, '/verify-account');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

describe('the second step by mail', () => {
  it('After the second step by mail the session is locked when an authenticator app is required.', async () => {
    waiting('mail');
    answer({ 'POST /auth/confirm': () => signedIn({ setUpTotp: true }) });
    renderScreen(<VerifyAccount />, '/verify-account');
    await screen.findByText('Resend code');
    await enter('123456');
    await waitFor(() => expect(store.get(totpDueAtom)).toBe(true));
  });

  it('A field that the server refuses is named with its message, and with no other character.', async () => {
    waiting('mail');
    const errors = [{ field: 'code', message: 'is wrong' }];
    answer({ 'POST /auth/confirm': () => ({ status: 422, body: { error: 'VALIDATION_FAILED', errors } }) });
    renderScreen(<VerifyAccount />, '/verify-account');
    await screen.findByText('Resend code');
    await enter('123456');
    await screen.findByText('code: is wrong');
  });
});
