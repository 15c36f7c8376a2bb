import type { Setting } from '@lightbox/contract/settings/calls.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { answer, renderScreen } from '../lib/testing';
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
const server = () =>
  answer({
    'GET /appsetting/': () => ({ body: { data: list } }),
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
  it('are edited in their row; a fault stands at its field and the rest is kept', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit sharing.expiryHours' }));
    const value = screen.getByLabelText<HTMLInputElement>('Value of sharing.expiryHours');
    expect(screen.getAllByText('1–720').length).toBeGreaterThan(0);
    await userEvent.clear(value);
    await userEvent.type(value, '9000');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Must be a whole number');
    expect(value.getAttribute('aria-invalid')).toBe('true');
    await userEvent.clear(value);
    await userEvent.type(value, '48{Enter}');
    await screen.findByText('48');
    expect(heard.findLast(({ method }) => method === 'PUT')?.body).toEqual({
      value: '48',
      description: 'How long a share lasts.',
    });
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit sharing.expiryHours' })),
    );
  });

  it('Cancel leaves everything as it was', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit sharing.expiryHours' }));
    await userEvent.type(screen.getByLabelText('Value of sharing.expiryHours'), '9');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(within(screen.getByRole('table')).getByText('24')).toBeTruthy();
    expect(heard.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('the last row adds, and does nothing without a name', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Add' }));
    expect(heard.some(({ method }) => method === 'POST')).toBe(false);
    await userEvent.click(screen.getByRole('button', { name: 'Set session.idleMinutes' }));
    expect(document.activeElement).toBe(screen.getByLabelText('Value of the new setting'));
    await userEvent.keyboard('45');
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    await screen.findByRole('button', { name: 'Edit session.idleMinutes' });
    expect(screen.getByLabelText<HTMLInputElement>('Name of the new setting').value).toBe('');
  });

  it('says in the words of the specification that the server is away', async () => {
    const heard = server();
    renderScreen(<AppSettings />, '/appsettings');
    await userEvent.click(await screen.findByRole('button', { name: 'Delete sharing.expiryHours' }));
    globalThis.fetch = () => Promise.reject(new TypeError('failed'));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete setting' }));
    await screen.findByText('Backend server is not reachable. Please check your server.');
    expect(heard.some(({ method }) => method === 'DELETE')).toBe(false);
  });
});
