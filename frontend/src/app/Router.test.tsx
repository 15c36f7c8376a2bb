import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { endSession } from '../auth/session';
import { paths } from '../lib/paths';
import { answer, renderRoutes } from '../lib/testing';
import { routes } from './Router';

it('Between screens without a session the focus moves to the title.', async () => {
  endSession('logout');
  answer({ 'GET /demo': () => ({ body: { data: [] } }) });
  renderRoutes(routes, paths.login);
  await screen.findByRole('heading', { level: 1, name: 'Login' });
  for (const [link, title] of [
    ['Register', 'Select Role'],
    ['Login', 'Login'],
    ['Forgot Password?', 'Forgot Password?'],
  ] as const) {
    await userEvent.click(await screen.findByRole('link', { name: link }));
    const heading = await screen.findByRole('heading', { level: 1, name: title });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  }
});
