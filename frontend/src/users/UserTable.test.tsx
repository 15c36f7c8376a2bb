import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, newest, renderScreen } from '../lib/testing';
import { UserTable } from './UserTable';

const id = (n: number) => n.toString(16).padStart(24, '0');
const person = (n: number) => ({
  id: id(n),
  email: `p${n}@example.org`,
  username: `p${n}`,
  firstname: 'Person',
  lastname: String(n),
  active: true,
  role: 'patient',
  createAt: '2026-11-19T14:05:31.000Z',
});
const me = (name: 'admin' | 'healthProvider') => ({
  id: id(99),
  email: 'me@example.org',
  username: 'me',
  firstname: 'Mariam',
  lastname: 'Yousaf',
  active: true,
  role: { name },
});

const people = ({ path }: { path: string }) => {
  const query = new URL(path, 'http://app.test').searchParams;
  const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
  return {
    body: {
      data: Array.from({ length: Math.min(limit, 12 - (page - 1) * limit) }, (_, i) => person((page - 1) * limit + i)),
      pagination: {
        currentPage: page,
        pageSize: limit,
        totalPages: Math.ceil(12 / limit),
        totalItems: 12,
        hasPrevPage: page > 1,
        hasNextPage: page * limit < 12,
        nextCursor: 'n',
        prevCursor: 'p',
      },
    },
  };
};

const header = (name: string) => screen.getByText(name).closest('th');

const show = (at: string) => {
  const heard = answer({ 'GET /users': people });
  return { heard, router: renderScreen(<UserTable />, at) };
};

describe('the table of people', () => {
  beforeEach(() => startSession(me('admin'), 'token'));

  it('The table reads page, role and order from the address, and writes changes to it.', async () => {
    const { heard, router } = show('/dashboard?page=2&role=patient&sort=-email');
    await screen.findByText('6–10 of 12');
    expect(heard[0]?.path).toBe('/users?page=2&limit=5&sort=-email&role=patient');
    expect(header('Email')?.getAttribute('aria-sort')).toBe('descending');
    expect(header('Full Name')?.getAttribute('aria-sort')).toBe('none');
    await userEvent.click(screen.getByText('Registered'));
    await waitFor(() => expect(router.state.location.search).toBe('?role=patient&sort=-createAt'));
    await waitFor(() =>
      expect(newest(heard, 'GET /users')?.path).toBe('/users?page=1&limit=5&sort=-createAt&role=patient'),
    );
  });

  it('An unknown order in the address is replaced by the default.', async () => {
    const { heard } = show('/dashboard?sort=passwordHash');
    await screen.findByText('1–5 of 12');
    expect(heard[0]?.path).toBe('/users?page=1&limit=5&sort=name');
  });

  it('A provider who waits for approval is not listed as active.', async () => {
    const waiting = { ...person(1), role: 'healthProvider', status: 'pending' };
    answer({ 'GET /users': () => ({ body: { data: [waiting], pagination: { totalItems: 1 } } }) });
    renderScreen(<UserTable />, '/dashboard');
    expect(await screen.findByText('Under review')).toBeTruthy();
    expect(screen.queryByText('Yes')).toBeNull();
  });

  it('The search text is never in the address.', async () => {
    const { heard, router } = show('/dashboard');
    await screen.findByText('1–5 of 12');
    await userEvent.click(screen.getByLabelText('Search users by name or email'));
    await userEvent.paste('hina');
    await waitFor(() => expect(newest(heard, 'GET /users')?.path).toContain('search=hina'));
    expect(router.state.location.search).toBe('');
  });
});

it('A provider can sort only by the columns that they see.', async () => {
  startSession(me('healthProvider'), 'token');
  const { heard } = show('/dashboard?sort=createAt');
  await screen.findByText('1–5 of 12');
  expect(heard[0]?.path).toContain('sort=name');
  expect(screen.queryByRole('button', { name: 'Active' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Export CSV' })).toBeNull();
});

describe('on a phone', () => {
  afterEach(() => {
    Reflect.deleteProperty(window, 'matchMedia');
  });

  it('On a phone a list of orders replaces the column headers.', async () => {
    startSession(me('admin'), 'token');
    window.matchMedia = ((query: string) => ({
      matches: false,
      media: query,
      addListener: () => {},
      removeListener: () => {},
      addEventListener: () => {},
      removeEventListener: () => {},
    })) as unknown as typeof window.matchMedia;
    const { router } = show('/dashboard');
    await screen.findByText('1–5 of 12');
    expect(screen.queryByText('Full Name', { selector: 'th *' })).toBeNull();
    await userEvent.selectOptions(screen.getByLabelText('Sort by:'), 'Email, descending');
    await waitFor(() => expect(router.state.location.search).toBe('?sort=-email'));
  });
});
