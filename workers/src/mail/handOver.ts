import { Readable } from 'node:stream';
import { PartAway } from '@lightbox/core/process/partAway.js';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { JobFailed } from '../failures.js';

/**
 * A mail server that has not asked for the text after this time counts as away. After the text it may take much longer
 * (`worker.ts`).
 */
const BEFORE_TEXT_MS = 60_000;

/** nodemailer's codes for faults of a connection, and for a mail that is given up because the time is over or the worker stops. */
const UNREACHABLE = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'EABORT']);

/** Contains only codes and the failed command, because mail servers repeat the rejected address in their message. */
export class MailFailed extends JobFailed {
  override readonly name = 'MailFailed';

  constructor({ code, responseCode, command }: { code?: unknown; responseCode?: unknown; command?: unknown }) {
    const parts = [code, responseCode, command].filter((part) => /^[A-Z\d ]{1,20}$/.test(String(part ?? '')));
    super(`The mail could not be sent: ${parts.join(' ') || 'no reason given'}.`);
  }
}

interface Followed extends SendMailOptions {
  /** Aborted when the server did not ask for the text in time. */
  late: AbortSignal;
  onText: () => void;
}

/**
 * Hands one mail over to the server. A server that breaks off before it gets the text is away. One that breaks off later may
 * have taken the mail, and would take it again each time: that is a failure, and the job has an end.
 */
export async function handOver(mailer: Transporter, mail: SendMailOptions, mostMs = BEFORE_TEXT_MS): Promise<void> {
  follow(mailer);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), mostMs);
  let hasText = false;
  const onText = () => {
    clearTimeout(timer);
    hasText = true;
  };
  const followed: Followed = { ...mail, late: late.signal, onText };
  try {
    await mailer.sendMail(followed);
  } catch (error) {
    const { code } = error as { code?: string };
    const isStopping = code === 'EABORT';
    throw UNREACHABLE.has(code ?? '') && (isStopping || !hasText)
      ? new PartAway(`The mail server cannot be reached: ${code}.`)
      : new MailFailed(error as { code?: string });
  } finally {
    clearTimeout(timer);
  }
}

const following = new WeakSet<Transporter>();

/**
 * nodemailer's errors do not say how far a mail got: each fault of the connection names `CONN`. But it reads the mail only
 * when the server has asked for the text.
 */
function follow(mailer: Transporter): void {
  if (following.has(mailer)) return;
  following.add(mailer);
  mailer.use('stream', ({ data, message }, done) => {
    const { late, onText, signal } = data as Followed;
    data.signal = signal ? AbortSignal.any([late, signal]) : late;
    if (message) {
      const create = message.createReadStream.bind(message);
      message.createReadStream = (options) => Readable.from(whenRead(create(options), onText));
    }
    done();
  });
}

async function* whenRead(text: Readable, onText: () => void): AsyncGenerator<Buffer> {
  onText();
  yield* text;
}
