import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, newest, renderScreen } from '../lib/testing';
import { AuditLogs } from './AuditLogs';

const id = (n: number) => n.toString(16).padStart(24, '0');
const entry = (n: number, more: object = {}) => ({
  id: id(n),
  createAt: '2026-11-19T14:05:31.000Z',
  user: { id: id(900), firstname: 'Sana', lastname: 'Mirza', username: 'sana.mirza' },
  actiontype: 'share.create',
  tablename: 'shares',
  ipaddress: '203.0.113.24',
  status: 'success',
  reason: '',
  seq: n,
  hash: 'h',
  ...more,
});
const admin = {
  id: id(1),
  email: 'root@example.org',
  username: 'root',
  firstname: 'Mariam',
  lastname: 'Yousaf',
  active: true,
  role: { name: 'admin' as const },
};

/** A server with twelve entries. It answers with pages of the requested size. */
const log = ({ path }: { path: string }) => {
  const query = new URL(path, 'http://app.test').searchParams;
  const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
  const rows = Array.from({ length: 12 }, (_, n) =>
    entry(n + 1, {
      recordId: id(7),
      object: { kind: 'image', name: 'Chest PA' },
      ...(n === 0 && { status: 'failed', reason: 'WRONG_CODE' }),
    }),
  );
  return {
    body: {
      data: query.get('search') === 'nobody' ? [] : rows.slice((page - 1) * limit, page * limit),
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

beforeEach(() => startSession(admin, 'token'));

describe('the audit log', () => {
  it('The address names the page, and another page size starts at page 1.', async () => {
    const heard = answer({ 'GET /audit/logs': log });
    const router = renderScreen(<AuditLogs />, '/audit-logs?page=2');
    await screen.findByText('6–10 of 12');
    await userEvent.click(screen.getByRole('button', { name: 'Next' }));
    await screen.findByText('11–12 of 12');
    expect(router.state.location.search).toBe('?page=3');
    expect(newest(heard, 'GET /audit/logs')?.path).toContain('cursor=n');
    await router.navigate(-1);
    await screen.findByText('6–10 of 12');
    await userEvent.selectOptions(screen.getByLabelText('Rows per page:'), '10');
    await screen.findByText('1–10 of 12');
    expect(router.state.location.search).toBe('?rows=10');
  });

  it('The server searches, the search text stays out of the address, and an empty result says so.', async () => {
    const heard = answer({ 'GET /audit/logs': log });
    const router = renderScreen(<AuditLogs />, '/audit-logs');
    await screen.findByText('1–5 of 12');
    await userEvent.click(screen.getByPlaceholderText('Search by user...'));
    await userEvent.paste('nobody');
    await screen.findByText('No audit logs found.');
    expect(heard.filter(({ path }) => /^\/audit.*search=/.test(path))).toHaveLength(1);
    expect(router.state.location.search).toBe('');
  });

  it('A link to a person shows the name from the entries, and a provider’s request names no person.', async () => {
    const heard = answer({ 'GET /audit/logs': log });
    renderScreen(<AuditLogs />, `/audit-logs?user=${id(900)}`);
    await screen.findByRole('button', { name: /not only Sana Mirza/ });
    expect(heard[0]?.path).toContain(`user=${id(900)}`);
    cleanup();
    startSession({ ...admin, role: { name: 'healthProvider' } }, 'token');
    const theirs = answer({ 'GET /audit/logs': log });
    renderScreen(<AuditLogs />, `/audit-logs?user=${id(900)}`);
    await screen.findByText('1–5 of 12');
    expect(theirs[0]?.path).not.toContain('user=');
  });

  it('The header sorts by mouse and by keyboard, and aria-sort says the order.', async () => {
    const heard = answer({ 'GET /audit/logs': log });
    const router = renderScreen(<AuditLogs />, '/audit-logs?page=2');
    await screen.findByText('6–10 of 12');
    const header = () => screen.getByRole('columnheader', { name: 'Timestamp' });
    expect(header().getAttribute('aria-sort')).toBe('descending');
    expect(screen.getByRole('columnheader', { name: 'Reason' }).hasAttribute('aria-sort')).toBe(false);
    await userEvent.click(screen.getByRole('button', { name: 'Timestamp' }));
    await waitFor(() => expect(header().getAttribute('aria-sort')).toBe('ascending'));
    expect(router.state.location.search).toBe('?sort=createAt');
    await waitFor(() => expect(newest(heard, 'GET /audit/logs')?.path).toContain('sort=createAt'));
    screen.getByRole('button', { name: 'Timestamp' }).focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('The request follows the address: days, action, outcome and order.', async () => {
    const heard = answer({ 'GET /audit/logs': log });
    renderScreen(
      <AuditLogs />,
      '/audit-logs?since=days&from=2026-11-03&to=2026-11-01&action=share.create&status=denied&sort=createAt',
    );
    await screen.findByText('1–5 of 12');
    const query = new URL(heard[0]?.path ?? '', 'http://app.test').searchParams;
    expect(query.get('from')).toBe(new Date(2026, 10, 1).toISOString());
    expect(query.get('to')).toBe(new Date(new Date(2026, 10, 4).getTime() - 1).toISOString());
    expect(Object.fromEntries(query)).toMatchObject({
      actiontype: 'share.create',
      status: 'denied',
      sort: 'createAt',
    });
    expect((screen.getByLabelText('From') as HTMLInputElement).value).toBe('2026-11-03');
  });

  it('The log leaves out reads of lists until it is asked for them, and is filtered by group and record.', async () => {
    const heard = answer({ 'GET /audit/logs': log });
    renderScreen(<AuditLogs />, `/audit-logs?record=${id(7)}`);
    expect(await screen.findByRole('button', { name: /Only about .*Chest PA/ })).toBeTruthy();
    expect(newest(heard, 'GET /audit/logs')?.path).toMatch(new RegExp(`record=${id(7)}&lists=false`));
    expect(screen.getAllByRole('link', { name: 'Chest PA' })[0]?.getAttribute('href')).toBe(
      `/view-images?image=${id(7)}`,
    );
    await userEvent.selectOptions(screen.getByLabelText('Filter by group'), 'Views');
    await waitFor(() => expect(newest(heard, 'GET /audit/logs')?.path).toContain('group=looks'));
    await userEvent.selectOptions(screen.getByLabelText('Filter by group'), 'Everything');
    await waitFor(() => expect(newest(heard, 'GET /audit/logs')?.path).not.toMatch(/group|lists/));
  });

  it('The details of a row show all its fields.', async () => {
    answer({ 'GET /audit/logs': log });
    renderScreen(<AuditLogs />, '/audit-logs');
    const [details] = await screen.findAllByRole('button', { name: /^Details of Share image/ });
    await userEvent.click(details as HTMLElement);
    const drawer = await screen.findByRole('dialog');
    expect(drawer.textContent).toContain('share.create');
    expect(drawer.textContent).toContain(id(900));
  });

  it('The export has the filters of the screen and the chosen format.', async () => {
    const heard = answer({ 'GET /audit/logs': log, 'GET /audit/export': () => ({ body: 'seq' }) });
    const saved: string[] = [];
    URL.createObjectURL = () => 'blob:x';
    HTMLAnchorElement.prototype.click = function click() {
      saved.push(this.download);
    };
    renderScreen(<AuditLogs />, '/audit-logs?status=denied');
    (await screen.findByRole('button', { name: 'Export' })).focus();
    await userEvent.keyboard('{Enter}');
    await screen.findByRole('menuitem', { name: /^FHIR/ });
    await userEvent.keyboard('{End}{Enter}');
    await waitFor(() => expect(saved).toEqual([expect.stringMatching(/^audit-log-[\d-]+\.fhir\.json$/)]));
    expect(newest(heard, 'GET /audit/export')?.path).toBe(
      '/audit/export?sort=-createAt&status=denied&lists=false&format=fhir',
    );
  });

  it('A failed action has a word for it and the reason as a sentence.', async () => {
    answer({ 'GET /audit/logs': log });
    renderScreen(<AuditLogs />, '/audit-logs');
    const row = (await screen.findByText('Failed', { selector: 'span' })).closest('tr');
    expect(row?.textContent).toContain('That code didn’t match.');
  });

  it('An error message says that it comes from the server.', async () => {
    answer({
      'GET /audit/logs': () => ({
        status: 403,
        body: { message: 'You don’t have permission to do this.', error: 'FORBIDDEN' },
      }),
    });
    renderScreen(<AuditLogs />, '/audit-logs');
    await screen.findByText('Error data: You don’t have permission to do this.');
  });

  it('An administrator sees the result of the verification of the chain.', async () => {
    let ok = true;
    answer({
      'GET /audit/logs': log,
      'GET /audit/verify': () => ({ body: { data: ok ? { ok, checked: 12 } : { ok, checked: 12, firstBroken: 7 } } }),
    });
    renderScreen(<AuditLogs />, '/audit-logs');
    await userEvent.click(await screen.findByRole('button', { name: 'Check integrity' }));
    await screen.findByText('Log intact');
    ok = false;
    await userEvent.click(screen.getByRole('button', { name: 'Check integrity' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Entry 7 is the first');
    await waitFor(() => expect(screen.queryByText('Log intact')).toBeNull());
  });

  it('The log can be filtered by a person who was found, and the address contains only the id.', async () => {
    const sana = {
      ...admin,
      id: id(900),
      username: 'sana.mirza',
      firstname: 'Sana',
      lastname: 'Mirza',
      role: 'healthProvider',
    };
    const heard = answer({
      'GET /audit/logs': log,
      'GET /audit/export': () => ({ body: 'seq' }),
      'GET /users': () => ({ body: { data: [sana] } }),
    });
    URL.createObjectURL = () => 'blob:x';
    HTMLAnchorElement.prototype.click = () => undefined;
    const router = renderScreen(<AuditLogs />, '/audit-logs?page=2');
    await userEvent.click(await screen.findByPlaceholderText('Search by user...'));
    await userEvent.paste('sana');
    await userEvent.click(await screen.findByRole('option', { name: /Sana Mirza/ }));
    const clear = await screen.findByRole('button', { name: 'Show everyone again, not only Sana Mirza' });
    expect(router.state.location.search).toBe(`?user=${id(900)}`);
    await waitFor(() => expect(newest(heard, 'GET /audit/logs')?.path).toContain(`user=${id(900)}`));
    expect(newest(heard, 'GET /audit/logs')?.path).not.toContain('search');
    screen.getByRole('button', { name: 'Export' }).focus();
    await userEvent.keyboard('{Enter}');
    const csv = await screen.findByRole('menuitem', { name: /^CSV/ });
    await waitFor(() => expect(csv.dataset.highlighted).toBeDefined());
    await userEvent.keyboard('{Enter}');
    await waitFor(() =>
      expect(newest(heard, 'GET /audit/export')?.path).toContain(`&user=${id(900)}&lists=false&format=csv`),
    );
    await userEvent.click(clear);
    await waitFor(() => expect(router.state.location.search).toBe(''));
    expect(await screen.findByPlaceholderText('Search by user...')).toHaveProperty('value', '');
  });
});
