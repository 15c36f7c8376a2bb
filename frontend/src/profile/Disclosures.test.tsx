import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { startSession } from '../auth/session';
import { answer, newest, renderScreen } from '../lib/testing';
import { Disclosures } from './Disclosures';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['Asia/Karachi', '2026-04-30T19:00:00.000Z', '2026-05-02T18:59:59.999Z'],
  ['America/Los_Angeles', '2026-05-01T07:00:00.000Z', '2026-05-03T06:59:59.999Z'],
])('The days of a period are those of the patient’s own clock in %s.', async (timeZone, from, to) => {
  vi.stubEnv('TZ', timeZone);
  startSession(
    { id: 'a'.repeat(24), firstname: 'Noor', lastname: 'Khan', role: { name: 'patient' } } as never,
    'token',
  );
  const call = 'GET /users/profile/disclosures';
  const heard = answer({
    [call]: () => ({
      body: { data: [], pagination: { currentPage: 1, pageSize: 100, totalPages: 1, totalItems: 0 } },
    }),
  });
  renderScreen(<Disclosures />, '/disclosures?from=2026-05-01&to=2026-05-02');
  await screen.findByText('Nothing in this period');
  const { searchParams } = new URL(newest(heard, call)?.path ?? '', 'http://app.test');
  expect([searchParams.get('from'), searchParams.get('to')]).toEqual([from, to]);
});
