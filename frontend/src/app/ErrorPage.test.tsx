import type { Role } from '@lightbox/contract/permissions.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endSession, startSession } from '../auth/session';
import { ApiError } from '../lib/http';
import { renderRoutes, renderScreen } from '../lib/testing';
import { Allowed } from './Allowed';
import { ErrorPage } from './ErrorPage';
import { NotFound } from './NotFound';

const show = (error: unknown) => {
  const loader = () => {
    throw error;
  };
  renderRoutes([{ path: '/', loader, element: null, errorElement: <ErrorPage /> }], '/');
};

afterEach(() => vi.restoreAllMocks());

describe('a screen that fails', () => {
  it('The error page offers to load again and to go home, and shows the request id but no error code.', async () => {
    show(new ApiError(500, 'INTERNAL', 'x', [], 'req-4711'));
    expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeTruthy();
    expect(screen.getByText('req-4711').getAttribute('dir')).toBe('ltr');
    expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go home' }).getAttribute('href')).toBe('/');
    expect(screen.queryByText(/INTERNAL/)).toBeNull();
  });

  it('The error page offers the new version when a chunk of the old one is missing.', async () => {
    show(new TypeError('Failed to fetch dynamically imported module: /assets/Messages-abc.js'));
    expect(await screen.findByRole('heading', { name: 'Lightbox has a new version' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
  });

  it('Offline, the error page says that the page could not be loaded.', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    show(new TypeError('Failed to fetch dynamically imported module: /assets/Messages-abc.js'));
    expect(await screen.findByRole('heading', { name: 'This page could not be loaded' })).toBeTruthy();
  });
});

describe('an address without a screen, and one that a role may not open', () => {
  const as = (role: Role) =>
    startSession({ id: 'a'.repeat(24), firstname: 'Hina', role: { name: role } } as User, 'token');
  afterEach(() => endSession('logout'));

  it('Without a session, the missing page shows the logo and leads home.', async () => {
    renderScreen(<NotFound />);
    expect(await screen.findByRole('heading', { name: 'We can’t find that page' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Lightbox' }).getAttribute('href')).toBe('/');
    expect(screen.getByRole('link', { name: 'Go to the start page' }).getAttribute('href')).toBe('/');
  });

  it('With a session, the missing page is inside the menu, and leads a patient to the images.', async () => {
    as('patient');
    renderRoutes([{ path: '*', element: <NotFound /> }], '/no/such/page');
    const link = await screen.findByRole('link', { name: 'Go to your images' });
    expect(link.getAttribute('href')).toBe('/view-images');
    expect(screen.getAllByRole('heading', { name: 'We can’t find that page' })).toHaveLength(1);
    expect(screen.getByRole('navigation', { name: 'Menu' })).toBeTruthy();
  });

  it('A page of another role has one title, and leads a patient to the images.', async () => {
    as('patient');
    renderScreen(<Allowed to="user.approve" />);
    expect(await screen.findByRole('link', { name: 'Go to your images' })).toBeTruthy();
    expect(screen.getAllByText('You don’t have access to this page')).toHaveLength(1);
    expect(screen.getByText(/for the staff of your clinic/)).toBeTruthy();
  });
});
