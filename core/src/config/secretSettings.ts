/** The settings with a password or a token that a person chose, alone or in an address. */
export const chosenSecrets = [
  'ADMIN_PASSWORD',
  'AI_API_KEY',
  'MONGODB_URI',
  'BACKUP_MONGODB_URI',
  'REDIS_URL',
  'SMTP_URL',
  'S3_SECRET_ACCESS_KEY',
] as const;

/** All settings that hold something secret. */
export const secretSettings = [
  ...chosenSecrets,
  'APP_KEYS',
  'ENCRYPTION_KEYS',
  'AUDIT_KEYS',
  'VAPID_KEY',
  'OIDC_PROVIDERS',
] as const;
