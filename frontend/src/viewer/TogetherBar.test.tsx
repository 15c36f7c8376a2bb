import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { startSession } from '../auth/session';
import * as socket from '../lib/socket';
import { renderScreen } from '../lib/testing';
import { toast } from '../lib/toaster';
import { Pointing } from './pointing';
import { TogetherBar } from './TogetherBar';
import type { Together } from './useTogether';

const ana = { id: 'a'.repeat(24), email: '', username: 'ana', firstname: 'Ana', lastname: 'Ruiz' };
const ben = { id: 'b'.repeat(24), firstname: 'Ben', lastname: 'Ruiz' };
const signIn = (id: string) => startSession({ ...ana, id, role: { name: 'healthProvider' } }, `token of ${id}`);
const nothing = () => {};

function show({ others = [], lost = false }: Partial<Together>) {
  const together: Together = {
    ...{ on: true, toggle: nothing, me: ana.id, others, lost, following: undefined, follow: nothing, said: '' },
    ...{ pointing: new Pointing(), point: nothing, nameOf: () => '', acted: nothing },
  };
  renderScreen(<TogetherBar together={together} people={[ben]} drawing={false} onDraw={nothing} />);
}

afterEach(() => vi.restoreAllMocks());

it('Without a connection the bar shows nobody as present.', async () => {
  signIn(ana.id);
  show({ others: [ben], lost: true });
  await screen.findByText(/Connection lost/);
  expect(screen.queryByRole('button', { name: /Follow/ })).toBeNull();
});

it('With a connection the bar shows who is present.', async () => {
  signIn(ana.id);
  show({ others: [ben] });
  expect(await screen.findByRole('button', { name: /Follow/ })).toBeTruthy();
});

/** Invites somebody, and returns how the server refuses it later. */
async function invite() {
  let refuse: (reason: Error) => void = nothing;
  vi.spyOn(socket, 'emit').mockReturnValue(
    new Promise((_, reject) => {
      refuse = reject;
    }),
  );
  signIn(ana.id);
  show({});
  await userEvent.click(await screen.findByRole('button', { name: /Invite/ }));
  return () => act(async () => refuse(new Error('operation has timed out')));
}

it('A person is told that their invitation was not sent.', async () => {
  const refuse = await invite();
  await refuse();
  expect(await screen.findByText('The invitation to Ben Ruiz was not sent. Please try again.')).toBeTruthy();
});

it('The next person at a screen is not told of an invitation that the last one could not send.', async () => {
  const told = vi.spyOn(toast, 'error');
  const refuse = await invite();
  const button = screen.getByRole('button', { name: /Invite/ }) as HTMLButtonElement;
  act(() => signIn('c'.repeat(24)));
  await refuse();
  // The refusal has arrived.
  await waitFor(() => expect(button.disabled).toBe(false));
  expect(told).not.toHaveBeenCalled();
});
