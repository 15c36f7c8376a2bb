import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Config } from '@lightbox/core/config/config.js';
import { vapidPublicKey } from '@lightbox/core/config/keys.js';
import { ForbiddenEndpoint, mayBeEndpoint, publicLookup } from '@lightbox/core/push/endpoints.js';
import webpush from 'web-push';

export interface Push {
  endpoint: string;
  p256dh: string;
  auth: string;
  payload: string;
  /** A newer push replaces a waiting one with the same topic. */
  topic: string;
  ttlSeconds: number;
  urgency: 'low' | 'normal' | 'high';
}

/** Sends to push services (RFC 8030). `send` resolves to the status of the answer. */
export interface PushSender {
  send: (push: Push) => Promise<number>;
  close: () => void;
}

const TIMEOUT_MS = 10_000;

/** Returns null when no signing key is configured: then nothing is sent to devices. */
export function createPushSender(config: Config): PushSender | null {
  const { vapidKey, pushOrigins } = config;
  if (!vapidKey) return null;
  const vapidDetails = {
    subject: subjectOf(config),
    publicKey: vapidPublicKey(vapidKey),
    privateKey: Buffer.from(vapidKey, 'base64').toString('base64url'),
  };
  // Checks each resolved address: its sockets connect to public addresses only, even if the DNS record has changed.
  const open = new HttpsAgent({ keepAlive: true, lookup: publicLookup });
  const trusted = { 'https:': new HttpsAgent(), 'http:': new HttpAgent() };
  return {
    send: async ({ endpoint, p256dh, auth, payload, topic, ttlSeconds, urgency }) => {
      if (!mayBeEndpoint(endpoint, pushOrigins)) throw new ForbiddenEndpoint();
      const details = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
        vapidDetails,
        TTL: ttlSeconds,
        topic,
        urgency,
        contentEncoding: 'aes128gcm',
      });
      const url = new URL(endpoint);
      const agent = pushOrigins.includes(url.origin) ? trusted[url.protocol as 'http:' | 'https:'] : open;
      return post(url, { agent, headers: details.headers as RequestOptions['headers'] & object }, details.body);
    },
    close: () => {
      for (const agent of [open, ...Object.values(trusted)]) agent.destroy();
    },
  };
}

/** Returns the contact for the operator of the push service (RFC 8292 §2.1). */
const subjectOf = ({ publicUrl, mailFrom }: Config): string =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:${/[^\s<>]+@[^\s<>]+/.exec(mailFrom)?.[0] ?? ''}`;

/** Resolves to the status. It follows no redirect and does not read the body of the answer. */
function post(url: URL, options: RequestOptions, body: Buffer): Promise<number> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { ...options, method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) },
      (response) => {
        response.on('error', () => undefined);
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
