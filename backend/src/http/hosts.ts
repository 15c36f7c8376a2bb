import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@lightbox/core/errors.js';
import { isOwnHost } from '@lightbox/core/net/hosts.js';
import { answerBare, refuseUpgrade } from './errors.js';

/** Health probes reach the machine by an address of their own, so these paths requestListeners for every host. */
const forAnyHost = new Set(['/healthz', '/readyz']);

/**
 * Answers 421 to requests for a foreign host. Otherwise a website whose name resolves to this machine (DNS rebinding)
 * could call the product as its own page. Runs before all other listeners of the server, Socket.IO included, so call it
 * last.
 */
export function refuseForeignHosts(server: Server, allowedOrigins: string[]): void {
  const names = allowedOrigins.map((origin) => new URL(origin).hostname);
  const isForeign = ({ headers, url = '' }: IncomingMessage) =>
    !isOwnHost(headers.host, names) && !forAnyHost.has(url.split('?')[0] ?? '');

  const requestListeners = server.listeners('request') as ((req: IncomingMessage, res: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    if (isForeign(req)) answerBare(res, new AppError('MISDIRECTED'));
    else for (const each of requestListeners) each.call(server, req, res);
  });
  const upgradeListeners = server.listeners('upgrade') as ((
    req: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ) => void)[];
  server.removeAllListeners('upgrade');
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isForeign(req)) refuseUpgrade(socket, new AppError('MISDIRECTED'));
    else for (const each of upgradeListeners) each.call(server, req, socket, head);
  });
}
