import { useMutation } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { endSession, startSession } from '../auth/session';
import { ApiError } from './http';
import { queryClient } from './query';
import { renderScreen } from './testing';
import { toast } from './toaster';

const person = (n: number) => ({
  ...{ id: String(n).padStart(24, '0'), email: `a${n}@example.org`, username: `a${n}` },
  ...{ firstname: 'Mariam', lastname: 'Yousaf', role: { name: 'patient' as const } },
});

type Silent = true | 'always';
let fail = () => {};

/** A form that shows its failures itself. */
function Form({ silent }: { silent: Silent }) {
  const { mutate, error } = useMutation({
    mutationFn: () =>
      new Promise((_, reject) => {
        fail = () => reject(new ApiError(409, 'CONFLICT', 'Somebody was faster.'));
      }),
    meta: { silent },
  });
  return error ? (
    <p>in place</p>
  ) : (
    <button type="button" onClick={() => mutate()}>
      Send
    </button>
  );
}

/** A form whose failures are told by a toast, and which is drawn again from time to time. */
function Toasted() {
  const [drawn, draw] = useState(0);
  const { mutate } = useMutation({ mutationFn: () => new Promise((_, reject) => (fail = () => reject(new Error()))) });
  return (
    <>
      <button type="button" onClick={() => mutate()}>
        Send
      </button>
      <button type="button" onClick={() => draw(drawn + 1)}>
        Draw again
      </button>
    </>
  );
}

function Screen({ silent }: { silent: Silent }) {
  const [open, setOpen] = useState(true);
  return (
    <>
      {open && <Form silent={silent} />}
      <button type="button" onClick={() => setOpen(false)}>
        Close
      </button>
    </>
  );
}

const told = vi.spyOn(toast, 'error');
afterEach(() => told.mockClear());

/** Sends the form. Returns the mutation that is under way. */
async function sent(silent: Silent = true) {
  startSession(person(1), 'token');
  renderScreen(<Screen silent={silent} />);
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  const [mutation] = queryClient.getMutationCache().getAll();
  expect(mutation?.state.status).toBe('pending');
  return async () => {
    await act(async () => fail());
    await waitFor(() => expect(mutation?.state.status).toBe('error'));
  };
}
const close = () => userEvent.click(screen.getByRole('button', { name: 'Close' }));

it('A failure is shown in the form alone while the form is there.', async () => {
  const ended = await sent();
  await ended();
  await screen.findByText('in place');
  expect(told).not.toHaveBeenCalled();
});

it('A toast tells the failure of a form that was closed meanwhile.', async () => {
  const ended = await sent();
  await close();
  await ended();
  await screen.findByText('Somebody was faster.');
  expect(told).toHaveBeenCalledTimes(1);
});

it('A closed form that tells its failures by itself has no second toast.', async () => {
  const ended = await sent('always');
  await close();
  await ended();
  expect(told).not.toHaveBeenCalled();
});

it.each(['before', 'after'])(
  'The next person is not told of a failure of the last one, whose form was closed %s the sign-out.',
  async (when) => {
    const ended = await sent();
    if (when === 'before') await close();
    act(() => endSession('logout'));
    act(() => startSession(person(2), 'another'));
    if (when === 'after') await close();
    await ended();
    expect(told).not.toHaveBeenCalled();
  },
);

it('The next person is not told of a failure of the last one, whose form was drawn once more after the sign-out.', async () => {
  startSession(person(1), 'token');
  renderScreen(<Toasted />);
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  const [mutation] = queryClient.getMutationCache().getAll();
  act(() => endSession('logout'));
  await userEvent.click(screen.getByRole('button', { name: 'Draw again' }));
  act(() => startSession(person(2), 'another'));
  await act(async () => fail());
  await waitFor(() => expect(mutation?.state.status).toBe('error'));
  expect(told).not.toHaveBeenCalled();
});
