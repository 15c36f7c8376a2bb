import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { renderScreen } from '../lib/testing';
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
