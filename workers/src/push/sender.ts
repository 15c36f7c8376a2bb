import type { OutgoingHttpHeaders } from 'node:http';
import type { Config } from '@lightbox/core/config/config.js';
import { vapidPublicKey } from '@lightbox/core/config/keys.js';
import webpush from 'web-push';
import { createPoster } from '../net/poster.js';

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
  const { post, close } = createPoster(pushOrigins);
  return {
    send: async ({ endpoint, p256dh, auth, payload, topic, ttlSeconds, urgency }) => {
      const details = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
        vapidDetails,
        TTL: ttlSeconds,
        topic,
        urgency,
        contentEncoding: 'aes128gcm',
      });
      return post(endpoint, details.headers as OutgoingHttpHeaders, details.body, TIMEOUT_MS);
    },
    close,
  };
}

/** Returns the contact for the operator of the push service (RFC 8292 §2.1). */
const subjectOf = ({ publicUrl, mailFrom }: Config): string =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:${/[^\s<>]+@[^\s<>]+/.exec(mailFrom)?.[0] ?? ''}`;
