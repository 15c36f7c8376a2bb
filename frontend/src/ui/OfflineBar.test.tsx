import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { routes } from '../app/Router';
import { renderRoutes } from '../lib/testing';

afterEach(() => vi.restoreAllMocks());

it.each(['/', '/login', '/register', '/forgot-password'])(
  'The screen %s shows a bar while there is no connection.',
  async (at) => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    renderRoutes(routes, at);
    await screen.findByText('You are offline.');
    online.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event('online')));
    await waitFor(() => expect(screen.queryByText('You are offline.')).toBeNull());
  },
);
