import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../lib/http';
import { renderScreen } from '../lib/testing';
import { ErrorPage } from './ErrorPage';

let thrown: unknown;
vi.mock('react-router-dom', async (original) => ({ ...(await original<object>()), useRouteError: () => thrown }));
const show = (error: unknown) => {
  thrown = error;
  renderScreen(<ErrorPage />);
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
