import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@lightbox/core/errors.js';
import { isOwnHost } from '@lightbox/core/net/hosts.js';
import { answerBare, answerRaw } from './errors.js';

/** Whatever asks for these knows the machine by an address of its own. */
const forAnyHost = new Set(['/healthz', '/readyz']);

/**
 * Answers 421 to requests for a foreign host, so that no website whose name leads here can speak to the product as if it
 * were the product's own page. Stands before everything that listens to the server, Socket.IO included, and must therefore
 * be called last.
 */
export function refuseForeignHosts(server: Server, allowedOrigins: string[]): void {
  const names = allowedOrigins.map((origin) => new URL(origin).hostname);
  const isForeign = ({ headers, url = '' }: IncomingMessage) =>
    !isOwnHost(headers.host, names) && !forAnyHost.has(url.split('?')[0] ?? '');

  const answer = server.listeners('request') as ((req: IncomingMessage, res: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    if (isForeign(req)) answerBare(res, new AppError('MISDIRECTED'));
    else for (const each of answer) each.call(server, req, res);
  });
  const upgrade = server.listeners('upgrade') as ((req: IncomingMessage, socket: Duplex, head: Buffer) => void)[];
  server.removeAllListeners('upgrade');
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isForeign(req)) answerRaw(socket, new AppError('MISDIRECTED'));
    else for (const each of upgrade) each.call(server, req, socket, head);
  });
}
