import type { Overview } from '@lightbox/contract/overview/calls.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { queryClient } from '../lib/query';
import { answer, renderScreen } from '../lib/testing';
import { AdminDashboard } from './AdminDashboard';
import { overviewEvents } from './overview';

const id = (n: number) => String(n).padStart(24, '0');
const at = '2026-11-20T10:00:00.000Z';
const quiet: Overview = {
  at,
  attention: {
    providers: { count: 0, oldest: [] },
    emergencies: { count: 0 },
    failedJobs: { count: 0, newest: [] },
    lockedShares: { count: 0, imageIds: [] },
  },
  service: { mongodb: 'ok', redis: 'ok', pendingEvents: { count: 0, oldestMs: null } },
  queues: [{ queue: 'mail', waiting: 4, active: 1, delayed: 0, failed: 1 }],
  storage: [{ contentType: 'image/png', images: 3, bytes: 2048 }],
  liveSessions: 5,
  activity: ['2026-11-19', '2026-11-20'].map((day, i) => ({ day, uploads: i * 7, shares: 0, signIns: 2, analyses: 0 })),
};
const busy: Overview['attention'] = {
  providers: {
    count: 7,
    oldest: [{ id: id(1), firstname: 'Omar', lastname: 'Siddiqui', email: 'omar@example.org', since: at }],
  },
  emergencies: { count: 2 },
  failedJobs: {
    count: 1,
    newest: [
      { id: `${id(2)}-mail`, queue: 'mail', name: 'sendMail', attempts: 12, failedAt: at, reason: 'unreachable' },
    ],
  },
  lockedShares: { count: 2, imageIds: [id(3)] },
};

const show = (now: Overview) => {
  const heard = answer({
    'GET /admin/overview': () => ({ body: { data: now } }),
    'GET /admin/self-check': () => ({ body: { data: null } }),
    [`POST /admin/jobs/mail/${id(2)}-mail/retry`]: () => ({
      body: { data: { id: `${id(2)}-mail`, queue: 'mail', name: 'sendMail' } },
    }),
  });
  renderScreen(<AdminDashboard />, '/admin-dashboard');
  return () => heard.filter(({ path }) => path !== '/admin/self-check');
};

test('A dashboard without tasks says so, and its charts name their numbers.', async () => {
  show(quiet);
  await screen.findByText('All clear');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Secure Medical Image Sharing Dashboard');
  expect(screen.getByRole('img', { name: 'Uploads per day: 7 in 14 days, most on 20 Nov 2026 (7).' })).toBeTruthy();
  expect(screen.getByRole('img', { name: 'Shares per day: none in 14 days.' })).toBeTruthy();
  const queues = within(screen.getByRole('table', { name: 'Queues' }));
  expect(queues.getByRole('row', { name: 'Email 4 1 0 1' })).toBeTruthy();
});

test('A task links to the screen for it, and a failed job can run again.', async () => {
  const user = userEvent.setup();
  const heard = show({ ...quiet, attention: busy });
  await screen.findByText('Omar Siddiqui');
  expect(screen.getByText('and 6 more')).toBeTruthy();
  const shares = screen.getByRole('link', { name: 'Open the shares of the image ending in 000003' });
  expect(shares.getAttribute('href')).toBe(`/view-images?image=${id(3)}&show=share`);
  expect(screen.getByRole('link', { name: 'Review providers' }).getAttribute('href')).toBe('/approve-provider');
  await user.click(screen.getByRole('button', { name: 'Retry: Send an email' }));
  await screen.findByText('The job will run again.');
  expect(heard()[0]?.headers.get('X-Background')).toBeNull();
  const after = () => heard().slice(heard().findIndex(({ method }) => method === 'POST'));
  await waitFor(() => expect(after().length).toBeGreaterThan(1));
  // Only the requests of the user count as activity, not the automatic refetch.
  expect(
    after()
      .slice(0, 2)
      .map(({ method, headers }) => [method, headers.get('X-Background')]),
  ).toEqual([
    ['POST', null],
    ['GET', '1'],
  ]);
});

test('Without Redis, the dashboard shows everything else.', async () => {
  const attention = { ...quiet.attention, failedJobs: null };
  show({ ...quiet, attention, queues: null, service: { ...quiet.service, redis: 'degraded' } });
  await screen.findByText('Redis is unavailable.');
  expect(screen.getByText('Jobs are not visible now.')).toBeTruthy();
  expect(screen.queryByRole('table', { name: 'Queues' })).toBeNull();
  expect(screen.queryByText('All clear')).toBeNull();
});

test('A provider who registers appears at once.', async () => {
  const heard = show(quiet);
  await screen.findByText('All clear');
  const before = heard().length;
  overviewEvents['notification:new']?.({ id: id(9), kind: 'provider.registered', at }, queryClient);
  await waitFor(() => expect(heard().length).toBeGreaterThan(before));
});

test('A share that is locked after wrong codes appears without waiting for the next poll.', async () => {
  let now = quiet;
  answer({
    'GET /admin/overview': () => ({ body: { data: now } }),
    'GET /admin/self-check': () => ({ body: { data: null } }),
  });
  renderScreen(<AdminDashboard />, '/admin-dashboard');
  await screen.findByText('All clear');
  now = { ...quiet, attention: { ...quiet.attention, lockedShares: { count: 1, imageIds: [id(3)] } } };
  const share = { sharingRequestId: id(4), imagemetadataId: id(3), createdfor: id(5), expiresAt: null };
  overviewEvents['share:locked']?.(share, queryClient);
  await screen.findByRole('heading', { name: 'Locked shares' });
  expect(screen.getByRole('link', { name: 'Open the shares of the image ending in 000003' })).toBeTruthy();
});

test('The self-check shows each check with what it saw, and can be run.', async () => {
  const user = userEvent.setup();
  const report = {
    at,
    ok: false,
    checks: [
      { name: 'audit', state: 'ok', saw: [{ fact: 'entries', value: 1234 }] },
      { name: 'mail', state: 'failed', fault: 'unreachable', saw: [] },
      { name: 'tls', state: 'skipped', saw: [] },
    ],
  };
  const heard = answer({
    'GET /admin/overview': () => ({ body: { data: quiet } }),
    'GET /admin/self-check': () => ({ body: { data: null } }),
    'POST /admin/self-check': () => ({ body: { data: report } }),
  });
  renderScreen(<AdminDashboard />, '/admin-dashboard');
  await screen.findByText('No self-check has run yet.');
  await user.click(screen.getByRole('button', { name: 'Run now' }));
  await screen.findByText('1 check found a fault.');
  const rows = within(screen.getByRole('list', { name: 'Self-check' })).getAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'Audit logIn orderEntries up to now: 1,234',
    'Mail serverFaultThere was no valid answer.',
    'Encrypted connectionsNothing to check',
  ]);
  expect(heard.filter(({ method }) => method === 'POST')).toHaveLength(1);
});
