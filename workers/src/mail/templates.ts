import { limits } from '@lightbox/contract/limits.js';
import { shareMark } from '@lightbox/contract/sharing/mark.js';
import { throttles } from '@lightbox/contract/throttles.js';
import type { MailTemplate } from '@lightbox/core/mail/mailTemplates.js';

export interface MailText {
  subject: string;
  /** Paragraphs. `Code: …`, `Sharing id: …` and `Link: …` are each alone on their line. */
  lines: string[];
}

/** The facts that a mail may contain: no clinical content, no caption, no name, no message text. */
export interface MailFacts {
  code?: string;
  /** The shares that a mail is about, with the code of each. */
  shares?: readonly ShareFacts[];
  link?: string;
  reason?: string;
}
export interface ShareFacts {
  id: string;
  code: string;
  /** Absent for a share without an end. */
  endsAt?: Date;
}

const minutes = `The code is valid for ${limits.codeMinutes} minutes.`;
const notMe = `If this was not you, open this link within ${limits.notMeHours} hours. It logs out every device and undoes the change.`;
const ignore = 'Didn’t ask for a code? You can ignore this email. Nobody can log in without the code.';

export const templates: Record<MailTemplate, (facts: MailFacts) => MailText> = {
  verificationCode: ({ code }) => ({
    subject: 'Your verification code',
    lines: ['Enter this code to continue.', `Code: ${code}`, minutes, ignore],
  }),
  resetCode: ({ code, link }) => ({
    subject: 'Your password reset code',
    lines: [
      'Enter this code to choose a new password, or open the link.',
      `Code: ${code}`,
      `Link: ${link}`,
      minutes,
      'Didn’t ask for a code? You can ignore this email. Your password does not change.',
    ],
  }),
  imageShared: ({ shares = [], link }) => ({
    subject: 'An image was shared with you',
    lines: [
      ...(shares.length > 1 ? [`You have ${shares.length} images waiting.`] : []),
      'Log in, then enter the sharing id and the code to see the image.',
      ...shares.flatMap(({ id, code }) => [`Share ${shareMark(id)}`, `Sharing id: ${id}`, `Code: ${code}`]),
      `Link: ${link}`,
      'The code works for your account only.',
    ],
  }),
  guestLink: ({ link }) => ({
    subject: 'An image was shared with you',
    lines: [
      'Open this link to see the image. You need no account.',
      `Link: ${link}`,
      'The page asks for a code. The sender tells you the code another way, for example by phone.',
    ],
  }),
  accountApproved: ({ link }) => ({
    subject: 'Your account was approved',
    lines: ['An administrator approved your account. You can log in now.', `Link: ${link}`],
  }),
  accountRejected: ({ reason }) => ({
    subject: 'Your account was not approved',
    lines: ['An administrator reviewed your account and did not approve it.', ...(reason ? [`Reason: ${reason}`] : [])],
  }),
  passwordChanged: ({ link }) => ({
    subject: 'Your password was changed',
    lines: ['Your password was changed. We logged out all your other devices.', notMe, `Link: ${link}`],
  }),
  wrongPasswords: ({ link }) => ({
    subject: 'Many wrong passwords for your account',
    lines: [
      `Someone entered ${throttles.loginFailures.points} wrong passwords for your account. They did not get in.`,
      'Every new try now has a waiting time. If you cannot log in, choose a new password.',
      `Link: ${link}`,
    ],
  }),
  alreadyHaveAccount: ({ link }) => ({
    subject: 'You already have an account',
    lines: [
      'Someone tried to register with your email address. It already has an account. Nothing was changed.',
      'If it was you, log in or choose a new password.',
      `Link: ${link}`,
    ],
  }),
  roleChanged: ({ link }) => ({
    subject: 'Your role was changed',
    lines: [
      'An administrator changed your role. We logged you out everywhere.',
      'Log in to see your new pages.',
      `Link: ${link}`,
    ],
  }),
  totpOn: ({ link }) => ({
    subject: 'An authenticator app was added to your account',
    lines: [
      'An authenticator app was set up for your account. From now on, you log in with its codes, not with codes by email.',
      notMe,
      `Link: ${link}`,
    ],
  }),
  totpOff: ({ link }) => ({
    subject: 'The authenticator app was removed from your account',
    lines: ['You or an administrator removed the authenticator app from your account.', notMe, `Link: ${link}`],
  }),
  passkeyAdded: ({ link }) => ({
    subject: 'A passkey was added to your account',
    lines: ['A passkey was added. It can log in to your account without a password.', notMe, `Link: ${link}`],
  }),
  passkeyRemoved: ({ link }) => ({
    subject: 'A passkey was removed from your account',
    lines: ['A passkey was removed. It can no longer log in to your account.', notMe, `Link: ${link}`],
  }),
  recoveryCodes: ({ link }) => ({
    subject: 'Your recovery codes were renewed',
    lines: ['You have new recovery codes. Your old codes no longer work.', notMe, `Link: ${link}`],
  }),
  unreadMessages: ({ link }) => ({
    subject: 'You have unread messages',
    lines: ['Someone wrote to you. Log in to read the message.', `Link: ${link}`],
  }),
};

export const asText = (lines: string[]): string => `${lines.join('\n\n')}\n`;

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);

export function asHtml(lines: string[]): string {
  const paragraphs = lines.map((line) => {
    const [, label, value] = /^(Code|Sharing id|Link): (\S+)$/.exec(line) ?? [];
    if (label === 'Link' && value) return `<p><a href="${escapeHtml(value)}">${escapeHtml(value)}</a></p>`;
    if (value) return `<p>${label}: <b style="font-family:monospace;font-size:1.3em">${escapeHtml(value)}</b></p>`;
    return `<p>${escapeHtml(line)}</p>`;
  });
  return `<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5;max-width:36em">${paragraphs.join('')}<p style="color:#4a5d6e">Lightbox</p></body></html>`;
}
