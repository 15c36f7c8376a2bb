import type { Env } from '@lightbox/core/config/env.js';
import { deriveInboxToken, deriveVapidKey } from '@lightbox/core/config/keys.js';
import type { Secrets } from '@lightbox/core/config/secrets.js';
import { inboxUrl } from './inboxAddress.js';

/** True for each server that the environment does not name, so that the launcher starts it. Always false in production. */
export function missingServers(env: Env): { mongodb: boolean; redis: boolean; mail: boolean } {
  const production = env.NODE_ENV === 'production';
  const missing = (name: string) => !production && !env[name];
  return { mongodb: missing('MONGODB_URI'), redis: missing('REDIS_URL'), mail: missing('SMTP_URL') };
}

export const mailWebPort = (env: Env): number => Number(env.MAIL_WEB_PORT || 1080);

/** Returns the keys that an instance made for itself, as settings. They are never written to the same file as other settings. */
export const ownKeys = ({ appKeys, encryptionKeys }: Secrets) => ({
  APP_KEYS: appKeys,
  ENCRYPTION_KEYS: encryptionKeys,
  VAPID_KEY: deriveVapidKey(appKeys),
});
export const keyNames = ['APP_KEYS', 'ENCRYPTION_KEYS', 'VAPID_KEY'] satisfies (keyof ReturnType<typeof ownKeys>)[];

/** Returns the settings that the launcher adds: the addresses of its own servers, its own keys, and `DEMO`. */
export function ownSettings(env: Env, uris: { mongodb: string; redis: string; smtp: string }, secrets: Secrets): Env {
  if (env.NODE_ENV === 'production') return {};
  const own = missingServers(env);
  return {
    ...(own.mongodb ? { MONGODB_URI: uris.mongodb } : {}),
    ...(own.redis ? { REDIS_URL: uris.redis } : {}),
    ...(own.mail
      ? { SMTP_URL: uris.smtp, MAIL_INBOX_URL: inboxUrl(mailWebPort(env), deriveInboxToken(secrets.appKeys)) }
      : {}),
    ...Object.fromEntries(Object.entries(ownKeys(secrets)).filter(([name]) => !env[name])),
    ...(env.DEMO ? {} : { DEMO: own.mongodb && !env.ADMIN_EMAIL ? '1' : '0' }),
  };
}

/** Valid addresses without a server. They allow checking all settings before anything is started or written. */
export const placeholderUris = {
  mongodb: 'mongodb://127.0.0.1/',
  redis: 'redis://127.0.0.1',
  smtp: 'smtp://127.0.0.1',
};
