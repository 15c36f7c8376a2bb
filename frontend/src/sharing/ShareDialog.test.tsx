import type { GuestLink } from '@lightbox/contract/guests/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { startSession } from '../auth/session';
import { answer, hold, opened, renderScreen, useClosing } from '../lib/testing';
import { ShareDialog } from './ShareDialog';

const owner = { id: 'a'.repeat(24), firstname: 'Ana', lastname: 'Ruiz' };
const image: Image = {
  id: 'c'.repeat(24),
  caption: 'Left hand',
  contentType: 'image/png',
  createAt: '2026-11-19T10:00:00.000Z',
  isVerified: true,
  isShared: false,
  image_url: null,
  owner,
};
const link: GuestLink = {
  id: 'd'.repeat(24),
  imagemetadataId: image.id,
  state: 'open',
  createAt: '2026-11-19T10:00:00.000Z',
  expiresAt: '2099-01-01T00:00:00.000Z',
  ...{ opens: 0, maxOpens: 5, download: false, email: null, note: null },
};
const pagination = {
  currentPage: 1,
  pageSize: 6,
  totalPages: 1,
  totalItems: 0,
  hasPrevPage: false,
  hasNextPage: false,
};

const ben = { id: 'b'.repeat(24), firstname: 'Ben', lastname: 'Noor', email: 'ben@example.org', role: 'patient' };

let links: GuestLink[] = [];
/** The answer to the sharing. */
let shared: { status?: number; body: unknown };
const closed = vi.fn();

function Screen() {
  return <ShareDialog image={image} {...useClosing(closed)} />;
}

beforeEach(() => {
  links = [link];
  closed.mockClear();
  startSession({ ...owner, email: 'ana@example.org', username: 'ana', role: { name: 'healthProvider' } }, 'token');
  answer({
    'GET /users': () => ({ body: { data: [ben], pagination } }),
    'POST /sharing/batch': () => shared,
    'GET /sharing': () => ({ body: { data: [] } }),
    'GET /sharing/invitations': () => ({ body: { data: [] } }),
    'GET /sharing/guest': () => ({ body: { data: links } }),
    [`DELETE /sharing/guest/${link.id}`]: () => {
      links = [];
      return { body: { data: null } };
    },
  });
  renderScreen(<Screen />);
});

it('Sharing with nobody chosen leads to the search, with the error there, each time.', async () => {
  const dialog = within(await opened());
  const search = dialog.getByRole('searchbox');
  for (const _ of [1, 2]) {
    await userEvent.click(dialog.getByRole('button', { name: 'Share' }));
    await waitFor(() => expect(document.activeElement).toBe(search));
    const alert = dialog.getByRole('alert');
    expect(alert.textContent).toBe('Please choose a person to share with.');
    await waitFor(() => expect(search.getAttribute('aria-errormessage')).toBe(alert.id));
  }
});

it('Revoking a guest link leaves the focus at the guest links.', async () => {
  const dialog = within(await opened());
  await userEvent.click(await dialog.findByRole('button', { name: /Revoke the guest link/ }));
  await waitFor(() => expect(dialog.queryByRole('button', { name: /Revoke the guest link/ })).toBeNull());
  const heading = dialog.getByRole('heading', { name: 'Guest links' });
  await waitFor(() => expect(document.activeElement).toBe(heading));
});

it('The form of a new guest link opens with the focus at the guest links.', async () => {
  const dialog = within(await opened());
  await userEvent.click(dialog.getByRole('button', { name: 'Make a guest link' }));
  const heading = dialog.getByRole('heading', { name: 'Guest links' });
  await waitFor(() => expect(document.activeElement).toBe(heading));
});

it('The list of who has access does not say that nobody has, while a guest link is live.', async () => {
  const dialog = within(await opened());
  await dialog.findByText('Only you, administrators, and people with a guest link.');
  expect(dialog.queryByText('Only you and administrators.')).toBeNull();
  await userEvent.click(await dialog.findByRole('button', { name: /Revoke the guest link/ }));
  await dialog.findByText('Only you and administrators.');
});

/** Shares with Ben, and closes the dialog before the answer. Returns the function that lets the answer come. */
async function shareAndLeave() {
  const release = hold('/sharing/batch');
  const dialog = within(await opened());
  await userEvent.click(await dialog.findByRole('checkbox', { name: /Ben/ }));
  await userEvent.click(dialog.getByRole('button', { name: 'Share with Ben' }));
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  return release;
}

it('A failure of a sharing whose dialog was closed meanwhile is told.', async () => {
  shared = { status: 409, body: { message: 'This is not possible now.', error: 'CONFLICT', requestId: 'r' } };
  const release = await shareAndLeave();
  release();
  await screen.findByText('This is not possible now.');
});

it('A sharing that succeeds after its dialog was closed is told, and closes nothing more.', async () => {
  const made = { id: 'e'.repeat(24), imagemetadataId: image.id, createdfor: ben.id };
  shared = { status: 201, body: { data: { shares: [made], invited: [], skipped: [] } } };
  const release = await shareAndLeave();
  release();
  await screen.findByText('Shared with Ben Noor.');
  expect(closed).toHaveBeenCalledTimes(1);
});
