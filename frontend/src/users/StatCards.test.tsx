import type { User } from '@lightbox/contract/users/schemas.js';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, renderScreen } from '../lib/testing';
import { StatCards } from './StatCards';

const totals = { totalImages: 4, sharedImages: 1, totalUsers: 8 };
const show = (role: 'admin' | 'healthProvider', data: object) => {
  startSession({ id: '1'.repeat(24), role: { name: role } } as User, 'token');
  answer({ 'GET /stats': () => ({ body: { data } }) });
  renderScreen(<StatCards />);
};

it('An administrator sees the number of users by role.', async () => {
  show('admin', { ...totals, usersByRole: { patient: 5, healthProvider: 2, admin: 1 } });
  await screen.findByText('5 patients');
  const roles = within(screen.getByRole('heading', { name: 'Total Users' }).closest('article') as HTMLElement);
  expect(roles.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
    '5 patients',
    '2 providers',
    '1 administrator',
  ]);
});

it('A provider sees only the total number of users.', async () => {
  show('healthProvider', totals);
  await screen.findByText('8');
  expect(screen.queryByRole('list')).toBeNull();
});
