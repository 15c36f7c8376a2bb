import { oidcClient } from '@lightbox/testkit/oidcProvider.js';
import { mongo } from 'mongoose';
import { describe, expect, it, vi } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { mailedCode, signIn } from '../testing/factories.js';
import { cookieOf, useSignOn } from '../testing/useSignOn.js';

const { test, api, clinic, admin, begin, finish, signOn, person, userOf } = useSignOn();

const backChannel = '/auth/sign-on/clinic/back-channel-logout';

/** The product's clock of this file goes ahead of the provider's. */
const justNow = (claims: Record<string, unknown>) => ({
  ...claims,
  auth_time: Math.floor(test.clock.now().getTime() / 1000),
});

describe('a proof and an end', () => {
  it('A step-up is a fresh sign-in of the same person at the provider; a password is none.', async () => {
    const [mine, other] = [person(), person()];
    const { token, user } = (await signOn(mine.sub)).body.data;
    const session = api.as(token);
    const longAgo = new Date(test.clock.now().getTime() - 16 * 60_000);
    await test.gateway.models.Session.updateOne({ user: user.id }, { $set: { createAt: longAgo } });
    const wish = { name: 'Archive', scopes: ['read'], days: 30 };
    const asked = await session.post('/auth/tokens', wish).expect(403);
    expect(asked.body).toMatchObject({ error: 'STEP_UP_REQUIRED', ways: ['signOn'] });
    expect((await session.post('/auth/step-up', { password: 'x' })).body.error).toBe('STEP_UP_REQUIRED');
    const prove = async (sub: string, change?: (claims: Record<string, unknown>) => Record<string, unknown>) => {
      const { body, headers } = await session.post('/auth/step-up/sign-on', { returnTo: '/profile' }).expect(200);
      expect(new URL(body.data.url).searchParams.get('prompt')).toBe('login');
      const back = await clinic.browser().signIn(body.data.url, sub);
      if (change) clinic.tamper(change);
      return session
        .post('/auth/step-up/sign-on/clinic/finish', { query: back.search.slice(1) })
        .set('Cookie', cookieOf(headers));
    };
    const hourAgo = (claims: Record<string, unknown>) => ({
      ...claims,
      auth_time: Math.floor(Date.now() / 1000) - 3600,
    });
    const timeless = ({ auth_time: _, ...claims }: Record<string, unknown>) => claims;
    expect((await prove(other.sub, justNow)).body.error).toBe('SIGN_ON_REFUSED');
    for (const change of [hourAgo, timeless]) {
      expect((await prove(mine.sub, change)).body.error).toBe('SIGN_ON_REFUSED');
    }
    await session.post('/auth/tokens', wish).expect(403);
    expect((await prove(mine.sub, justNow)).status).toBe(200);
    await session.post('/auth/tokens', wish).expect(201);
  });

  it('A sign-out here leads to the sign-out there.', async () => {
    const { data } = (await signOn(person().sub)).body;
    const { body } = await api.as(data.token).post('/auth/logout', {}).expect(200);
    const url = new URL(body.data.url);
    expect(url.origin).toBe(clinic.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${test.config.publicUrl}/login`);
    expect(url.searchParams.get('id_token_hint')).toBeTruthy();
    const local = api.as((await signIn(test.gateway, admin._id)).token);
    expect((await local.post('/auth/logout', {}).expect(200)).body.data).toBeNull();
  });

  it('A sign-out at the provider ends the session here, and its live connection.', async () => {
    const { sub } = person();
    const browser = clinic.browser();
    const { url, cookie } = await begin();
    const { data } = (await finish(cookie, await browser.signIn(url, sub)).expect(200)).body;
    const elsewhere = (await signOn(sub)).body.data;
    const { socket } = await connectSocket(test.url, { token: data.token });
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    await browser.signOut(`${clinic.issuer}/session/end?client_id=${oidcClient.id}`);
    await closed;
    await api.as(data.token).get('/users/profile').expect(401);
    // Another session at the provider.
    await api.as(elsewhere.token).get('/users/profile').expect(200);
  });

  it('A logout token counts once, and only with everything that the specification asks for.', async () => {
    const { sub } = person();
    const { data } = (await signOn(sub)).body;
    const now = () => Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const good = () => ({
      iss: clinic.issuer,
      aud: oidcClient.id,
      iat: now(),
      exp: now() + 120,
      jti: String(Math.random()),
      sub,
      events,
    });
    const end = (token: string) =>
      fetch(`${test.url}/api${backChannel}`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      }).then(({ status }) => status);
    const { sub: _, ...nobody } = good();
    const { jti: __, ...nameless } = good();
    for (const claims of [
      { ...good(), iss: 'https://evil.example' },
      { ...good(), aud: 'another' },
      { ...good(), exp: now() - 60 },
      { ...good(), iat: now() - 3600 },
      { ...good(), nonce: 'x' },
      { ...good(), events: {} },
      nobody,
      nameless,
    ]) {
      expect(await end(await clinic.sign(claims)), JSON.stringify(claims)).toBe(400);
    }
    expect(await end(await clinic.sign(good(), 'at+jwt'))).toBe(400);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(good())).toString('base64url')}.`;
    expect(await end(unsigned)).toBe(400);
    await api.as(data.token).get('/users/profile').expect(200);
    const token = await clinic.sign({ ...good(), sub: 'stranger' }, 'logout+jwt');
    expect([await end(token), await end(token)]).toEqual([200, 400]);
    await api.as(data.token).get('/users/profile').expect(200);
    // The sessions cannot be ended for a moment. The provider sends the same token again.
    const last = await clinic.sign(good(), 'logout+jwt');
    const lost = new mongo.MongoNetworkError('connection closed');
    const change = vi.spyOn(test.gateway.events, 'change').mockRejectedValueOnce(lost);
    expect(await end(last)).toBe(503);
    change.mockRestore();
    expect([await end(last), await end(last)]).toEqual([200, 400]);
    await api.as(data.token).get('/users/profile').expect(401);
  });

  it('A sign-out at the provider ends a sign-in that waits for its second step.', async () => {
    const { sub, email } = person({ amr: ['pwd'] });
    const browser = clinic.browser();
    const { url, cookie } = await begin();
    const first = (await finish(cookie, await browser.signIn(url, sub)).expect(200)).body.data;
    expect(first.method).toBe('mail');
    const { code } = await mailedCode(test.gateway, (await userOf(email))._id);
    const other = (await signOn(sub)).body.data;
    const otherCode = (await mailedCode(test.gateway, (await userOf(email))._id)).code;
    await browser.signOut(`${clinic.issuer}/session/end?client_id=${oidcClient.id}`);
    await api.as(first.token).post('/auth/confirm', { code }).expect(410);
    // Another session at the provider.
    await api.as(other.token).post('/auth/confirm', { code: otherCode }).expect(200);
  });
});
