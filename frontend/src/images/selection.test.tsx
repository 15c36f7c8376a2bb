import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { ImagesScreen } from '../app/ImagesScreen';
import { startSession } from '../auth/session';
import { answer, opened, renderScreen } from '../lib/testing';

const ids = ['c', 'd'].map((letter) => letter.repeat(24));
const provider = {
  id: 'a'.repeat(24),
  email: 'bilal@example.org',
  username: 'bilal',
  firstname: 'Bilal',
  lastname: 'Siddiqui',
  active: true,
  role: { name: 'healthProvider' as const },
};
const own = ids.map((id, at) => ({
  id,
  caption: `Slice ${at}`,
  contentType: 'image/png',
  createAt: '2026-11-19T14:05:31.000Z',
  owner: provider,
  isVerified: true,
  isShared: false,
  image_url: null,
}));

beforeEach(() => startSession(provider, 'token'));

it('Images that were chosen stay chosen when their dialog is closed without sharing them.', async () => {
  const none = () => ({ body: { data: [] } });
  answer({ 'GET /upload/my-images': () => ({ body: { data: own } }), 'GET /upload/shared-images': none });
  renderScreen(<ImagesScreen />, '/view-images');
  await screen.findByText('Slice 0');
  await userEvent.click(screen.getByRole('button', { name: 'Select' }));
  for (const { caption } of own) await userEvent.click(await screen.findByLabelText(`Choose ${caption}`));
  const share = () => screen.getByRole('button', { name: 'Share chosen' });
  await userEvent.click(share());
  await opened();
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.getByText('2 images chosen')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(share()));
});
