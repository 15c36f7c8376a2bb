import { sessionFields } from '@lightbox/contract/auth/session.js';
import { expect, it, onTestFinished, vi } from 'vitest';

const user = {
  id: 'a'.repeat(24),
  email: 's.mirza@example.org',
  username: 'sana.mirza',
  firstname: 'Sana',
  lastname: 'Mirza',
  role: { name: 'patient' as const },
};
const filled = { ...user, active: true, dob: '1988-03-17', bloodgroup: 'B+', insurancenumber: 'I-1', totp: true };
const stored = () => JSON.parse(localStorage.getItem('root') ?? 'null');

// The first test: each module that a later one loads would listen too.
it('The end of an earlier session, which a tab hears late, does not end the session of the next person.', async () => {
  const { endedAtom, session, startSession } = await import('./session');
  const { store } = await import('../lib/store');
  const otherTab = new BroadcastChannel('lightbox-ended');
  onTestFinished(() => otherTab.close());
  startSession(user, 'next');
  otherTab.postMessage({ token: 'before', reason: 'logout' });
  otherTab.postMessage({ token: 'next', reason: 'idle' });
  await expect.poll(() => session().token).toBe('');
  expect(store.get(endedAtom)).toBe('idle');
});

it('Local storage contains the token and the session fields only.', async () => {
  localStorage.setItem('root', JSON.stringify({ token: 'older', user: filled, more: 1 }));
  vi.resetModules();
  const { session, startSession, updateSessionUser } = await import('./session');
  expect(Object.keys(user)).toEqual([...sessionFields]);
  expect(stored()).toEqual({ token: 'older', user });
  expect(session()).toEqual({ token: 'older', user });
  startSession(filled, 'new');
  expect(stored()).toEqual({ token: 'new', user });
  updateSessionUser({ ...filled, lastname: 'Mirza-Khan' });
  expect(stored()).toEqual({ token: 'new', user: { ...user, lastname: 'Mirza-Khan' } });
  // Another tab with an older version of the app writes the whole profile.
  const newValue = JSON.stringify({ token: 'newer', user: filled });
  window.dispatchEvent(new StorageEvent('storage', { key: 'root', newValue, storageArea: localStorage }));
  expect(session()).toEqual({ token: 'newer', user });
});

it('Broken data in local storage is read as no session.', async () => {
  for (const broken of ['{', 'null', '{"token":"t"}', '{"user":{}}', '7']) {
    localStorage.setItem('root', broken);
    vi.resetModules();
    const { session } = await import('./session');
    expect(session()).toEqual({ token: '', user: null });
  }
});

it('The person whom an older version left without a token is removed when the app loads.', async () => {
  localStorage.setItem('root', JSON.stringify({ token: '', user: filled }));
  vi.resetModules();
  await import('./session');
  expect(stored()).toEqual({ token: '', user: null });
});
