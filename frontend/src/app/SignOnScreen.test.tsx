import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { paths } from '../lib/paths';
import { answer, opened, renderRoutes, sana } from '../lib/testing';
import { SignOnScreen } from './SignOnScreen';

it('To link a login asks for a recent proof where the provider sends the browser back.', async () => {
  startSession(sana, 'token');
  sessionStorage.setItem('signOn', 'link');
  let proven = false;
  answer({
    'POST /auth/identities/clinic/finish': () =>
      proven
        ? { body: { data: {} } }
        : { status: 403, body: { error: 'STEP_UP_REQUIRED', message: 'No.', requestId: 'r', ways: ['password'] } },
    'POST /auth/step-up': () => {
      proven = true;
      return { body: { data: null } };
    },
  });
  const routes = [
    { path: paths.signOn(), element: <SignOnScreen /> },
    { path: paths.profile, element: <p>the profile</p> },
  ];
  const router = renderRoutes(routes, paths.signOn('clinic'));
  const dialog = within(await opened('dialog', 'Is this still you?'));
  await userEvent.type(dialog.getByLabelText('Your password'), 'Right-Pass-1');
  await userEvent.click(dialog.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.profile));
  expect(await screen.findByText('Linked. You can now log in with it.')).toBeTruthy();
});
