import type { Env } from '@lightbox/core/config/env.js';
import { deriveInboxToken, deriveVapidKey } from '@lightbox/core/config/keys.js';
import type { Secrets } from '@lightbox/core/config/secrets.js';
import { inboxUrl } from './inboxAddress.js';

/** Which of the servers the environment does not name, so that Lightbox brings its own. Production never does. */
export function missingServers(env: Env): { mongodb: boolean; redis: boolean; mail: boolean } {
  const production = env.NODE_ENV === 'production';
  const missing = (name: string) => !production && !env[name];
  return { mongodb: missing('MONGODB_URI'), redis: missing('REDIS_URL'), mail: missing('SMTP_URL') };
}

export const mailWebPort = (env: Env): number => Number(env.MAIL_WEB_PORT || 1080);

/** The keys an instance made for itself, as settings. They are never written beside the others. */
export const ownKeys = ({ appKeys, encryptionKeys }: Secrets) => ({
  APP_KEYS: appKeys,
  ENCRYPTION_KEYS: encryptionKeys,
  VAPID_KEY: deriveVapidKey(appKeys),
});
export const keyNames = ['APP_KEYS', 'ENCRYPTION_KEYS', 'VAPID_KEY'] satisfies (keyof ReturnType<typeof ownKeys>)[];

/** What the launcher adds to the environment: the addresses of its own servers, its own keys, and whether there is a demo. */
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

/** For checking all settings before anything is started or written: addresses of the right form, where nobody is. */
export const placeholderUris = {
  mongodb: 'mongodb://127.0.0.1/',
  redis: 'redis://127.0.0.1',
  smtp: 'smtp://127.0.0.1',
};
