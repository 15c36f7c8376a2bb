import { limits } from '@lightbox/contract/limits.js';
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
  shareId?: string;
  link?: string;
  reason?: string;
}

const minutes = `It is valid for ${limits.codeMinutes} minutes.`;
const notMe = `If this was not you, open this link within ${limits.notMeHours} hours. It signs out every device and takes the change back.`;
const ignore = 'If this was not you, ignore this mail. Nobody can sign in without the code.';

export const templates: Record<MailTemplate, (facts: MailFacts) => MailText> = {
  verificationCode: ({ code }) => ({
    subject: 'Your verification code',
    lines: ['Enter this code to go on.', `Code: ${code}`, minutes, ignore],
  }),
  resetCode: ({ code, link }) => ({
    subject: 'Your password reset code',
    lines: [
      'Enter this code to choose a new password, or open the link.',
      `Code: ${code}`,
      `Link: ${link}`,
      minutes,
      'If this was not you, ignore this mail. Your password stays as it is.',
    ],
  }),
  imageShared: ({ code, shareId, link }) => ({
    subject: 'An image was shared with you',
    lines: [
      'Sign in and enter the sharing id and the code to see it.',
      `Sharing id: ${shareId}`,
      `Code: ${code}`,
      `Link: ${link}`,
      'The code works for your account only.',
    ],
  }),
  accountApproved: ({ link }) => ({
    subject: 'Your account was approved',
    lines: ['An administrator has approved your account. You can sign in now.', `Link: ${link}`],
  }),
  accountRejected: ({ reason }) => ({
    subject: 'Your account was not approved',
    lines: [
      'An administrator has looked at your account and did not approve it.',
      ...(reason ? [`Reason: ${reason}`] : []),
    ],
  }),
  passwordChanged: ({ link }) => ({
    subject: 'Your password was changed',
    lines: ['The password of your account was changed, and every other device was signed out.', notMe, `Link: ${link}`],
  }),
  wrongPasswords: ({ link }) => ({
    subject: 'Many wrong passwords for your account',
    lines: [
      `Somebody has entered ${throttles.loginFailures.points} wrong passwords for your account. Nobody got in by them.`,
      'Each further try has to wait now. If you cannot sign in because of that, choose a new password.',
      `Link: ${link}`,
    ],
  }),
  alreadyHaveAccount: ({ link }) => ({
    subject: 'You already have an account',
    lines: [
      'Somebody tried to register with your address, which already has an account. Nothing was changed.',
      'If it was you, sign in, or ask for a new password.',
      `Link: ${link}`,
    ],
  }),
  roleChanged: ({ link }) => ({
    subject: 'Your role was changed',
    lines: [
      'An administrator has given your account another role, and you were signed out everywhere.',
      'Sign in to see your new pages.',
      `Link: ${link}`,
    ],
  }),
  totpOn: ({ link }) => ({
    subject: 'Your account signs in with an authenticator app',
    lines: [
      'An authenticator app was set up for your account. From now on no code is mailed when you sign in.',
      notMe,
      `Link: ${link}`,
    ],
  }),
  totpOff: ({ link }) => ({
    subject: 'The authenticator app was removed from your account',
    lines: [
      'Your account does not sign in with an authenticator app any more. You or an administrator removed it.',
      notMe,
      `Link: ${link}`,
    ],
  }),
  passkeyAdded: ({ link }) => ({
    subject: 'A passkey was added to your account',
    lines: ['A passkey was added. It signs in to your account without a password.', notMe, `Link: ${link}`],
  }),
  passkeyRemoved: ({ link }) => ({
    subject: 'A passkey was removed from your account',
    lines: ['A passkey was removed. It does not sign in to your account any more.', notMe, `Link: ${link}`],
  }),
  recoveryCodes: ({ link }) => ({
    subject: 'Your recovery codes were renewed',
    lines: [
      'New recovery codes were made for your account. Those before do not work any more.',
      notMe,
      `Link: ${link}`,
    ],
  }),
  unreadMessages: ({ link }) => ({
    subject: 'You have unread messages',
    lines: ['Somebody wrote to you. Sign in to read it.', `Link: ${link}`],
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
