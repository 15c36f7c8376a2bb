import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { paths } from '../lib/paths';
import { store } from '../lib/store';
import { answer, renderScreen, sana } from '../lib/testing';
import { Login } from './Login';
import { endSession, rememberPlace, session, startSession, verificationAtom } from './session';
import { VerifyAccount } from './VerifyAccount';

vi.mock('./passkey', () => ({
  passkeysPossible: () => true,
  offersAutofill: async () => false,
  endAutofill: async () => undefined,
  choosePasskey: async () => ({ ceremony: 'c', response: {} }),
}));

const signedIn = () => ({ body: { data: { token: 'access', user: sana } } });
const tables = () =>
  answer({
    'POST /auth/passkey/options': () => ({ body: { data: { ceremony: 'c', options: {} } } }),
    'POST /auth/passkey': signedIn,
    'POST /auth/confirm': signedIn,
  });
/** The second step after a sign-in at a provider. */
const waiting = () =>
  store.set(verificationAtom, {
    token: 'of the provider',
    email: sana.email,
    method: 'passkey',
    signOn: true,
    sentAt: Date.now(),
  });
const press = () => userEvent.click(screen.getByRole('button', { name: 'Log in with a passkey' }));

beforeEach(() => endSession('logout'));

it('A passkey completes the sign-in of a provider once, and the screen after it is the remembered one.', async () => {
  waiting();
  rememberPlace('/messages?with=1');
  const heard = tables();
  const router = renderScreen(<VerifyAccount />, paths.verifyAccount);
  await press();
  await waitFor(() => expect(store.get(verificationAtom)).toBeNull());
  expect(session().token).toBe('access');
  expect(router.state.location.pathname + router.state.location.search).toBe('/messages?with=1');
  expect(heard.at(-1)?.path).toBe('/auth/confirm');
  expect(heard.at(-1)?.headers.get('Authorization')).toBe('Bearer of the provider');
});

it('A passkey at /login begins a sign-in of its own, also when one of a provider was left behind.', async () => {
  waiting();
  rememberPlace('/messages?with=1');
  const heard = tables();
  const router = renderScreen(<Login />, paths.login);
  await screen.findByRole('button', { name: 'Log in with a passkey' });
  await press();
  await waitFor(() => expect(store.get(verificationAtom)).toBeNull());
  expect(session().token).toBe('access');
  // Its person comes back to where the last session ended.
  expect(router.state.location.pathname + router.state.location.search).toBe('/messages?with=1');
  expect(heard.map(({ path }) => path)).not.toContain('/auth/confirm');
});

it('The end of a session also ends a second step that was left behind.', async () => {
  startSession(sana, 'access');
  waiting();
  endSession('idle');
  expect(store.get(verificationAtom)).toBeNull();
  expect(sessionStorage.length).toBe(0);
});
