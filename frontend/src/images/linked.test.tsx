import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ImagesScreen } from '../app/ImagesScreen';
import { startSession } from '../auth/session';
import { answer, newest, opened, renderScreen } from '../lib/testing';

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

// The dialog's code is compiled before its time counts.
beforeAll(async () => void (await import('./ImageDialog')));
beforeEach(() => startSession(patient, 'token'));

describe('the open image', () => {
  const openByHand = async () => {
    answer({
      'GET /upload/shared-images': () => ({ body: { data: [{ ...shared, isVerified: true }] } }),
      [`GET /upload/image/${id}`]: () => ({ body: { data: { ...shared, isVerified: true } } }),
    });
    const router = renderScreen(<ImagesScreen />, '/view-images?shared=1');
    await userEvent.click(await screen.findByLabelText('Open Chest CT'));
    await opened();
    await waitFor(() => expect(router.state.location.search).toBe(`?shared=1&image=${id}`));
    return router;
  };

  it('The address names the open image, and Back closes its dialog.', async () => {
    const router = await openByHand();
    await router.navigate(-1);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(router.state.location.search).toBe('?shared=1');
  });

  it('Closing the dialog by hand leaves no step in the history.', async () => {
    const router = await openByHand();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(router.state.location.search).toBe('?shared=1'));
    expect(router.state.historyAction).toBe('POP');
  });

  it('Another page is a step in the history.', async () => {
    const pagination = { currentPage: 1, pageSize: 10, totalPages: 2, totalItems: 11, hasPrevPage: false };
    answer({
      'GET /upload/shared-images': ({ path }) => {
        const second = path.includes('page=2');
        const place = second ? { currentPage: 2, hasPrevPage: true, hasNextPage: false } : { hasNextPage: true };
        const data = [{ ...shared, caption: second ? 'Left hand' : 'Chest CT' }];
        return { body: { data, pagination: { ...pagination, ...place } } };
      },
    });
    const router = renderScreen(<ImagesScreen />, '/view-images');
    await screen.findByText('Chest CT');
    await userEvent.click(screen.getByRole('button', { name: 'Next' }));
    await screen.findByText('Left hand');
    await router.navigate(-1);
    await screen.findByText('Chest CT');
    expect(router.state.location.search).toBe('');
  });

  it('A new order is stored in the address, and returns both lists to their first page.', async () => {
    const heard = answer({ 'GET /upload/shared-images': () => ({ body: { data: [] } }) });
    const router = renderScreen(<ImagesScreen />, '/view-images?shared=3');
    await userEvent.selectOptions(await screen.findByLabelText('Sort by:'), 'Oldest first');
    await waitFor(() => expect(router.state.location.search).toBe('?sort=createAt'));
    await waitFor(() =>
      expect(newest(heard, 'GET /upload/shared-images')?.path).toBe(
        '/upload/shared-images?page=1&limit=10&sort=createAt&grouped=true',
      ),
    );
  });
});

describe('a link to an image', () => {
  it('A link opens the dialog of its image, and closing it removes the image from the address.', async () => {
    const router = show({ ...shared, isVerified: true });
    expect((await opened()).textContent).toContain('Chest CT');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('A file without a picture says so once, and is not called a preview.', async () => {
    show({ ...shared, contentType: 'application/dicom', isVerified: true, frames: 0 });
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getAllByText(/There is no preview of this file/)).toHaveLength(1);
    expect(dialog.textContent).not.toContain('This is a preview');
  });

  it('A link to an image that is not verified asks for the code.', async () => {
    show(shared);
    await screen.findByLabelText('Enter Image Sharing Id:');
  });

  it('A link with show=share opens the sheet of the shares for an administrator.', async () => {
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

  it('A link says so when the image is deleted or belongs to others.', async () => {
    const router = show(undefined);
    await screen.findByText('This image is no longer available');
    expect(router.state.location.search).toBe('');
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
