import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ErrorCode } from '@lightbox/contract/errors.js';
import { bareRefusal } from '@lightbox/core/errors.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import { isOwnHost } from '@lightbox/core/net/hosts.js';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { inboxHost, inboxUrl } from './inboxAddress.js';
import { listPage, type Mail, mailPage, policy } from './inboxPages.js';

export interface InboxOptions {
  smtpPort: number;
  webPort: number;
  /** The folder of the stored mails. */
  folder: string;
  /** The first part of every path. It is secret, so the address of the inbox is its key. */
  token: string;
  /** Loopback by default. A container needs another address. */
  host?: string | undefined;
}

export interface Inbox {
  smtpPort: number;
  /** The address of its pages. */
  url: string;
  stop: () => Promise<void>;
}

const ownNames = [inboxHost, 'localhost'];
const MOST_MAILS = 500;
const MOST_BYTES = 1024 * 1024;
const fileName = /^(\d{13}-[0-9a-f]{16})\.eml$/;

/** Catches every mail and shows its text on loopback to anyone who knows the address of the inbox. */
export async function startInbox({ smtpPort, webPort, folder, token, host = inboxHost }: InboxOptions): Promise<Inbox> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mails = await readKept(folder);
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MOST_BYTES,
    onData: (stream, _session, done) => {
      buffer(stream)
        .then((raw) => keep(folder, mails, raw))
        .then(() => done(), done);
    },
  });
  // A client that disconnects must not end the process.
  smtp.on('error', () => undefined);
  const web = createServer((req, res) => send(res, answerTo(mails, token, req)));
  await Promise.all([listen(smtp.server, smtpPort, host), listen(web, webPort, host)]);
  return {
    smtpPort: portOf(smtp.server),
    url: inboxUrl(portOf(web), token),
    stop: async () => {
      web.closeAllConnections();
      await Promise.all([
        new Promise<void>((resolve) => smtp.close(() => resolve())),
        new Promise<void>((resolve) => web.close(() => resolve())),
      ]);
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function readKept(folder: string): Promise<Mail[]> {
  const ids = readdirSync(folder).flatMap((name) => fileName.exec(name)?.[1] ?? []);
  return Promise.all(ids.sort().map((id) => read(id, readFileSync(join(folder, `${id}.eml`)))));
}

async function keep(folder: string, mails: Mail[], raw: Buffer): Promise<void> {
  const id = `${Date.now()}-${randomBytes(8).toString('hex')}`;
  const mail = await read(id, raw);
  writeFileSync(join(folder, `${id}.eml`), raw, { mode: 0o600 });
  mails.push(mail);
  for (const oldest of mails.splice(0, Math.max(0, mails.length - MOST_MAILS)))
    rmSync(join(folder, `${oldest.id}.eml`), { force: true });
}

async function read(id: string, raw: Buffer): Promise<Mail> {
  const { from, to, subject = '', text = '' } = await simpleParser(raw);
  const recipients = [to ?? []].flat().flatMap(({ value }) => value.map(({ address = '' }) => address));
  return {
    id,
    at: new Date(Number(id.split('-')[0])).toISOString(),
    from: from?.text ?? '',
    to: recipients,
    subject,
    text,
  };
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

/** `/<token>/` lists the mails, `/<token>/mails/<id>` shows one, and `/<token>/api/email` is the list as JSON. */
function answerTo(mails: Mail[], token: string, { headers, method = '', url = '/' }: IncomingMessage): Answer {
  const [, key = '', ...rest] = (url.split('?')[0] ?? '').split('/');
  if (key === 'healthz') return found('text/plain', 'ok');
  if (!isOwnHost(headers.host, ownNames)) return refused('MISDIRECTED');
  if (!isSame(token, key))
    return refused('UNAUTHENTICATED', 'Open the whole address of the inbox that `npm start` shows.');
  if (!['GET', 'HEAD'].includes(method)) return refused('METHOD_NOT_ALLOWED');
  const path = rest.join('/');
  const mail = mails.find(({ id }) => path === `mails/${id}`);
  if (mail) return found('text/html', mailPage(mail));
  if (path === '') return found('text/html', listPage(mails.toReversed()));
  return path === 'api/email' ? found('application/json', JSON.stringify(mails.toReversed())) : refused('NOT_FOUND');
}

const found = (type: string, body: string): Answer => ({ status: 200, type, body });
const refused = (code: ErrorCode, words?: string): Answer => ({
  ...bareRefusal(code, words),
  type: 'application/json',
});

function send(res: ServerResponse, { status, type, body }: Answer): void {
  res.writeHead(status, {
    // There is no `Access-Control-*`, so that no other website can read it.
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'Cross-Origin-Resource-Policy': 'same-origin',
    // A link in a mail must not reveal the address of the inbox.
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(body);
}
