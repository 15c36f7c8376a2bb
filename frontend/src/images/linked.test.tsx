import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, renderScreen } from '../lib/testing';
import { ViewImages } from './ViewImages';

const id = 'c'.repeat(24);
const patient = {
  id: 'a'.repeat(24),
  email: 'hina@example.org',
  username: 'hina',
  firstname: 'Hina',
  lastname: 'Farooq',
  active: true,
  role: { name: 'patient' as const },
};
const shared = {
  id,
  caption: 'Chest CT',
  contentType: 'application/dicom',
  createAt: '2026-11-19T14:05:31.000Z',
  sharedBy: { id: 'b'.repeat(24), firstname: 'Bilal', lastname: 'Siddiqui' },
  shareId: 'd'.repeat(24),
  isVerified: false,
  isShared: true,
  image_url: null,
};
const show = (image: object | undefined) => {
  answer({
    'GET /upload/shared-images': () => ({ body: { data: [] } }),
    ...(image && { [`GET /upload/image/${id}`]: () => ({ body: { data: image } }) }),
  });
  return renderScreen(<ViewImages />, `/view-images?image=${id}`);
};

beforeEach(() => startSession(patient, 'token'));

describe('a link to an image', () => {
  it('opens its dialog, and leaves the address when that is closed', async () => {
    const router = show({ ...shared, isVerified: true });
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('Chest CT');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('asks for the code where the image is not verified yet', async () => {
    show(shared);
    await screen.findByLabelText('Enter Image Sharing Id:');
  });

  it('opens the sheet of its shares for an administrator who was sent there', async () => {
    startSession({ ...patient, role: { name: 'admin' } }, 'token');
    answer({
      'GET /upload/images': () => ({ body: { data: [] } }),
      'GET /upload/shared-images': () => ({ body: { data: [] } }),
      [`GET /upload/image/${id}`]: () => ({ body: { data: { ...shared, isVerified: true } } }),
      'GET /sharing': () => ({ body: { data: [] } }),
    });
    const router = renderScreen(<ViewImages />, `/view-images?image=${id}&show=share`);
    const sheet = await screen.findByRole('dialog', { name: 'Share (Chest CT)' });
    await within(sheet).findByText('Who has access');
    await userEvent.click(within(sheet).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('says so when the image is gone or was never theirs', async () => {
    const router = show(undefined);
    await screen.findByText('This image is not here any more');
    expect(router.state.location.search).toBe('');
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
