import type { QueueName } from '@lightbox/contract/queues.js';
import type { StoreName } from '../blobs/names.js';
import type { AiConfig } from './ai.js';
import type { SignOnProvider } from './singleSignOn.js';
import type { TracingConfig } from './tracing.js';

/** An S3 bucket. Without an endpoint it is one of Amazon, in its region. */
export interface S3Config {
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

export interface BlobConfig {
  /** The store for new blobs. */
  store: StoreName;
  /** The folder of the store `file`; null when it is not used. */
  dir: string | null;
  s3: S3Config | null;
}

export interface BackupConfig {
  /** The age recipient to whom backups are encrypted; null: they are not. */
  recipient: string | null;
  /** The address with which `mongodump` reads the whole server; null: `mongodbUri`. */
  mongodbUri: string | null;
}

/** The DICOM receiver. `tls` has the paths of files in PEM. */
export interface DicomConfig {
  host: string;
  port: number;
  /** Its own AE title, which senders must call. */
  title: string;
  /** With `ca`, senders must show a certificate that it has signed. Null: clear text. */
  tls: { cert: string; key: string; ca: string | null } | null;
}

/**
 * The configuration of a process as one typed object. `env.ts` parses it once, before anything is built. It is passed
 * in; no other code reads the environment.
 */
export interface Config {
  production: boolean;
  host: string;
  port: number;
  /** Base of links in mails, without a trailing slash. */
  publicUrl: string;
  /** Origins whose sockets and credentialed calls are accepted. */
  allowedOrigins: string[];
  /** The value of Express's `trust proxy`: a number of hops, a list of CIDRs, or false. */
  trustProxy: number | string[] | false;
  dataDir: string;
  mongodbUri: string;
  redisUrl: string;
  smtpUrl: string;
  mailFrom: string;
  /** Key ring text, `id:base64(32 bytes)[,older…]`. */
  appKeys: string;
  encryptionKeys: string;
  /**
   * Keys that are no longer in `appKeys` and still verify the older entries of the audit log; nothing else accepts
   * them.
   */
  auditKeys: string | null;
  /** A second place for heads of the audit log, besides the log of the service: a `file:` or `syslog:` address. */
  auditAnchor: string | null;
  /** Private VAPID key (RFC 8292), base64. Null: devices get no notifications. */
  vapidKey: string | null;
  /**
   * Origins of push services that may have a private address and need no TLS; all others must be public and use https.
   */
  pushOrigins: string[];
  /** The same for the addresses of webhooks. */
  webhookOrigins: string[];
  /** The origins of web pages that may read by DICOMweb, such as OHIF. */
  dicomWebOrigins: string[];
  /** The providers of single sign-on, with their secrets. */
  signOn: SignOnProvider[];
  admin: { email: string; password: string } | null;
  demo: boolean;
  ai: AiConfig;
  /** Unix socket of the renderer service. Null: workers decode foreign files in child processes of their own. */
  rendererSocket: string | null;
  worker: { queues: QueueName[]; concurrency: Record<QueueName, number> };
  rateLimits: boolean;
  /** Bytes that uploads leave free on MongoDB's disk. Null: the default of `db/diskReserve.ts`. */
  reserveBytes: number | null;
  blobs: BlobConfig;
  backup: BackupConfig;
  /** The DICOM receiver; null when it is off. */
  dicom: DicomConfig | null;
  ops: { host: string; port: number } | null;
  /** Null: no traces. */
  tracing: TracingConfig | null;
  logLevel: string;
}
