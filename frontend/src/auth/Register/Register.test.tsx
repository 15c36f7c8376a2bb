import { providerCredentials } from '@lightbox/contract/auth/calls.js';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import i18next from 'i18next';
import { describe, expect, test, vi } from 'vitest';
import { routes } from '../../app/Router';
import { answer, renderRoutes, renderScreen } from '../../lib/testing';
import { Register } from '.';
import { blank, resolverFor } from './form';

const next = () => screen.getByRole('button', { name: 'Next' });
const user = () => userEvent.setup({ delay: null });

/** Puts a text into a field with one event: the form draws itself again after each key. */
async function fill(person: ReturnType<typeof user>, field: HTMLElement, text: string) {
  await person.click(field);
  await person.paste(text);
}

async function fillPersonal(person: ReturnType<typeof user>) {
  await fill(person, screen.getByLabelText('First name'), 'Sana');
  await fill(person, screen.getByLabelText('Last name'), 'Mirza');
  await fill(person, screen.getByLabelText('Email'), 'sana@example.org');
  await fill(person, screen.getByLabelText('Username'), 'sana.mirza');
}

async function toSecurity(person: ReturnType<typeof user>, role: 'Patient' | 'Health provider') {
  await person.click(screen.getByRole('radio', { name: new RegExp(role) }));
  await person.click(next());
  await screen.findByRole('heading', { name: 'Personal Details' });
  await fillPersonal(person);
  await person.click(screen.getByRole('radio', { name: 'Female' }));
  await person.click(next());
  await screen.findByRole('heading', { name: 'Medical Details' });
  if (role === 'Health provider') {
    await fill(person, screen.getByLabelText('License number'), 'PMC-1');
    await fill(person, screen.getByLabelText('Specialization'), 'Radiology');
  } else await fill(person, screen.getByLabelText(/Primary physician/), 'Dr Who');
  await person.click(next());
  await screen.findByRole('heading', { name: 'Security & Submit' });
}

const account = { id: 'a'.repeat(24), email: 'sana@example.org', role: { name: 'patient' } };

const stored = () => sessionStorage.getItem('registration');
/** Ends the page as a reload does: its screens do not end first. */
function leavePage(): void {
  const kept = stored() as string;
  cleanup();
  sessionStorage.setItem('registration', kept);
}

describe('the registration', () => {
  test('The registration continues only after a role is chosen, and shows the fields of that role.', async () => {
    const person = user();
    renderScreen(<Register />, '/register');
    expect((next() as HTMLButtonElement).disabled).toBe(true);
    await toSecurity(person, 'Health provider');
    await person.click(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByLabelText('License number')).toBeTruthy();
    expect(screen.queryByLabelText(/Blood group/)).toBeNull();
  });

  test('Back and reload keep all values of the registration except the passwords.', async () => {
    const person = user();
    renderScreen(<Register />, '/register');
    await toSecurity(person, 'Patient');
    await fill(person, screen.getByLabelText('Password'), 'Secret123');
    expect(stored()).not.toContain('Secret123');
    leavePage();
    renderScreen(<Register />, '/register');
    expect(screen.getByRole('heading', { name: 'Security & Submit' })).toBeTruthy();
    expect((screen.getByLabelText('Password') as HTMLInputElement).value).toBe('');
    await person.click(screen.getByRole('button', { name: 'Back' }));
    await person.click(screen.getByRole('button', { name: 'Back' }));
    expect((screen.getByLabelText('Email') as HTMLInputElement).value).toBe('sana@example.org');
  });

  test('A reload keeps the values of the registration, and a way to another screen of the app deletes them.', async () => {
    const person = user();
    renderRoutes(routes, '/register');
    await person.click(await screen.findByRole('radio', { name: /Patient/ }));
    await person.click(next());
    await screen.findByRole('heading', { name: 'Personal Details' });
    await fillPersonal(person);
    expect(stored()).toContain('sana@example.org');
    leavePage();
    const router = renderRoutes(routes, '/register');
    expect(((await screen.findByLabelText('Email')) as HTMLInputElement).value).toBe('sana@example.org');
    await act(() => router.navigate('/login'));
    await screen.findByLabelText('Password');
    expect(stored()).toBeNull();
    await act(() => router.navigate('/register'));
    await person.click(await screen.findByRole('radio', { name: /Patient/ }));
    expect(stored()).not.toContain('sana');
    expect(stored()).toContain('patient');
    // Somebody opens the address in a tab that was left at another site.
    const opened = { type: 'navigate' } as PerformanceNavigationTiming;
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([opened]);
    leavePage();
    renderRoutes(routes, '/register');
    await screen.findByRole('radio', { name: /Patient/ });
    expect(stored()).not.toContain('patient');
  });

  test('Back in the browser returns to the step before, not to the page before the registration.', async () => {
    const person = user();
    const router = renderScreen(<Register />, '/register');
    await toSecurity(person, 'Patient');
    await router.navigate(-1);
    expect(await screen.findByRole('heading', { name: 'Medical Details' })).toBeTruthy();
    await person.click(screen.getByRole('button', { name: 'Back' }));
    expect(await screen.findByRole('heading', { name: 'Personal Details' })).toBeTruthy();
    await router.navigate(1);
    await router.navigate(1);
    expect(await screen.findByRole('heading', { name: 'Security & Submit' })).toBeTruthy();
  });

  test('The registration checks the fields of a step before it shows the next step.', async () => {
    const person = user();
    renderScreen(<Register />, '/register');
    await person.click(screen.getByRole('radio', { name: /Patient/ }));
    await person.click(next());
    await fill(person, await screen.findByLabelText('Email'), 'nobody@nowhere');
    await person.click(next());
    expect(await screen.findByText('Please enter a valid email.')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Personal Details' })).toBeTruthy();
  });

  test('Different passwords are an error; equal ones are sent with the values that were filled in, and again as the same wish.', async () => {
    const open = { error: 'UNCONFIRMED', message: 'It is not known yet whether this was saved. Please try again.' };
    const heard = answer({
      'POST /auth/register': () =>
        heard.length === 1
          ? { status: 503, body: open }
          : { status: 201, body: { data: { user: account, token: 'v' } } },
    });
    const person = user();
    renderScreen(<Register />, '/register');
    await toSecurity(person, 'Patient');
    await fill(person, screen.getByLabelText('Password'), 'Secret123');
    await fill(person, screen.getByLabelText('Confirm password'), 'Secret124');
    await person.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText('Passwords do not match!')).toBeTruthy();
    expect(heard).toHaveLength(0);
    await person.type(screen.getByLabelText('Confirm password'), '{Backspace}3');
    await person.click(screen.getByRole('button', { name: 'Submit' }));
    await waitFor(() => expect(heard).toHaveLength(1));
    expect(heard[0]?.body).toEqual({
      role: 'patient',
      language: 'en',
      firstname: 'Sana',
      lastname: 'Mirza',
      email: 'sana@example.org',
      username: 'sana.mirza',
      gender: 'female',
      primphysician: 'Dr Who',
      password: 'Secret123',
      active: true,
    });
    const keys = () => heard.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(await screen.findByText(open.message)).toBeTruthy();
    await person.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText('Registration successful!')).toBeTruthy();
    expect(keys()).toEqual([keys()[0], keys()[0]]);
    await waitFor(() => expect(screen.getByText('elsewhere')).toBeTruthy());
    expect(JSON.parse(sessionStorage.getItem('verification') ?? '{}')).toMatchObject({
      token: 'v',
      email: 'sana@example.org',
    });
  });

  test('After the registration of a provider and after a reload the screen says that the account is under review.', async () => {
    answer({ 'POST /auth/register': () => ({ status: 201, body: { data: { user: account } } }) });
    const person = user();
    const router = renderScreen(<Register />, '/register');
    await toSecurity(person, 'Health provider');
    await fill(person, screen.getByLabelText('Password'), 'Secret123');
    await fill(person, screen.getByLabelText('Confirm password'), 'Secret123');
    await person.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText(/Your account was created and is under review/)).toBeTruthy();
    const done = () => screen.getByRole('list', { name: 'Steps of the registration' }).textContent;
    expect(done()).toContain('Health provider');
    expect(done()).toContain('License and specialization');
    expect(stored() ?? '').not.toContain('sana');
    // A reload starts the app with the same entry of the history.
    const { location } = router.state;
    cleanup();
    renderRoutes([{ path: '/register', element: <Register /> }], location);
    expect(screen.getByText(/Your account was created and is under review/)).toBeTruthy();
    expect(done()).toContain('Health provider');
  });

  test('The credentials of a provider are required and follow the rules of the contract.', async () => {
    const check = async (values: Partial<typeof blank>) => {
      const options = { fields: {}, shouldUseNativeValidation: false };
      const { errors } = await resolverFor(i18next.t)({ ...blank, ...values }, undefined, options);
      return providerCredentials.map((name) => errors[name]?.message);
    };
    const tooLong = 'Must be at most 40 characters.';
    expect(await check({ role: 'healthProvider', licensenumber: 'x'.repeat(41) })).toEqual([
      tooLong,
      i18next.t('auth.register.medical.specializationRequired'),
    ]);
    expect(await check({ role: 'patient' })).toEqual([undefined, undefined]);
  });

  test('An error from the server opens the step of its field and focuses the field.', async () => {
    answer({
      'POST /auth/register': () => ({
        status: 422,
        body: {
          message: 'Please check the fields.',
          error: 'VALIDATION_FAILED',
          errors: [{ field: 'username', message: 'This username is taken.' }],
          requestId: 'r',
        },
      }),
    });
    const person = user();
    renderScreen(<Register />, '/register');
    await toSecurity(person, 'Patient');
    await fill(person, screen.getByLabelText('Password'), 'Secret123');
    await fill(person, screen.getByLabelText('Confirm password'), 'Secret123');
    await person.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText('This username is taken.')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Personal Details' })).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Username')));
  });
});
