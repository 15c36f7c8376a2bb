import { texts } from '@lightbox/contract/texts.js';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { paths } from '../lib/paths';
import { answer, renderScreen } from '../lib/testing';
import { Login } from './Login';

const email = () => screen.getByLabelText<HTMLInputElement>('Email');
const password = () => screen.getByLabelText<HTMLInputElement>('Password');
const faults = () => screen.getAllByRole('alert').map((alert) => alert.textContent);
const submit = () => userEvent.click(screen.getByRole('button', { name: 'Login' }));

const refusal = (status: number, error: string, more = {}) => ({
  status,
  body: { message: 'No.', error, requestId: 'r', ...more },
});

let login: () => { status?: number; body: unknown };
let asked: ReturnType<typeof answer>;
const sent = () => asked.filter(({ path }) => path === '/auth/login');

beforeEach(() => {
  login = () => refusal(401, 'INVALID_CREDENTIALS');
  asked = answer({ 'POST /auth/login': () => login(), 'GET /demo': () => ({ body: { data: [] } }) });
  renderScreen(<Login />, paths.login);
});

describe('signing in', () => {
  it('An incomplete form shows all errors, focuses the first field with an error, and sends nothing.', async () => {
    await submit();
    expect(faults()).toEqual([texts.validEmail, 'Please enter your password.']);
    expect(document.activeElement).toBe(email());
    await userEvent.type(email(), 'sana@example.org');
    expect(faults()).toEqual(['Please enter your password.']);
    expect(sent()).toEqual([]);
  });

  it('The form sends the e-mail address trimmed and in lower case, and the password unchanged.', async () => {
    login = () => ({ body: { data: { token: 't', user: {} } } });
    await userEvent.type(email(), ' Sana.Mirza@Example.org ');
    await userEvent.type(password(), ' Secret 1 {Enter}');
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.body).toEqual({ email: 'sana.mirza@example.org', password: ' Secret 1 ' });
    expect(JSON.parse(sessionStorage.getItem('verification') ?? '')).toMatchObject({ email: 'sana.mirza@example.org' });
  });

  it('An error from the server is shown at its field, and the form can be sent again.', async () => {
    login = () => refusal(422, 'VALIDATION_FAILED', { errors: [{ field: 'password', message: 'Too long.' }] });
    await userEvent.type(email(), 'sana@example.org');
    await userEvent.type(password(), 'x');
    await submit();
    expect(await screen.findByText('Too long.')).toBeTruthy();
    expect(document.activeElement).toBe(password());
    await submit();
    await waitFor(() => expect(sent()).toHaveLength(2));
  });

  it('A pending account is explained on the sign-in screen.', async () => {
    login = () => refusal(403, 'ACCOUNT_PENDING');
    await userEvent.type(email(), 'sana@example.org');
    await userEvent.type(password(), 'x');
    await submit();
    expect((await screen.findByRole('status')).textContent).toContain('under review');
  });
});
