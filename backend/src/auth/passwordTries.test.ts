import { throttles } from '@lightbox/contract/throttles.js';
import { expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildPatient, PASSWORD } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';
import { countRight, takePasswordTry } from './passwordTries.js';

const { test } = useGateway({ rateLimits: true, trustProxy: 1 });

const { points } = throttles.loginAddress;
const login = (email: string, password: string, address: string) =>
  new Client(test.url).post('/auth/login', { email, password }).set('X-Forwarded-For', address);

it('of many sign-ins at once from one address to different accounts, no more than fifty passwords are checked', async () => {
  const address = '203.0.113.150';
  const tries = await Promise.allSettled(
    Array.from({ length: 2 * points }, (_, i) =>
      takePasswordTry(test.gateway, { email: `spray${i}@hospital.test`, address }),
    ),
  );
  const taken = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(taken).toHaveLength(points);
  for (const one of tries) if (one.status === 'rejected') expect(one.reason.code).toBe('TOO_MANY_REQUESTS');

  const { email } = await buildPatient(test.gateway);
  await login(email, PASSWORD, address).expect(429);
  // A right password gives its point back. The refused sign-ins hold none, also not of their accounts.
  for (const one of taken.slice(0, 2)) await countRight(test.gateway, one, false);
  await login(email, PASSWORD, address).expect(200);
  await login(email, 'Wrong-Pass-1', address).expect(401);
  await login(email, PASSWORD, address).expect(200);
  await login(email, 'Wrong-Pass-1', address).expect(401);
  await login(email, PASSWORD, address).expect(429);
});

it('a sign-in whose password is not checked costs the address nothing', async () => {
  const address = '203.0.113.151';
  const { email, _id } = await buildPatient(test.gateway);
  await test.gateway.throttle.wait('loginFailures', { email }, 60);
  for (let i = 0; i < throttles.loginFailures.points; i++)
    await test.gateway.throttle.count('loginFailures', { email });
  const pair = throttles.loginPair.points;
  // First the account has to wait. Then the tries of this account from this address are used up.
  for (let i = 0; i < pair + 2; i++) await login(email, PASSWORD, address).expect(429);
  expect(await test.gateway.throttle.count('loginAddress', { address })).toBe(1);
  expect(await test.gateway.models.Event.countDocuments({ type: 'auth.login', actor: _id })).toBe(0);
});

it('a wrong password that is checked while the account waits stands in the audit log, and the owner is told', async () => {
  const { email, _id } = await buildPatient(test.gateway);
  for (let i = 0; i < throttles.loginFailures.points; i++)
    await test.gateway.throttle.count('loginFailures', { email });
  await test.gateway.throttle.wait('loginFailures', { email }, 60);
  // The account signed in from this address before, so its password is checked.
  await login(email, 'Wrong-Pass-1', '127.0.0.1').expect(429);
  const entries = await test.gateway.models.Event.find({ record: _id, type: /^auth\.(login|guesses)$/ })
    .sort({ _id: 1 })
    .lean();
  expect(entries).toMatchObject([
    { type: 'auth.login', status: 'failed', reason: 'INVALID_CREDENTIALS' },
    { type: 'auth.guesses' },
  ]);
});
