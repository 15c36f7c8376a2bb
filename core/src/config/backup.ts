import { z } from 'zod';
import type { BackupConfig } from './config.js';
import { faultOfMongodbUri } from './mongodbUri.js';

/** The settings of `npm run backup`. */
export const backupSettings = {
  BACKUP_RECIPIENT: z
    .string()
    .regex(/^(age1[0-9a-z]+|ssh-(ed25519|rsa) \S+.*)$/, 'must be a public key of age, such as age1…')
    .optional(),
  BACKUP_MONGODB_URI: z
    .string()
    .refine((value) => faultOfMongodbUri(value) === null, 'must be an address like MONGODB_URI')
    .optional(),
};

export const backupConfigOf = (env: z.output<z.ZodObject<typeof backupSettings>>): BackupConfig => ({
  recipient: env.BACKUP_RECIPIENT ?? null,
  mongodbUri: env.BACKUP_MONGODB_URI ?? null,
});
