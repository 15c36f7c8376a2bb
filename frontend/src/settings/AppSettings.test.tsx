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
/** The settings that another administrator adds a moment before this one. */
let taken: Setting[];
const refused = (field: string, message: string) => ({
  status: 422,
  body: { message: 'Please check the fields.', error: 'VALIDATION_FAILED', errors: [{ field, message }] },
});
const hina = { id: 'c'.repeat(24), firstname: 'Hina', lastname: 'Farooq' };
const number = (name: string, unit: string, limits: [number, number], fallback: string, rest = {}) => ({
  name,
  description: '',
  kind: 'number',
  unit,
  min: limits[0],
  max: limits[1],
  default: fallback,
  current: list.find((one) => one.name === name)?.value ?? fallback,
  changed: null,
  ...rest,
});
const choice = (name: string, options: string[]) => ({
  name,
  description: '',
  kind: 'choice',
  options,
  default: options[0],
  current: list.find((one) => one.name === name)?.value ?? options[0],
  changed: null,
});
const known = () => [
  number('sharing.expiryHours', 'hours', [1, 720], '24', {
    changed: { by: hina, at: '2026-11-19T10:00:00.000Z' },
  }),
  number('session.idleMinutes', 'minutes', [1, 720], '30'),
  number('upload.maxBytes', 'bytes', [1024 ** 2, 512 * 1024 ** 2], String(10 * 1024 ** 2)),
  choice('directory.patients', ['all', 'known']),
  choice('access.breakGlass', ['no', 'yes']),
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
    'GET /dicom-nodes': () => ({ body: { data: [] } }),
    'GET /webhooks/installation': () => ({ body: { data: [] } }),
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
      if (taken.length > 0) {
        list = [...list, ...taken];
        return { status: 409, body: { message: 'Taken.', error: 'CONFLICT', requestId: 'r' } };
      }
      const added = { ...stored(), id: 'b'.repeat(24), ...(body as object) };
      list = [...list, added];
      return { status: 201, body: { data: added } };
    },
  });

beforeEach(() => {
  list = [stored()];
  taken = [];
});

const row = (name: string) => within(screen.getByText(name).closest('tr') as HTMLElement);

describe('the settings', () => {
  it('A setting has a name, a value with its unit and its default, and is edited in its row.', async () => {
    const heard = server();
    list = [{ ...stored(), value: '36' }];
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Default sharing time' }));
    expect(row('Largest file').getByText('10 MB')).toBeTruthy();
    expect(row('Largest file').getByText('upload.maxBytes')).toBeTruthy();
    expect(row('Log out after inactivity').getByText('30 minutes')).toBeTruthy();
    const value = screen.getByLabelText<HTMLInputElement>('Value of Default sharing time');
    expect(value.value).toBe('36');
    fireEvent.change(value, { target: { value: '9000' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Must be a number, 1 hour to 720 hours.');
    expect(value.getAttribute('aria-invalid')).toBe('true');
    expect(heard.some(({ method }) => method === 'PUT')).toBe(false);
    fireEvent.change(value, { target: { value: '48' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await row('Default sharing time').findByText('48 hours');
    expect(row('Default sharing time').getByText('Default: 24 hours')).toBeTruthy();
    expect(heard.findLast(({ method }) => method === 'PUT')?.body).toEqual({ value: '48' });
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit Default sharing time' })),
    );
  });

  it('A size is typed in megabytes or gigabytes, and a setting without a record is added.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Largest file' }));
    const value = screen.getByLabelText<HTMLInputElement>('Value of Largest file');
    fireEvent.change(value, { target: { value: '2' } });
    await userEvent.selectOptions(screen.getByLabelText('Unit'), 'GB');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Must be a number, 1 MB to 512 MB.');
    fireEvent.change(value, { target: { value: '0.25' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await row('Largest file').findByText('256 MB');
    const body = { name: 'upload.maxBytes', value: String(256 * 1024 ** 2) };
    expect(heard.find(({ method }) => method === 'POST')?.body).toMatchObject(body);
  });

  it('Cancel and Escape change nothing.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    for (const leave of ['Cancel', 'Escape']) {
      await userEvent.click(await screen.findByRole('button', { name: 'Edit Default sharing time' }));
      await userEvent.type(screen.getByLabelText('Value of Default sharing time'), '9');
      if (leave === 'Cancel') await userEvent.click(screen.getByRole('button', { name: leave }));
      else await userEvent.keyboard('{Escape}');
      await row('Default sharing time').findByText('24 hours');
    }
    expect(heard.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('A choice is made by the names of its options.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Patients that providers find' }));
    const value = screen.getByLabelText<HTMLSelectElement>('Value of Patients that providers find');
    await userEvent.selectOptions(value, 'Known patients only');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await row('Patients that providers find').findByText('Known patients only');
    expect(heard.find(({ method }) => method === 'POST')?.body).toMatchObject({ value: 'known' });
  });

  it('A known setting that another administrator sets at the same moment says so, and shows the value of both.', async () => {
    server();
    taken = [{ ...stored(), id: 'e'.repeat(24), name: 'session.idleMinutes', value: '20' }];
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Log out after inactivity' }));
    const value = screen.getByLabelText<HTMLInputElement>('Value of Log out after inactivity');
    fireEvent.change(value, { target: { value: '15' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText(/another administrator changed this setting/);
    expect(value.value).toBe('15');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await row('Log out after inactivity').findByText('20 minutes');
  });

  it('A switch that another administrator turns at the same moment says so, and turns.', async () => {
    server();
    taken = [{ ...stored(), id: 'e'.repeat(24), name: 'access.breakGlass', value: 'yes' }];
    renderScreen(<AppSettings />, '/appsettings');
    const turn = await screen.findByRole<HTMLInputElement>('checkbox');
    await userEvent.click(turn);
    await screen.findByText(/another administrator changed this setting/);
    await waitFor(() => expect(turn.checked).toBe(true));
  });

  it('A note with a name that is taken has the fault at its name.', async () => {
    server();
    taken = [{ ...stored(), id: 'e'.repeat(24), name: 'ward.fax' }];
    renderScreen(<AppSettings />, '/appsettings');
    const name = await screen.findByLabelText('Name of the new setting');
    fireEvent.change(name, { target: { value: 'ward.fax' } });
    fireEvent.change(screen.getByLabelText('Value of the new setting'), { target: { value: '12' } });
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect((await screen.findByRole('alert')).textContent).toBe('A setting with this name already exists.');
    expect(name.getAttribute('aria-invalid')).toBe('true');
  });

  it('A fault stays at its field when the tablet is turned.', async () => {
    server();
    const tablet = turnable();
    onTestFinished(tablet.restore);
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Default sharing time' }));
    const value = () => screen.getByLabelText<HTMLInputElement>('Value of Default sharing time');
    fireEvent.change(value(), { target: { value: '9000' } });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByRole('alert');
    for (const to of ['narrow', 'wide'] as const) {
      tablet.turn(to);
      expect(screen.queryAllByRole('table')).toHaveLength(to === 'narrow' ? 0 : 1);
      expect(screen.getByRole('alert').textContent).toContain('1 hour to 720 hours');
      expect(value().value).toBe('9000');
      expect(value().getAttribute('aria-invalid')).toBe('true');
    }
  });

  it('A setting shows its last change and its history, and goes back to its default.', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    const about = await screen.findByText('Hina Farooq');
    expect(about.closest('td')?.textContent).toContain('19 Nov 2026');
    await userEvent.click(screen.getByRole('button', { name: 'History of Default sharing time' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'History' }));
    const changes = await drawer.findAllByRole('listitem');
    expect(changes.map((one) => one.textContent?.split(' · ')[0])).toEqual([
      '48 hoursthe defaultHina Farooq',
      'the default48 hoursHina Farooq',
    ]);
    await userEvent.click(drawer.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await userEvent.click(screen.getByRole('button', { name: 'Default sharing time: back to default' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Back to default' }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Default sharing time: back to default' })).toBeNull(),
    );
    expect(heard.find(({ method }) => method === 'DELETE')?.body).toEqual({ id: 'a'.repeat(24) });
  });

  it('A note of the clinic is folded away, added in the last row, edited and deleted.', async () => {
    const heard = server();
    list = [{ ...stored(), id: 'd'.repeat(24), name: 'ward.name', value: 'North' }];
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Add' }));
    expect(heard.some(({ method }) => method === 'POST')).toBe(false);
    expect(screen.queryByText('ward.name')).toBeNull();
    await userEvent.type(screen.getByLabelText('Name of the new setting'), 'ward.fax');
    await userEvent.type(screen.getByLabelText('Value of the new setting'), '12');
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    await screen.findByRole('button', { name: 'Edit ward.fax' });
    expect(screen.getByLabelText<HTMLInputElement>('Name of the new setting').value).toBe('');
    expect(screen.getByText('ward.name')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Delete ward.name' }));
    globalThis.fetch = () => Promise.reject(new TypeError('failed'));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete setting' }));
    await screen.findByText('Backend server is not reachable. Please check your server.');
  });
});
