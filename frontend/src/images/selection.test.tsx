import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { ImagesScreen } from '../app/ImagesScreen';
import { startSession } from '../auth/session';
import { answer, opened, renderScreen, sana } from '../lib/testing';

const ids = ['c', 'd'].map((letter) => letter.repeat(24));
const own = ids.map((id, at) => ({
  id,
  caption: `Slice ${at}`,
  contentType: 'image/png',
  createAt: '2026-11-19T14:05:31.000Z',
  owner: sana,
  isVerified: true,
  isShared: false,
  image_url: null,
}));

beforeEach(() => startSession(sana, 'token'));

const none = () => ({ body: { data: [] } });
const ben = { id: 'b'.repeat(24), firstname: 'Ben', lastname: 'Noor', email: 'ben@example.org', role: 'patient' };
const share = { id: 'e'.repeat(24), imagemetadataId: ids[0], createdfor: ben.id };
const shareButton = () => screen.queryByRole('button', { name: 'Share chosen' });

/** Chooses both images, and opens the dialog that shares them. */
async function askToShare() {
  answer({
    'GET /upload/my-images': () => ({ body: { data: own } }),
    'GET /upload/shared-images': none,
    'GET /users': () => ({ body: { data: [ben], meta: { page: 1, limit: 8, total: 1, pages: 1 } } }),
    'POST /sharing/batch': () => ({ status: 201, body: { data: { shares: [share], invited: [], skipped: [] } } }),
  });
  renderScreen(<ImagesScreen />, '/view-images');
  await screen.findByText('Slice 0');
  await userEvent.click(screen.getByRole('button', { name: 'Select' }));
  for (const { caption } of own) await userEvent.click(await screen.findByLabelText(`Choose ${caption}`));
  await userEvent.click(screen.getByRole('button', { name: 'Share chosen' }));
  return within(await opened());
}

it('Images that were chosen stay chosen when their dialog is closed without sharing them.', async () => {
  await askToShare();
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.getByText('2 images chosen')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(shareButton()));
});

it('The choice ends when the chosen images are shared.', async () => {
  const dialog = await askToShare();
  await userEvent.click(await dialog.findByRole('checkbox', { name: /Ben/ }));
  await userEvent.click(dialog.getByRole('button', { name: 'Share with Ben' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(shareButton()).toBeNull();
});
