import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { PATIENCE_MS } from './patience.js';

export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** The names of the headers in lower case. */
  headers: string[];
}

export interface Mailbox {
  /** The value for SMTP_URL. */
  url: string;
  /** Returns the mails to this address so far, oldest first. */
  mails: (to: string, subject?: string) => ReceivedMail[];
  /** Waits until there are `n` such mails, and returns them. */
  waitFor: (to: string, subject: string, n?: number, timeoutMs?: number) => Promise<ReceivedMail[]>;
  stop: () => Promise<void>;
}

/** The mail server rejects addresses with this prefix, and repeats the address in its error. */
export const refusedPrefix = 'refused.';
const refusal = (address: string) =>
  Object.assign(new Error(`5.1.1 <${address}>: Recipient address rejected: User unknown`), { responseCode: 550 });

/** Starts a real mail server for tests, on the given port or any free one. It keeps the mails in memory. */
export async function startMailbox(at = 0): Promise<Mailbox> {
  const received: ReceivedMail[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(address.startsWith(refusedPrefix) ? refusal(address) : undefined),
    onData: (stream, session, done) => {
      read(stream, session).then((mail) => {
        received.push(mail);
        arrivals.emit('mail');
        done();
      }, done);
    },
  });
  // A process that is killed while it sends a mail must not end this one.
  server.on('error', () => undefined);
  server.listen(at, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  const mails = (to: string, subject?: string) =>
    received.filter(
      (mail) => mail.to.includes(to.toLowerCase()) && (subject === undefined || mail.subject === subject),
    );

  const waitFor = async (to: string, subject: string, n = 1, timeoutMs = PATIENCE_MS) => {
    const signal = AbortSignal.timeout(timeoutMs);
    while (mails(to, subject).length < n) {
      await once(arrivals, 'mail', { signal }).catch(() => {
        const seen = received.map((mail) => `${mail.to.join()} "${mail.subject}"`).join(', ') || 'none';
        throw new Error(`${mails(to, subject).length} of ${n} mails "${subject}" came for ${to}; in all: ${seen}`);
      });
    }
    return mails(to, subject);
  };

  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `smtp://127.0.0.1:${port}`, mails, waitFor, stop };
}

async function read(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<ReceivedMail> {
  const { from, subject = '', text = '', html, messageId = '', headerLines } = await simpleParser(stream);
  return {
    from: from?.text ?? '',
    to: envelope.rcptTo.map(({ address }) => address.toLowerCase()),
    subject,
    text,
    html: html || '',
    messageId,
    headers: headerLines.map(({ key }) => key),
  };
}
