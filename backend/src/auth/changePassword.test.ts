import { texts } from '@lightbox/contract/texts.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { describe, expect, it } from 'vitest';
import { Client, connectSocket } from '../testing/client.js';
import { buildPatient, mailedCode, PASSWORD, type Person, signIn } from '../testing/factories.js';
import { buildGateway, joinGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const NEXT = 'Harbour-Lantern-42';
const { test, api } = useGateway();

const change = (person: { token: string }, currentPassword: string, newPassword: string, client = api) =>
  client.as(person).put('/auth/password', { currentPassword, newPassword });
const login = ({ email }: Person, password: string) => api.post('/auth/login', { email, password });

describe('one’s own password', () => {
  it('is changed for the current one: every other session ends at once, this one goes on, and a mail says so', async () => {
    const person = await buildPatient(test.gateway);
    const other = await signIn(test.gateway, person._id);
    const begun = (await login(person, PASSWORD).expect(200)).body.data.token;
    const { code } = await mailedCode(test.gateway, person._id);
    await api.post('/auth/forgot-password', { email: person.email }).expect(200);
    const reset = await mailedCode(test.gateway, person._id, 'reset');
    const second = await joinGateway(test.config, test.clock);
    const [here, there] = [
      await connectSocket(second.url, { token: person.token }),
      await connectSocket(second.url, { token: other.token }),
    ];
    const { body } = await change(person, PASSWORD, NEXT).expect(200);
    expect(body.message).toBe(texts.passwordChanged);
    expect(await there.until('session:revoked')).toEqual([{ reason: 'passwordReset' }]);
    await api.as(other).get('/users/profile').expect(401);
    await api.as(person).get('/users/profile').expect(200);
    expect([here.socket.connected, here.seen('session:revoked')]).toEqual([true, []]);
    // A sign-in that began with the old password, or a code that was mailed, does not work any more.
    await api.as(begun).post('/auth/confirm', { code }).expect(410);
    await api
      .post('/auth/reset-password', { email: person.email, otp: reset.code, newPassword: 'Another-Good-77' })
      .expect(410);
    await login(person, PASSWORD).expect(401);
    await login(person, NEXT).expect(200);

    const found = await test.gateway.models.Event.find({ actor: person._id, type: 'auth.changePassword' }).lean();
    expect(found).toMatchObject([{ status: 'success', record: person._id }]);
    expect(consequencesOf('auth.changePassword')?.mail?.(found[0] as EventDoc)).toBe('passwordChanged');
    here.socket.close();
    await second.stop();
  });

  it.each([
    ['Wrong-Pass-1', NEXT, 'currentPassword', texts.passwordNotRight],
    ['', NEXT, 'currentPassword', 'This field is required.'],
    [PASSWORD, 'short', 'newPassword', texts.passwordRule],
    [PASSWORD, 'Password1', 'newPassword', texts.passwordCommon],
  ])('is not changed for %j to %j', async (current, next, field, message) => {
    const person = await buildPatient(test.gateway);
    const other = await signIn(test.gateway, person._id);
    const { body } = await change(person, current, next).expect(422);
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED', errors: [{ field, message }] });
    await api.as(other).get('/users/profile').expect(200);
    await login(person, PASSWORD).expect(200);
    const failed = await test.gateway.models.Event.find({ actor: person._id, type: 'auth.changePassword' }).lean();
    expect(failed.map(({ status, reason }) => `${status} ${reason}`)).toEqual(
      message === texts.passwordNotRight ? ['failed INVALID_CREDENTIALS'] : [],
    );
  });

  it('only one of two concurrent changes succeeds', async () => {
    const person = await buildPatient(test.gateway);
    const answers = await Promise.all([change(person, PASSWORD, NEXT), change(person, PASSWORD, 'Another-Good-77')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('guesses from an open session are limited, by this call and by closing the account', async () => {
    const throttled = await buildGateway({ rateLimits: true });
    try {
      const client = new Client(throttled.url);
      const person = await buildPatient(throttled.gateway);
      for (let i = 0; i < throttles.loginPair.points; i += 2) {
        await change(person, 'Wrong-Pass-1', NEXT, client).expect(422);
        await client.as(person).del('/users/profile', { password: 'Wrong-Pass-1' }).expect(422);
      }
      const refused = await change(person, PASSWORD, NEXT, client).expect(429);
      expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
      await client.as(person).del('/users/profile', { password: PASSWORD }).expect(429);
    } finally {
      await throttled.stop();
    }
  });
});
