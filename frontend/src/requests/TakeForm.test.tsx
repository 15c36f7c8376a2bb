import type { HeldRequest } from '@lightbox/contract/requests/calls.js';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, hold, newest, renderScreen } from '../lib/testing';
import { TakeForm } from './TakeForm';

const id = (n: number) => n.toString(16).padStart(24, '0');
const person = (n: number) => ({ id: id(n), email: `h${n}@example.org`, firstname: 'Hina', lastname: 'Farooq' });
const wanted = person(9);
const request: HeldRequest = {
  id: id(50),
  kind: 'file',
  state: 'received',
  createAt: '2026-11-19T10:00:00.000Z',
  expiresAt: '2099-01-01T00:00:00.000Z',
  ...{ email: null, note: null, files: 1, bytes: 1, images: [] },
  patient: { id: wanted.id, firstname: 'Hina', lastname: 'Farooq' },
};
const namesakes = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ ...person(n), role: 'patient' }));
const takeCall = `POST /requests/${request.id}/take`;
const table = {
  'GET /users': () => ({ body: { data: namesakes } }),
  [`GET /users/${wanted.id}`]: () => ({ body: { data: { ...wanted, role: { name: 'patient' } } } }),
  [takeCall]: () => ({ body: { data: { images: 1 } } }),
};
const take = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Take the images/ });
const chosen = () => screen.getByRole<HTMLInputElement>('combobox').value;
const show = () => renderScreen(<TakeForm request={request} />);

beforeEach(() =>
  startSession(
    { ...person(99), username: 'sana', firstname: 'Sana', lastname: 'Qadir', role: { name: 'healthProvider' } },
    'token',
  ),
);

it('The patient of a request is proposed also when many people have the same name.', async () => {
  const heard = answer(table);
  show();
  await waitFor(() => expect(chosen()).toBe('Hina Farooq'));
  await userEvent.click(take());
  await screen.findByText('elsewhere');
  expect(newest(heard, takeCall)?.body).toEqual({ patientId: wanted.id });
});

it('The images are not taken before the patient of their request is read, unless somebody else is chosen.', async () => {
  const heard = answer(table);
  const release = hold(wanted.id);
  show();
  expect(take().disabled).toBe(true);
  await userEvent.click(screen.getByRole('combobox'));
  const [first] = await screen.findAllByRole('option');
  await userEvent.click(first as HTMLElement);
  await waitFor(() => expect(take().disabled).toBe(false));
  release();
  await waitFor(() => expect(heard.some(({ path }) => path === `/users/${wanted.id}`)).toBe(true));
  await userEvent.click(take());
  await screen.findByText('elsewhere');
  expect(newest(heard, takeCall)?.body).toEqual({ patientId: id(1) });
});

it('A patient of a request who cannot be read is named at the choice of the patient, until somebody is chosen.', async () => {
  answer({
    ...table,
    [`GET /users/${wanted.id}`]: () => ({ status: 404, body: { message: '', error: 'NOT_FOUND', requestId: 'r' } }),
  });
  show();
  expect((await screen.findByRole('alert')).textContent).toBe(
    'Hina Farooq, the patient of this request, could not be loaded. Please choose the patient again.',
  );
  expect(take().disabled).toBe(false);
  await userEvent.click(screen.getByRole('combobox'));
  const [first] = await screen.findAllByRole('option');
  await userEvent.click(first as HTMLElement);
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});
