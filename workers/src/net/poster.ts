import { Agent as HttpAgent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ForbiddenEndpoint, mayBeEndpoint, publicLookup } from '@lightbox/core/net/endpoints.js';

/** Posts to addresses that people chose. It follows no redirect. */
export interface Poster {
  /** Resolves to the status of the answer. Throws `ForbiddenEndpoint` for an address inside. */
  post: (url: string, headers: OutgoingHttpHeaders, body: Buffer | null, timeoutMs: number) => Promise<number>;
  close: () => void;
}

/** Bytes of an answer that are read, so that its connection can be used again. The answer itself is not used. */
const MOST_READ = 16 * 1024;

/** `trusted`: origins that may have a private address and need no TLS. */
export function createPoster(trusted: string[]): Poster {
  // Checks each resolved address: its sockets connect to public addresses only, even if the DNS record has changed.
  const open = new HttpsAgent({ keepAlive: true, lookup: publicLookup });
  const inside = { 'https:': new HttpsAgent(), 'http:': new HttpAgent() };
  return {
    post: (text, headers, body, timeoutMs) => {
      if (!mayBeEndpoint(text, trusted)) return Promise.reject(new ForbiddenEndpoint());
      const url = new URL(text);
      const agent = trusted.includes(url.origin) ? inside[url.protocol as 'http:' | 'https:'] : open;
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      return new Promise((resolve, reject) => {
        const options = { agent, headers, method: 'POST', signal: AbortSignal.timeout(timeoutMs) };
        const outgoing = request(url, options, (response) => {
          let read = 0;
          response.on('error', () => undefined);
          response.on('data', (part: Buffer) => {
            read += part.length;
            if (read > MOST_READ) response.destroy();
          });
          resolve(response.statusCode ?? 0);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    },
    close: () => {
      for (const agent of [open, ...Object.values(inside)]) agent.destroy();
    },
  };
}
