import type { Setting } from '@lightbox/contract/settings/calls.js';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { answer, renderScreen, turnable } from '../lib/testing';
import { AppSettings } from './AppSettings';

const stored = (): Setting => ({
  id: 'a'.repeat(24),
  name: 'sharing.expiryHours',
  value: '24',
  description: 'How long a share lasts.',
  createAt: '2026-09-02T08:00:00.000Z',
  updatedAt: '2026-09-02T08:00:00.000Z',
});
let list: Setting[];
const refused = (field: string, message: string) => ({
  status: 422,
  body: { message: 'Please check the fields.', error: 'VALIDATION_FAILED', errors: [{ field, message }] },
});
const hina = { id: 'c'.repeat(24), firstname: 'Hina', lastname: 'Farooq' };
const info = (name: string, rest: object) => ({ name, description: '', changed: null, ...rest });
const known = () => [
  info('sharing.expiryHours', {
    kind: 'number',
    unit: 'hours',
    min: 1,
    max: 720,
    default: '24',
    current: list.find(({ name }) => name === 'sharing.expiryHours')?.value ?? '24',
    changed: { by: hina, at: '2026-11-19T10:00:00.000Z' },
  }),
  info('directory.patients', { kind: 'choice', options: ['all', 'known'], default: 'all', current: 'all' }),
];
const change = (n: number, from: string | null, to: string | null) => ({
  id: String(n).padStart(24, '0'),
  name: 'sharing.expiryHours',
  from,
  to,
  by: hina,
  at: '2026-11-19T10:00:00.000Z',
});
const server = () =>
  answer({
    'GET /appsetting/': () => ({ body: { data: list } }),
    'GET /appsetting/known': () => ({ body: { data: known() } }),
    'GET /appsetting/known/sharing.expiryHours/history': () => ({
      body: { data: [change(2, '48', null), change(1, null, '48')], pagination: { totalPages: 1 } },
    }),
    'DELETE /appsetting/delete': ({ body }) => {
      list = list.filter(({ id }) => id !== (body as { id: string }).id);
      return { body: { data: null } };
    },
    [`PUT /appsetting/edit/${'a'.repeat(24)}`]: ({ body }) => {
      const change = body as { value: string; description: string };
      if (Number(change.value) > 720) return refused('value', 'Must be a whole number from 1 to 720.');
      list = list.map((setting) => ({ ...setting, ...change }));
      return { body: { data: list[0] } };
    },
    'POST /appsetting/add': ({ body }) => {
      const added = { ...stored(), id: 'b'.repeat(24), ...(body as object) };
      list = [...list, added];
      return { status: 201, body: { data: added } };
    },
  });

beforeEach(() => {
  list = [stored()];
});

describe('the settings', () => {
  it('A setting is edited in its row, and a fault is shown at its field without losing the rest.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit sharing.expiryHours' }));
    const value = screen.getByLabelText<HTMLInputElement>('Value of sharing.expiryHours');
    expect(screen.getAllByText('1–720').length).toBeGreaterThan(0);
    fireEvent.change(value, { target: { value: '9000' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Must be a whole number');
    expect(value.getAttribute('aria-invalid')).toBe('true');
    fireEvent.change(value, { target: { value: '48' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByRole('button', { name: 'Edit sharing.expiryHours' });
    expect(within(screen.getByRole('table')).getByText('48')).toBeTruthy();
    expect(heard.findLast(({ method }) => method === 'PUT')?.body).toEqual({
      value: '48',
      description: 'How long a share lasts.',
    });
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit sharing.expiryHours' })),
    );
  });

  it('Cancel changes nothing.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit sharing.expiryHours' }));
    await userEvent.type(screen.getByLabelText('Value of sharing.expiryHours'), '9');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(within(screen.getByRole('table')).getByText('24')).toBeTruthy();
    expect(heard.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('The last row adds a setting, and does nothing without a name.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Add' }));
    expect(heard.some(({ method }) => method === 'POST')).toBe(false);
    await userEvent.click(screen.getByRole('button', { name: 'Set session.idleMinutes' }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Value of the new setting')));
    await userEvent.keyboard('45');
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    await screen.findByRole('button', { name: 'Edit session.idleMinutes' });
    expect(screen.getByLabelText<HTMLInputElement>('Name of the new setting').value).toBe('');
  });

  it('A fault stays at its field when the tablet is turned.', async () => {
    const heard = server();
    const tablet = turnable();
    onTestFinished(tablet.restore);
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit sharing.expiryHours' }));
    const value = () => screen.getByLabelText<HTMLInputElement>('Value of sharing.expiryHours');
    fireEvent.change(value(), { target: { value: '9000' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Must be a whole number, 1–720.');
    for (const to of ['narrow', 'wide'] as const) {
      tablet.turn(to);
      expect(screen.queryAllByRole('table')).toHaveLength(to === 'narrow' ? 0 : 1);
      expect(screen.getByText('Must be a whole number, 1–720.')).toBeTruthy();
      expect(value().value).toBe('9000');
      expect(value().getAttribute('aria-invalid')).toBe('true');
    }
    // The client finds the fault without a request.
    expect(heard.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('A known setting shows its allowed values, its last change and its history.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    const about = await screen.findByText(/Changed by/, {}, { timeout: 10_000 });
    expect(about.textContent).toBe('Changed by Hina Farooq on 19 Nov 2026');
    const row = within(about.closest('li') as HTMLElement);
    for (const fact of ['Now', 'Default', 'Hours', '1–720']) expect(row.getByText(fact)).toBeTruthy();
    await userEvent.click(row.getByRole('button', { name: 'History of sharing.expiryHours' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'History' }));
    const changes = await drawer.findAllByRole('listitem');
    expect(changes.map((one) => one.textContent?.split(' · ')[0])).toEqual([
      '48the defaultHina Farooq',
      'the default48Hina Farooq',
    ]);
    await userEvent.click(drawer.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await userEvent.click(screen.getByRole('button', { name: 'sharing.expiryHours: back to default' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Back to default' }));
    await screen.findByRole('button', { name: 'Set sharing.expiryHours' });
    expect(heard.find(({ method }) => method === 'DELETE')?.body).toEqual({ id: 'a'.repeat(24) });
  });

  it('A setting with fixed options is a select, and a setting with a name of the clinic is a note.', async () => {
    list = [...list, { ...stored(), id: 'd'.repeat(24), name: 'ward.name', value: 'North' }];
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    expect((await screen.findAllByText('Note, no effect')).length).toBe(1);
    await userEvent.click(screen.getByRole('button', { name: 'Set directory.patients' }));
    const value = screen.getByLabelText<HTMLSelectElement>('Value of the new setting');
    await waitFor(() => expect(document.activeElement).toBe(value));
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect(await screen.findByText('Choose one: all / known.')).toBeTruthy();
    await userEvent.selectOptions(value, 'known');
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    await screen.findByRole('button', { name: 'Edit directory.patients' });
    expect(heard.find(({ method }) => method === 'POST')?.body).toMatchObject({ value: 'known' });
  });

  it('An unreachable server is reported in the words of the specification.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Delete sharing.expiryHours' }));
    globalThis.fetch = () => Promise.reject(new TypeError('failed'));
    await userEvent.click(await screen.findByRole('button', { name: 'Back to default' }));
    await screen.findByText('Backend server is not reachable. Please check your server.');
    expect(heard.some(({ method }) => method === 'DELETE')).toBe(false);
  });
});
