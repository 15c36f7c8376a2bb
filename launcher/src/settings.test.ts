import { loadConfig } from '@lightbox/core/config/env.js';
import { faultOfVapidKey } from '@lightbox/core/config/keys.js';
import { makeSecrets } from '@lightbox/core/config/secrets.js';
import { expect, it } from 'vitest';
import { ownSettings, placeholderUris } from './settings.js';

const complete = (env: Record<string, string>) => {
  const full = { ...env, ...ownSettings(env, placeholderUris, makeSecrets()) };
  return () => loadConfig(full);
};

it('The launcher needs no settings on one machine, and shows a demonstration.', () => {
  expect(complete({})()).toMatchObject({ demo: true, admin: null });
});

it('The address of the inbox cannot be guessed and is the same at every start.', () => {
  const [own, other] = [makeSecrets(), makeSecrets()];
  const inboxOf = (secrets = own) => ownSettings({}, placeholderUris, secrets).MAIL_INBOX_URL;
  expect(inboxOf()).toMatch(/^http:\/\/127\.0\.0\.1:1080\/[\w-]{43}\/$/);
  expect(inboxOf()).toBe(inboxOf());
  expect(inboxOf()).not.toBe(inboxOf(other));
});

it('There is no demonstration when the settings name an admin or a database.', () => {
  expect(complete({ ADMIN_EMAIL: 'a@b.org', ADMIN_PASSWORD: 'Correct-Horse-7' })().demo).toBe(false);
  expect(complete({ MONGODB_URI: 'mongodb://db/x' })().demo).toBe(false);
  expect(complete({ DEMO: '0' })().demo).toBe(false);
});

it('The launcher keeps the settings that are given.', () => {
  const config = complete({ REDIS_URL: 'redis://cache', SMTP_URL: 'smtp://mail' })();
  expect(config).toMatchObject({ redisUrl: 'redis://cache', smtpUrl: 'smtp://mail' });
  expect(ownSettings({ SMTP_URL: 'smtp://mail' }, placeholderUris, makeSecrets())).not.toHaveProperty('MAIL_INBOX_URL');
});

it('The launcher refuses to open the demonstration or the mail catcher to a network.', () => {
  expect(complete({ HOST: '0.0.0.0' })).toThrow(/DEMO[\s\S]*SMTP_URL/);
  const named = { ADMIN_EMAIL: 'a@b.org', ADMIN_PASSWORD: 'Correct-Horse-7', SMTP_URL: 'smtp://mail' };
  expect(complete({ HOST: '0.0.0.0', ...named })().host).toBe('0.0.0.0');
});

it('The key that signs pushes is the launcher’s own and the same at every start.', () => {
  const secrets = makeSecrets();
  const keyOf = (env: Record<string, string>) => ownSettings(env, placeholderUris, secrets).VAPID_KEY;
  expect(keyOf({})).toBe(keyOf({}));
  expect(faultOfVapidKey(keyOf({}) ?? '')).toBeNull();
  expect(keyOf({})).not.toBe(ownSettings({}, placeholderUris, makeSecrets()).VAPID_KEY);
  expect(keyOf({ VAPID_KEY: 'one of mine' })).toBeUndefined();
  expect(keyOf({ NODE_ENV: 'production' })).toBeUndefined();
});

it('The launcher adds no settings in production.', () => {
  expect(complete({ NODE_ENV: 'production' })).toThrow(/MONGODB_URI is missing[\s\S]*APP_KEYS is missing/);
});
