import { isAbsolute } from 'node:path';
import { aeTitle } from '@lightbox/contract/receiver/aeTitle.js';
import { z } from 'zod';
import { isAllowedInClear } from './clearText.js';
import type { DicomConfig } from './config.js';

const file = z.string().refine(isAbsolute, 'must be an absolute path').optional();

const portText = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a whole number from 1 to 65535')
  .refine((value) => Number(value) >= 1 && Number(value) <= 65_535, 'must be a whole number from 1 to 65535')
  .transform(Number);

/** The settings of the DICOM receiver. Without `DICOM_PORT` it is off. */
export const dicomSettings = {
  DICOM_PORT: portText.optional(),
  DICOM_HOST: z.string().default('127.0.0.1'),
  DICOM_AE_TITLE: z.string().regex(aeTitle, 'must be 1 to 16 characters without backslash').default('LIGHTBOX'),
  DICOM_TLS_CERT: file,
  DICOM_TLS_KEY: file,
  DICOM_TLS_CA: file,
};

type Env = Record<string, string | undefined>;

export const dicomRules = [
  {
    variable: 'DICOM_TLS_KEY',
    breaks: (env: Env) => !!env.DICOM_TLS_CERT !== !!env.DICOM_TLS_KEY,
    says: 'and DICOM_TLS_CERT must be set together',
  },
  {
    variable: 'DICOM_TLS_CA',
    breaks: (env: Env) => !!env.DICOM_TLS_CA && !env.DICOM_TLS_CERT,
    says: 'needs DICOM_TLS_CERT and DICOM_TLS_KEY',
  },
];

/** Images must not cross a network unencrypted, unless the operator says that this one is closed. */
export const dicomProductionRules = [
  {
    variable: 'DICOM_TLS_CERT',
    breaks: (env: Env) =>
      !!env.DICOM_PORT && !env.DICOM_TLS_CERT && !isAllowedInClear(env, env.DICOM_HOST ?? '127.0.0.1'),
    says: 'is missing: files would arrive unencrypted; set it, or name DICOM_HOST in ALLOW_PLAINTEXT',
  },
];

export const dicomConfigOf = (env: z.output<z.ZodObject<typeof dicomSettings>>): DicomConfig | null =>
  env.DICOM_PORT === undefined
    ? null
    : {
        host: env.DICOM_HOST,
        port: env.DICOM_PORT,
        title: env.DICOM_AE_TITLE,
        tls:
          env.DICOM_TLS_CERT && env.DICOM_TLS_KEY
            ? { cert: env.DICOM_TLS_CERT, key: env.DICOM_TLS_KEY, ca: env.DICOM_TLS_CA ?? null }
            : null,
      };
