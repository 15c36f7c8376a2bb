import type { QueueName } from '@lightbox/contract/queues.js';

/**
 * What a process is told from outside, as one typed object. Parsed once, before anything is built (`env.ts`),
 * passed in, and read from the environment nowhere else.
 */
export interface Config {
  production: boolean;
  host: string;
  port: number;
  /** Base of links in mails, without a trailing slash. */
  publicUrl: string;
  /** Origins whose sockets and credentialed calls are accepted. */
  allowedOrigins: string[];
  /** What Express takes for `trust proxy`: a number of hops, a list of CIDRs, or false. */
  trustProxy: number | string[] | false;
  dataDir: string;
  mongodbUri: string;
  redisUrl: string;
  smtpUrl: string;
  mailFrom: string;
  /** Key ring text, `id:base64(32 bytes)[,older…]`. */
  appKeys: string;
  encryptionKeys: string;
  /** Keys that are no longer in `appKeys` and still prove the older entries of the audit log; nothing else takes them. */
  auditKeys: string | null;
  /** Where heads of the audit log are noted besides the log of the service: `file:` or `syslog:` address. */
  auditAnchor: string | null;
  /** Private VAPID key (RFC 8292), base64; null: nothing is sent to devices. */
  vapidKey: string | null;
  /** Origins of push services that may lie on a private address and need no TLS; all others must be public and https. */
  pushOrigins: string[];
  admin: { email: string; password: string } | null;
  demo: boolean;
  ai: { provider: 'local' | 'openai'; baseUrl: string | null; apiKey: string | null; model: string | null };
  /** Unix socket of the renderer service; null: workers decode foreign files in processes of their own. */
  rendererSocket: string | null;
  worker: { queues: QueueName[]; concurrency: Record<QueueName, number> };
  rateLimits: boolean;
  /** Bytes that uploads leave free on MongoDB's disk; null: as `db/diskReserve.ts` decides. */
  reserveBytes: number | null;
  ops: { host: string; port: number } | null;
  logLevel: string;
}
