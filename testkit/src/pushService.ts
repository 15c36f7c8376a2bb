import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './patience.js';

export interface ReceivedPush {
  headers: IncomingHttpHeaders;
  /** The claims of the VAPID token, whose signature was valid, and its public key. */
  vapid: { aud: string; sub: string; key: string };
  /** The text after the browser's decryption. */
  text: string;
}

/** A browser with a subscription: the data that it sends to the product, and the pushes that it receives. */
export interface TestBrowser {
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  received: ReceivedPush[];
  /** The statuses of the next answers. Without one the answer is 201. */
  answers: number[];
  /** The number of requests to push, whatever the answer. */
  asked: () => number;
  /** Waits until there were `n` requests. */
  untilAsked: (n: number) => Promise<void>;
}

export interface PushService {
  origin: string;
  subscribe: () => TestBrowser;
  stop: () => Promise<void>;
}

/**
 * Starts a push service for tests (RFC 8030). A push must be signed (RFC 8292) and encrypted for its browser (RFC 8291).
 * Both are checked with Node's own cryptography only.
 */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, { browser: TestBrowser; take: (request: IncomingMessage) => Promise<number> }>();
  const server = createServer((request, response) => {
    const { take } = browsers.get(request.url ?? '') ?? { take: async () => 404 };
    take(request).then(
      (status) => response.writeHead(status).end(),
      (error) => response.writeHead(400).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const subscribe = (): TestBrowser => {
    const path = `/push/${randomBytes(24).toString('base64url')}`;
    const pair = createECDH('prime256v1');
    pair.generateKeys();
    const auth = randomBytes(16);
    const arrivals = new EventEmitter();
    let asked = 0;
    const browser: TestBrowser = {
      subscription: {
        endpoint: `${origin}${path}`,
        keys: { p256dh: pair.getPublicKey('base64url'), auth: auth.toString('base64url') },
      },
      received: [],
      answers: [],
      asked: () => asked,
      untilAsked: async (n) => {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        while (asked < n) {
          await once(arrivals, 'asked', { signal }).catch(() => {
            throw new Error(`The push service was asked ${asked} of ${n} times.`);
          });
        }
      },
    };
    const take = async (request: IncomingMessage): Promise<number> => {
      const body = await readAll(request);
      const push = {
        headers: request.headers,
        vapid: readVapid(request.headers.authorization ?? '', origin),
        text: decrypt(body, pair, auth),
      };
      const status = browser.answers.shift() ?? 201;
      if (status === 201) browser.received.push(push);
      asked += 1;
      arrivals.emit('asked');
      return status;
    };
    browsers.set(path, { browser, take });
    return browser;
  };

  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin, subscribe, stop };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** RFC 8292: reads an ES256 token for exactly this origin, and its public key. */
function readVapid(header: string, origin: string): ReceivedPush['vapid'] {
  const [, token = '', key = ''] = /^vapid t=([^,]+),\s*k=([\w-]+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string>;
  if (!good || aud !== origin || !(Number(exp) * 1000 > Date.now())) throw new Error('The VAPID token is not valid.');
  return { aud, sub: String(sub), key };
}

/** RFC 8291 and RFC 8188, one record: salt, record size, the sender's key, then the encrypted data. */
function decrypt(body: Buffer, pair: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + body.readUInt8(20));
  const sealed = body.subarray(21 + senderKey.length);
  const derive = (key: Buffer, from: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', key, from, info, length));
  const shared = pair.computeSecret(senderKey);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), senderKey]);
  const material = derive(shared, auth, keyInfo, 32);
  const key = derive(material, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(material, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return record.subarray(0, record.lastIndexOf(2)).toString();
}
