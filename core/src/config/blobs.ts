import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { storeNames } from '../blobs/names.js';
import type { BlobConfig } from './config.js';

const flag = z.enum(['true', 'false'], { error: 'must be true or false' });
const isUrl = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** The settings of the places for images. */
export const blobSettings = {
  BLOB_STORE: z.enum(storeNames, { error: `must be ${storeNames.join(' or ')}` }).default('gridfs'),
  BLOB_DIR: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  S3_ENDPOINT: z.string().refine(isUrl, 'must start with https:// or http://').optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: flag.default('false'),
};

type Env = Record<string, string | undefined>;

const ofBucket = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];

/** Rules for combinations of these settings. */
export const blobRules = [
  {
    variable: 'BLOB_DIR',
    breaks: (env: Env) => env.BLOB_STORE === 'file' && !env.BLOB_DIR,
    says: 'is missing next to BLOB_STORE=file',
  },
  ...ofBucket.map((variable) => ({
    variable,
    breaks: (env: Env) => !env[variable] && (env.BLOB_STORE === 's3' || ofBucket.some((name) => env[name])),
    says: 'is missing: a bucket needs S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
  })),
];

export function blobConfigOf(env: z.output<z.ZodObject<typeof blobSettings>>): BlobConfig {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const s3 =
    bucket && accessKeyId && secretAccessKey
      ? {
          endpoint: env.S3_ENDPOINT ?? null,
          region: env.S3_REGION,
          bucket,
          accessKeyId,
          secretAccessKey,
          forcePathStyle: env.S3_FORCE_PATH_STYLE === 'true',
        }
      : null;
  return { store: env.BLOB_STORE, dir: env.BLOB_DIR ?? null, s3 };
}
