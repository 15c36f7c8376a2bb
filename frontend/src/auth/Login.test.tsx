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
  it('names what is missing, starts at the first fault, and sends nothing', async () => {
    await submit();
    expect(faults()).toEqual([texts.validEmail, 'Please enter your password.']);
    expect(document.activeElement).toBe(email());
    await userEvent.type(email(), 'sana@example.org');
    expect(faults()).toEqual(['Please enter your password.']);
    expect(sent()).toEqual([]);
  });

  it('sends the address as it is kept, and the password as it was typed', async () => {
    login = () => ({ body: { data: { token: 't', user: {} } } });
    await userEvent.type(email(), ' Sana.Mirza@Example.org ');
    await userEvent.type(password(), ' Secret 1 {Enter}');
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.body).toEqual({ email: 'sana.mirza@example.org', password: ' Secret 1 ' });
    expect(JSON.parse(sessionStorage.getItem('verification') ?? '')).toMatchObject({ email: 'sana.mirza@example.org' });
  });

  it('shows the server’s fault at its field, and lets one try again', async () => {
    login = () => refusal(422, 'VALIDATION_FAILED', { errors: [{ field: 'password', message: 'Too long.' }] });
    await userEvent.type(email(), 'sana@example.org');
    await userEvent.type(password(), 'x');
    await submit();
    expect(await screen.findByText('Too long.')).toBeTruthy();
    expect(document.activeElement).toBe(password());
    await submit();
    await waitFor(() => expect(sent()).toHaveLength(2));
  });

  it('says in place what is with the account', async () => {
    login = () => refusal(403, 'ACCOUNT_PENDING');
    await userEvent.type(email(), 'sana@example.org');
    await userEvent.type(password(), 'x');
    await submit();
    expect((await screen.findByRole('status')).textContent).toContain('under review');
  });
});
