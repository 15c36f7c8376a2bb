import type { Core } from '@lightbox/core/core.js';
import type { Transporter } from 'nodemailer';

/** Mails of one process, by their Message-IDs. */
interface Outgoing {
  running: Map<string, Promise<void>>;
  /** The server has accepted them, and MongoDB does not know it yet. */
  accepted: Set<string>;
}

const outgoing = new WeakMap<Transporter, Outgoing>();

function outgoingOf(mailer: Transporter): Outgoing {
  const known = outgoing.get(mailer) ?? { running: new Map(), accepted: new Set() };
  outgoing.set(mailer, known);
  return known;
}

/**
 * Sends one mail, unless it was sent before. A job may run a second time while it runs, when its worker was too busy to
 * keep its lock, and again when the sent mail could not be noted. So a mail goes out twice only when its worker died, or
 * stood still for longer than its lock, between the sending and the note, or when the server took it and did not say so.
 */
export function sendOnce(core: Core, mailer: Transporter, mailId: string, deliver: () => Promise<void>): Promise<void> {
  const { running, accepted } = outgoingOf(mailer);
  const under = running.get(mailId);
  if (under) return under;
  const sending = send().finally(() => running.delete(mailId));
  running.set(mailId, sending);
  return sending;

  async function send(): Promise<void> {
    const { SentMail } = core.models;
    if (!accepted.has(mailId)) {
      if (await SentMail.exists({ _id: mailId })) return;
      await deliver();
      accepted.add(mailId);
    }
    await SentMail.updateOne({ _id: mailId }, { $setOnInsert: { at: core.clock.now() } }, { upsert: true });
    accepted.delete(mailId);
  }
}
