import type { ScimToken } from '@lightbox/contract/scim/calls.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { queryClient } from '../lib/query';
import { answer, newest, opened, renderScreen } from '../lib/testing';
import { ScimTokens } from './ScimTokens';

const SECRET = 'lbs_Juniper-Quarry-58';
const token = (n: string, more: Partial<ScimToken> = {}): ScimToken => ({
  id: n.repeat(24),
  name: 'Clinic account',
  provider: 'clinic',
  createAt: '2026-11-19T10:00:00.000Z',
  ...more,
});
let tokens: ScimToken[];
let providers: { id: string; name: string }[];

const server = () =>
  answer({
    'GET /auth/sign-on': () => ({ body: { data: { providers, local: 'all' } } }),
    'GET /admin/scim-tokens': () => ({ body: { data: tokens } }),
    'POST /admin/scim-tokens': () => {
      tokens = [...tokens, token('b')];
      return { status: 201, body: { data: { ...token('b'), token: SECRET } } };
    },
    [`DELETE /admin/scim-tokens/${'a'.repeat(24)}`]: () => {
      tokens = tokens.filter(({ id }) => id !== 'a'.repeat(24));
      return { body: { data: null } };
    },
  });

beforeEach(() => {
  tokens = [];
  providers = [{ id: 'clinic', name: 'Clinic account' }];
});

it('A token is made for a provider, shown once, and leaves the memory with the dialog.', async () => {
  const heard = server();
  renderScreen(<ScimTokens />);
  await userEvent.click(await screen.findByRole('button', { name: 'New SCIM token for Clinic account' }));
  const dialog = within(await opened('dialog', 'SCIM token for Clinic account'));
  expect(heard.some(({ method }) => method === 'POST')).toBe(false);
  await userEvent.click(dialog.getByRole('button', { name: 'Create the token' }));
  expect(await dialog.findByText(SECRET)).toBeTruthy();
  expect(newest(heard, 'POST /admin/scim-tokens')?.body).toEqual({ name: 'Clinic account', provider: 'clinic' });
  await userEvent.click(dialog.getByRole('button', { name: 'I have copied it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const list = within(await screen.findByRole('list', { name: 'Single sign-on and leavers' }));
  expect(list.getByText(/Not used yet/)).toBeTruthy();
  expect(document.body.textContent).not.toContain(SECRET);
  await waitFor(() => {
    const kept = queryClient.getMutationCache().getAll();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain(SECRET);
  });
});

it('A token is ended after a question, and a refusal of that question ends nothing.', async () => {
  const heard = server();
  tokens = [token('a', { usedAt: '2026-11-20T10:00:00.000Z' })];
  renderScreen(<ScimTokens />);
  const end = await screen.findByRole('button', { name: 'End Clinic account' });
  expect(screen.getByText(/· Used/)).toBeTruthy();
  await userEvent.click(end);
  await opened('alertdialog');
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(heard.some(({ method }) => method === 'DELETE')).toBe(false);
  await userEvent.click(end);
  const question = within(await opened('alertdialog'));
  expect(question.getByText('The provider can no longer deactivate people who leave.')).toBeTruthy();
  await userEvent.click(question.getByRole('button', { name: 'End the token' }));
  await screen.findByText('The token has ended.');
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Single sign-on and leavers' })).toBeNull());
});

it('Without a provider there is nothing to make.', async () => {
  server();
  providers = [];
  renderScreen(<ScimTokens />);
  expect(await screen.findByText('The server’s configuration names no provider of single sign-on.')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
});
