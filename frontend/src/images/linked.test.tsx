import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { ImagesScreen } from '../app/ImagesScreen';
import { startSession } from '../auth/session';
import { answer, newest, renderScreen } from '../lib/testing';

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
  return renderScreen(<ImagesScreen />, `/view-images?image=${id}`);
};

beforeEach(() => startSession(patient, 'token'));

describe('the open image', () => {
  const soon = { timeout: 8000 };
  const openByHand = async () => {
    answer({
      'GET /upload/shared-images': () => ({ body: { data: [{ ...shared, isVerified: true }] } }),
      [`GET /upload/image/${id}`]: () => ({ body: { data: { ...shared, isVerified: true } } }),
    });
    const router = renderScreen(<ImagesScreen />, '/view-images?shared=1');
    await userEvent.click(await screen.findByLabelText('Open Chest CT', {}, soon));
    await screen.findByRole('dialog', {}, soon);
    await waitFor(() => expect(router.state.location.search).toBe(`?shared=1&image=${id}`), soon);
    return router;
  };

  it('is in the address, and Back closes it', async () => {
    const router = await openByHand();
    await router.navigate(-1);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), soon);
    expect(router.state.location.search).toBe('?shared=1');
  });

  it('leaves no step behind when it is closed by hand', async () => {
    const router = await openByHand();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(router.state.location.search).toBe('?shared=1'), soon);
    expect(router.state.historyAction).toBe('POP');
  });

  it('stays beside the order of the lists, which starts them over', async () => {
    const heard = answer({ 'GET /upload/shared-images': () => ({ body: { data: [] } }) });
    const router = renderScreen(<ImagesScreen />, '/view-images?shared=3');
    await userEvent.selectOptions(await screen.findByLabelText('Sort by:'), 'Oldest first');
    await waitFor(() => expect(router.state.location.search).toBe('?sort=createAt'));
    await waitFor(() =>
      expect(newest(heard, 'GET /upload/shared-images')?.path).toBe(
        '/upload/shared-images?page=1&limit=10&sort=createAt',
      ),
    );
  });
});

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
    await screen.findByLabelText('Enter Image Sharing Id:', {}, { timeout: 8000 });
  });

  it('opens the sheet of its shares for an administrator who was sent there', async () => {
    startSession({ ...patient, role: { name: 'admin' } }, 'token');
    answer({
      'GET /upload/images': () => ({ body: { data: [] } }),
      'GET /upload/shared-images': () => ({ body: { data: [] } }),
      [`GET /upload/image/${id}`]: () => ({ body: { data: { ...shared, isVerified: true } } }),
      'GET /sharing': () => ({ body: { data: [] } }),
    });
    const router = renderScreen(<ImagesScreen />, `/view-images?image=${id}&show=share`);
    const sheet = await screen.findByRole('dialog', { name: 'Share (Chest CT)' });
    await within(sheet).findByText('Who has access');
    await userEvent.click(within(sheet).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('says so when the image is gone or was never theirs', async () => {
    const router = show(undefined);
    await screen.findByText('This image is no longer available');
    expect(router.state.location.search).toBe('');
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
