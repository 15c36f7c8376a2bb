import type { NoticeGroup } from '@lightbox/contract/notifications/choices.js';
import type { MailTemplate } from '@lightbox/core/mail/mailTemplates.js';

/** A paragraph, or a part that the plain text and the HTML show each in their own way. */
export type Part = string | { code: string } | { link: string; act: string } | { share: ShareFacts };

export interface MailText {
  subject: string;
  parts: Part[];
}

/** The facts that a mail may contain: no clinical content, no caption, no name of a person, no message text. */
export interface MailFacts {
  code?: string;
  /** The shares that a mail is about, with the code of each. */
  shares?: readonly ShareFacts[];
  link?: string;
  reason?: string;
  /** For a digest: how many notices and messages of each group are unread. */
  counts?: Partial<Record<NoticeGroup, number>>;
  /** True when the reader is to review what the mail is about. */
  reviews?: boolean;
}
export interface ShareFacts {
  id: string;
  code: string;
  codeEndsAt: Date;
  /** Absent for a share without an end. */
  endsAt?: Date;
}

/** The clinic that sends the mail. Each text is empty until an administrator sets it. */
export interface Clinic {
  name: string;
  phone: string;
  url: string;
}

/** The texts of every mail in one language. Facts that a mail does not have are empty. */
export type Templates = Record<MailTemplate, (facts: Required<MailFacts>, clinic: Clinic) => MailText>;

/** Sentences about shares and the frame of every mail, in one language. */
export interface MailWords {
  locale: string;
  dir: 'ltr' | 'rtl';
  code: string;
  sharingId: string;
  share: (mark: string) => string;
  ends: (when: string) => string;
  noEnd: (codeEnds: string) => string;
  phone: (number: string) => string;
  sentBy: string;
  /** The name of the link to the choices, in mails that people may turn off. */
  choose: string;
}

/** The frame of one mail. */
export interface Frame {
  words: MailWords;
  clinic: Clinic;
  /** The time zone of the recipient. */
  timeZone: string;
  /** The address at which the recipient turns such mails off; absent in mails that always go. */
  choices?: string;
}

/** A moment in words, in a time zone, which the text names. */
export const inWords = (moment: Date, locale: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'long',
    timeZone,
  }).format(moment);
