import { sessionUserOf } from '@lightbox/contract/auth/session.js';
import type { User } from '@lightbox/contract/users/schemas.js';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { session, startSession } from '../auth/session';
import { reread } from '../lib/live';
import { queryClient } from '../lib/query';
import { answer, newest, opened, renderRoutes, renderScreen } from '../lib/testing';
import { oneUser } from '../users/users';
import { Profile } from './Profile';

const me: User = {
  id: 'a'.repeat(24),
  email: 's.mirza@example.org',
  username: 'sana.mirza',
  firstname: 'sana',
  lastname: 'mirza',
  active: true,
  status: 'active',
  dob: '1988-03-17',
  gender: 'female',
  specialization: 'Radiology',
  role: { name: 'healthProvider' },
};
const own = { 'GET /users/profile': () => ({ body: { data: me } }) };
const of = async (label: string) =>
  (await screen.findByText(label, { selector: 'dt' })).nextElementSibling?.textContent;

beforeEach(() => startSession(me, 'token'));

describe('the profile', () => {
  it('The profile shows the date of birth without a time zone shift, and N/A for empty fields.', async () => {
    answer(own);
    renderScreen(<Profile Emergency={() => null} Images={() => null} Helped={() => null} />, '/profile');
    await screen.findByRole('heading', { name: 'Sana Mirza' });
    expect(await of('Date of Birth')).toMatch(/17/);
    expect(await of('Phone Number')).toBe('N/A');
    expect(screen.queryByText('Primphysician')).toBeNull();
    expect(await of('Specialization')).toBe('Radiology');
  });

  it('The form sends only changed fields, and stays open when the server refuses.', async () => {
    let refuse = true;
    const heard = answer({
      ...own,
      'PUT /users/profile': ({ body }) =>
        refuse
          ? {
              status: 422,
              body: {
                message: 'Please check the fields.',
                error: 'VALIDATION_FAILED',
                errors: [{ field: 'username', message: 'This username is taken.' }],
              },
            }
          : { body: { data: { ...me, ...(body as object) }, message: 'Profile updated successfully!' } },
    });
    renderScreen(<Profile Emergency={() => null} Images={() => null} Helped={() => null} />, '/profile');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }));
    const dialog = await opened();
    const city = within(dialog).getByLabelText('City');
    await userEvent.type(city, 'Karachi');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save changes' }));
    await screen.findByText('This username is taken.');
    expect(newest(heard, 'PUT /users/profile')?.body).toEqual({ city: 'Karachi' });
    expect((city as HTMLInputElement).value).toBe('Karachi');
    refuse = false;
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save changes' }));
    await screen.findByText('Profile updated successfully!');
    expect(JSON.parse(localStorage.getItem('root') ?? '')).toEqual({ token: 'token', user: sessionUserOf(me) });
  });

  it('Typed values stay in the form when the profile is read again.', async () => {
    let bio = 'Radiologist';
    answer({ 'GET /users/profile': () => ({ body: { data: { ...me, bio } } }) });
    renderScreen(<Profile Emergency={() => null} Images={() => null} Helped={() => null} />, '/profile');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }));
    const dialog = within(await opened());
    await userEvent.type(dialog.getByLabelText('City'), 'Karachi');
    bio = 'Radiologist in Karachi';
    await act(() => reread(queryClient, oneUser().queryKey));
    await dialog.findByDisplayValue(bio);
    expect(dialog.getByLabelText<HTMLInputElement>('City').value).toBe('Karachi');
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Profile' }));
    expect(within(await opened()).getByLabelText<HTMLInputElement>('City').value).toBe('');
  });

  it('The account is closed only after the typed word and the right password.', async () => {
    const heard = answer({
      ...own,
      'DELETE /users/profile': ({ body }) =>
        (body as { password: string }).password === 'Right-Pass-1'
          ? { body: { data: null } }
          : {
              status: 422,
              body: {
                message: 'Please check the fields.',
                error: 'VALIDATION_FAILED',
                errors: [{ field: 'password', message: 'This password is not correct.' }],
              },
            },
    });
    const router = renderScreen(<Profile Emergency={() => null} Images={() => null} Helped={() => null} />, '/profile');
    await userEvent.click(await screen.findByRole('button', { name: 'Delete account' }));
    const dialog = await opened('alertdialog');
    const act = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete account' });
    const password = within(dialog).getByLabelText('Your password');
    await userEvent.type(password, 'Wrong-Pass-1');
    expect(act.disabled).toBe(true);
    await userEvent.type(within(dialog).getByLabelText('Type delete to confirm'), 'delete');
    await userEvent.click(act);
    await screen.findByText('This password is not correct.');
    expect(session().token).toBe('token');
    await userEvent.clear(password);
    await userEvent.type(password, 'Right-Pass-1');
    await userEvent.click(act);
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    expect(session().token).toBe('');
    expect(heard.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
  });
});

describe('the legal hold of a patient', () => {
  const patient: User = { ...me, id: 'b'.repeat(24), role: { name: 'patient' } };
  const of = `/users/${patient.id}`;
  const hold = { id: 'c'.repeat(24), by: { ...me }, at: '2026-05-03T10:00:00.000Z', reason: 'Letter of the court' };
  const show = (role: User['role']['name']) => {
    startSession({ ...me, role: { name: role } }, 'token');
    const heard = answer({
      ...own,
      [`GET ${of}`]: () => ({ body: { data: patient } }),
      [`GET ${of}/legal-hold`]: () => ({ body: { data: { held: true, holds: [hold] } } }),
    });
    const element = <Profile Emergency={() => null} Images={() => null} Helped={() => null} />;
    renderRoutes([{ path: '/user-profile/:id', element }], `/user-profile/${patient.id}`);
    return heard;
  };

  it('Administrators see it with its reason, and can lift it.', async () => {
    show('admin');
    await screen.findByText('Letter of the court');
    expect(screen.getByRole('button', { name: 'Lift the legal hold' })).toBeTruthy();
  });

  it('Nobody else sees it or asks for it.', async () => {
    const heard = show('healthProvider');
    await screen.findByRole('heading', { name: 'Sana Mirza' });
    expect(screen.queryByText('Legal hold')).toBeNull();
    expect(newest(heard, `GET ${of}/legal-hold`)).toBeUndefined();
  });
});
