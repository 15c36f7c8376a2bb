import { loadConfig } from '@lightbox/core/config/env.js';
import { faultOfVapidKey } from '@lightbox/core/config/keys.js';
import { makeSecrets } from '@lightbox/core/config/secrets.js';
import { expect, it } from 'vitest';
import { ownSettings, placeholderUris } from './settings.js';

const complete = (env: Record<string, string>) => {
  const full = { ...env, ...ownSettings(env, placeholderUris, makeSecrets()) };
  return () => loadConfig(full);
};

it('needs nothing at all on one machine, and shows a demonstration', () => {
  expect(complete({})()).toMatchObject({ demo: true, admin: null });
});

it('keeps the inbox behind an address that nobody can guess, and that is the same at every start', () => {
  const [own, other] = [makeSecrets(), makeSecrets()];
  const inboxOf = (secrets = own) => ownSettings({}, placeholderUris, secrets).MAIL_INBOX_URL;
  expect(inboxOf()).toMatch(/^http:\/\/127\.0\.0\.1:1080\/[\w-]{43}\/$/);
  expect(inboxOf()).toBe(inboxOf());
  expect(inboxOf()).not.toBe(inboxOf(other));
});

it('shows no demonstration to those who name an admin or a database', () => {
  expect(complete({ ADMIN_EMAIL: 'a@b.org', ADMIN_PASSWORD: 'Correct-Horse-7' })().demo).toBe(false);
  expect(complete({ MONGODB_URI: 'mongodb://db/x' })().demo).toBe(false);
  expect(complete({ DEMO: '0' })().demo).toBe(false);
});

it('keeps what is named', () => {
  const config = complete({ REDIS_URL: 'redis://cache', SMTP_URL: 'smtp://mail' })();
  expect(config).toMatchObject({ redisUrl: 'redis://cache', smtpUrl: 'smtp://mail' });
  expect(ownSettings({ SMTP_URL: 'smtp://mail' }, placeholderUris, makeSecrets())).not.toHaveProperty('MAIL_INBOX_URL');
});

it('opens neither demonstration nor caught mail to a network', () => {
  expect(complete({ HOST: '0.0.0.0' })).toThrow(/DEMO[\s\S]*SMTP_URL/);
  const named = { ADMIN_EMAIL: 'a@b.org', ADMIN_PASSWORD: 'Correct-Horse-7', SMTP_URL: 'smtp://mail' };
  expect(complete({ HOST: '0.0.0.0', ...named })().host).toBe('0.0.0.0');
});

it('signs pushes with a key of its own that is the same at every start', () => {
  const secrets = makeSecrets();
  const keyOf = (env: Record<string, string>) => ownSettings(env, placeholderUris, secrets).VAPID_KEY;
  expect(keyOf({})).toBe(keyOf({}));
  expect(faultOfVapidKey(keyOf({}) ?? '')).toBeNull();
  expect(keyOf({})).not.toBe(ownSettings({}, placeholderUris, makeSecrets()).VAPID_KEY);
  expect(keyOf({ VAPID_KEY: 'one of mine' })).toBeUndefined();
  expect(keyOf({ NODE_ENV: 'production' })).toBeUndefined();
});

it('makes nothing up in production', () => {
  expect(complete({ NODE_ENV: 'production' })).toThrow(/MONGODB_URI is missing[\s\S]*APP_KEYS is missing/);
});
