import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './patience.js';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body, byte for byte: its signature is about these bytes. */
  body: string;
}

export interface WebhookReceiver {
  origin: string;
  received: ReceivedWebhook[];
  /** The next answers. Without one the answer is 204. */
  answers: ((response: ServerResponse) => void)[];
  /** Waits until there were `n` requests. */
  untilReceived: (n: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a server that gets webhooks. It keeps whatever arrives. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const answers: WebhookReceiver['answers'] = [];
  const arrivals = new EventEmitter();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() });
    arrivals.emit('received');
    const answer = answers.shift();
    if (answer) answer(response);
    else response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    untilReceived: async (n) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      while (received.length < n) {
        await once(arrivals, 'received', { signal }).catch(() => {
          throw new Error(`The receiver got ${received.length} of ${n} webhooks.`);
        });
      }
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
