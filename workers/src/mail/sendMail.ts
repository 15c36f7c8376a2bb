import { actionOf } from '@lightbox/contract/audit/actions.js';
import { guestLinkState } from '@lightbox/contract/guests/states.js';
import { languageCodes } from '@lightbox/contract/languages.js';
import { requestState } from '@lightbox/contract/requests/states.js';
import type { AccountStatus } from '@lightbox/contract/users/states.js';
import { isLive } from '@lightbox/core/access/shares.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { guestUrl } from '@lightbox/core/guests/guestUrl.js';
import { openField } from '@lightbox/core/guests/sealed.js';
import { codeOf, linkTokenOf } from '@lightbox/core/keys/codes.js';
import { chosenMails, type EventMail, type MailTemplate } from '@lightbox/core/mail/mailTemplates.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { timeZoneOf } from '@lightbox/core/notifications/noticeSettings.js';
import { sendUrl } from '@lightbox/core/requests/sendUrl.js';
import { openAddress, waitingInvite } from '@lightbox/core/sharing/invites.js';
import { ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import type { Transporter } from 'nodemailer';
import { NewerVersion } from '../failures.js';
import { handOver } from './handOver.js';
import type { Clinic, MailFacts, ShareFacts } from './mailText.js';
import { asHtml, asText } from './render.js';
import { sendOnce } from './sendOnce.js';
import { languages, textOf } from './templates.js';

interface Letter {
  /** An account, or the address of somebody without one. */
  to: ObjectId | { address: string; language?: UserDoc['language'] };
  facts: MailFacts;
}

/**
 * Sends the mail that an event asks for, from the current state: no mail goes out for an expired code or an ended share.
 * At least once, and a repeated mail has the same Message-ID (`sendOnce.ts`).
 */
export async function sendMail(core: Core, mailer: Transporter, eventId: string, template: EventMail): Promise<void> {
  const mailId = `${eventId}-${template}`;
  const event = await core.models.Event.findById(oid(eventId)).lean<EventDoc>();
  if (event && !actionOf(event.type))
    throw new NewerVersion('The mail is of an action that this version does not know.');
  const letters = event && (await composers[template](core, event));
  if (!Array.isArray(letters)) {
    if (letters) await send(core, mailer, mailId, template, letters);
    return;
  }
  // Each is tried, so that a refused address does not keep the letters of the others.
  const errors: unknown[] = [];
  for (const letter of letters) {
    await send(core, mailer, `${mailId}-${letter.to}`, template, letter).catch((error) => errors.push(error));
  }
  // An absent mail server costs the job no attempt.
  if (errors.length > 0) throw errors.find(isAway) ?? errors[0];
}

/** Sends one mail, unless it was sent before: a job that failed at one of its mails begins again. */
export const send = (
  core: Core,
  mailer: Transporter,
  mailId: string,
  template: MailTemplate,
  letter: Letter,
): Promise<void> => sendOnce(core, mailer, mailId, () => deliver(core, mailer, mailId, template, letter));

export async function deliver(
  core: Core,
  mailer: Transporter,
  mailId: string,
  template: MailTemplate,
  { to, facts }: Letter,
): Promise<void> {
  const reader: Reader | null =
    'address' in to
      ? { email: to.address, ...(to.language ? { language: to.language } : {}) }
      : await accountOf(core, to);
  if (!reader) return;
  const language = reader.language ?? languageCodes[0];
  const clinic = await clinicOf(core);
  const text = textOf(language, template, facts, clinic);
  const choices = (chosenMails as readonly MailTemplate[]).includes(template)
    ? `${core.config.publicUrl}/profile/notifications`
    : '';
  const frame = { words: languages[language].words, clinic, timeZone: timeZoneOf(reader), choices };
  const mail = {
    from: core.config.mailFrom,
    to: { name: '', address: reader.email },
    subject: text.subject,
    text: asText(text, frame),
    html: asHtml(text, frame, language),
    messageId: `<${mailId}@${new URL(core.config.publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...(choices ? { list: { unsubscribe: choices } } : {}),
  };
  await handOver(mailer, mail);
}

type Reader = Pick<UserDoc, 'email' | 'language' | 'timeZone'>;

/** Returns the address, the language and the time zone of an account; null once it is closed. */
async function accountOf(core: Core, account: ObjectId): Promise<Reader | null> {
  const fields = { email: 1, deletedAt: 1, language: 1, timeZone: 1 };
  const user = await core.models.User.findById(account, fields).lean<UserDoc>();
  return user && !user.deletedAt ? user : null;
}

async function clinicOf({ settings }: Core): Promise<Clinic> {
  const all = await settings.all();
  return { name: all['clinic.name'], phone: all['clinic.phone'], url: all['clinic.url'] };
}

/** One mail, or a mail for each of several accounts. */
type Composed = Letter | (Letter & { to: ObjectId })[] | null;
type Compose = (core: Core, event: EventDoc) => Promise<Composed>;

const toAccount =
  (path: string): Compose =>
  async (core, event) =>
    event.record ? { to: event.record, facts: { link: `${core.config.publicUrl}${path}` } } : null;

/** After an absence of the mail server, a mail about an earlier status would come beside or after that about the present one. */
function whileAccountIs(status: AccountStatus, factsOf: (user: UserDoc, core: Core) => MailFacts): Compose {
  return async (core, event) => {
    const user = event.record && (await core.models.User.findById(event.record).lean<UserDoc>());
    return user?.status === status ? { to: user._id, facts: factsOf(user, core) } : null;
  };
}

const composers: Record<EventMail, Compose> = {
  verificationCode: async (core, event) => {
    const code = await usableCode(core, event);
    return code && { to: code.doc.user, facts: { code: code.digits } };
  },
  resetCode: async (core, event) => {
    const code = await usableCode(core, event);
    const token = code && linkTokenOf(core.keys.codes, String(code.doc._id), code.doc);
    if (!code || !token) return null;
    return {
      to: code.doc.user,
      facts: { code: code.digits, link: `${core.config.publicUrl}/reset-password?token=${token}` },
    };
  },
  imageShared: composeShare,
  invited: composeInvitation,
  guestLink: composeGuestLink,
  imageRequest: composeRequest,
  registrationReceived: async (_, event) => (event.record ? { to: event.record, facts: {} } : null),
  emergencyOpened: composeEmergency,
  emergencyQuestioned: async (core, event) => {
    const emergency = await emergencyOf(core, event);
    return emergency && { to: emergency.provider, facts: { link: emergencyUrl(core, emergency) } };
  },
  carerNamed: composeCarer,
  carerAccepted: composeCarer,
  carerEnded: composeCarer,
  accountApproved: whileAccountIs('active', (_, { config }) => ({ link: `${config.publicUrl}/login` })),
  approvalUndone: whileAccountIs('pending', () => ({})),
  accountRejected: whileAccountIs('rejected', ({ rejectedReason: reason }) => (reason ? { reason } : {})),
  passwordChanged: composeNotMe,
  wrongPasswords: toAccount('/forgot-password'),
  wrongCodes: toAccount('/forgot-password'),
  alreadyHaveAccount: toAccount('/login'),
  roleChanged: toAccount('/login'),
  totpOn: composeNotMe,
  totpOff: composeNotMe,
  passkeyAdded: composeNotMe,
  passkeyRemoved: composeNotMe,
  recoveryCodes: composeNotMe,
  tokenCreated: composeNotMe,
  signOnLinked: composeNotMe,
  signOnUnlinked: composeNotMe,
};

/** Composes the mail about a changed way to sign in, with the link that undoes the change. It is also sent when the link is no longer needed. */
async function composeNotMe(core: Core, event: EventDoc): Promise<Letter | null> {
  const doc = event.refs.notMe ? await core.models.Code.findById(event.refs.notMe).lean<CodeDoc>() : null;
  const token = doc && linkTokenOf(core.keys.codes, String(doc._id), doc);
  if (!doc || !token) return null;
  return { to: doc.user, facts: { link: `${core.config.publicUrl}/not-me?token=${token}` } };
}

const emergencyOf = ({ models }: Core, { record }: EventDoc): Promise<EmergencyDoc | null> =>
  models.Emergency.findById(record).lean<EmergencyDoc>();

const emergencyUrl = ({ config }: Core, { _id }: EmergencyDoc): string =>
  `${config.publicUrl}/emergency-access?id=${_id}`;

/** Composes the mails to the patient and to the administrators, who review the access. */
async function composeEmergency(core: Core, event: EventDoc): Promise<Composed> {
  const emergency = await emergencyOf(core, event);
  if (!emergency) return null;
  const { provider, patient } = emergency;
  return event.recipients
    .filter((to) => !to.equals(provider))
    .map((to) => ({ to, facts: { link: emergencyUrl(core, emergency), reviews: !to.equals(patient) } }));
}

/** Composes the mails to the other person, and to both when the product itself ended it. They name nobody. */
async function composeCarer({ config }: Core, { recipients, actor }: EventDoc): Promise<Composed> {
  const link = `${config.publicUrl}/profile/carers`;
  return recipients.filter((to) => !actor?.equals(to)).map((to) => ({ to, facts: { link } }));
}

async function usableCode(core: Core, event: EventDoc): Promise<{ doc: CodeDoc; digits: string } | null> {
  const doc = event.refs.code ? await core.models.Code.findById(event.refs.code).lean<CodeDoc>() : null;
  if (!doc || doc.usedAt || doc.expiresAt <= core.clock.now()) return null;
  const digits = codeOf(core.keys.codes, String(doc._id), doc);
  return digits ? { doc, digits } : null;
}

/** Composes the mail about a share that got a new code, or about all shares of one act for one person. */
async function composeShare(core: Core, event: EventDoc): Promise<Letter | null> {
  const share = event.refs.share ? await core.models.Share.findById(event.refs.share).lean<ShareDoc>() : null;
  if (!share) return null;
  const { batch, recipient } = share;
  const all =
    batch && event.type === 'share.create'
      ? await core.models.Share.find({ recipient, batch }).sort({ _id: 1 }).lean<ShareDoc[]>()
      : [share];
  const shares = (await Promise.all(all.map((one) => shareFacts(core, one)))).flatMap((facts) => facts ?? []);
  const [first] = shares;
  if (!first) return null;
  return { to: recipient, facts: { shares, link: `${core.config.publicUrl}/view-images?share=${first.id}` } };
}

/** Returns the facts about a share that waits for its code; null for any other share. */
async function shareFacts(core: Core, share: ShareDoc): Promise<ShareFacts | null> {
  if (!isLive(share, core.clock.now()) || share.verifiedAt) return null;
  if (!(await ownerOf(core.models, share))) return null;
  const code = codeOf(core.keys.codes, String(share._id), share);
  if (!code) return null;
  const { _id, codeExpiresAt: codeEndsAt, expiresAt: endsAt } = share;
  return { id: String(_id), code, codeEndsAt, ...(endsAt ? { endsAt } : {}) };
}

async function composeInvitation(core: Core, event: EventDoc): Promise<Letter | null> {
  const { invite: _id } = event.refs;
  const waiting = waitingInvite(core.clock.now());
  const invite = _id ? await core.models.Invite.findOne({ _id, ...waiting }).lean<InviteDoc>() : null;
  const token = invite && linkTokenOf(core.keys.codes, String(invite._id), invite);
  if (!token) return null;
  return {
    to: { address: openAddress(core.keys, invite) },
    facts: { link: `${core.config.publicUrl}/register?invite=${token}` },
  };
}

/** Composes the mail with the address of a guest link. The code goes another way. */
async function composeGuestLink(core: Core, event: EventDoc): Promise<Letter | null> {
  const { GuestLink } = core.models;
  const link = event.refs.link ? await GuestLink.findById(event.refs.link).lean<GuestLinkDoc>() : null;
  if (!link || guestLinkState(link, core.clock.now()) !== 'open') return null;
  const address = openField(core.keys, link, 'email');
  const token = linkTokenOf(core.keys.codes, String(link._id), link);
  return address && token ? { to: { address }, facts: { link: guestUrl(core.config.publicUrl, token) } } : null;
}

/** Composes the mail about a request, in the language of the account with the address, else in that of the asker. */
async function composeRequest(core: Core, event: EventDoc): Promise<Letter | null> {
  const { ImageRequest, User } = core.models;
  const request = event.record ? await ImageRequest.findById(event.record).lean<ImageRequestDoc>() : null;
  if (!request || requestState(request, core.clock.now()) !== 'waiting') return null;
  const address = openField(core.keys, request, 'email');
  const token = linkTokenOf(core.keys.codes, String(request._id), request);
  if (!address || !token) return null;
  const reader = await User.findOne({ email: address }, { language: 1 }).lean<UserDoc>();
  const { language } = reader ?? (await accountOf(core, request.by)) ?? {};
  return { to: { address, language }, facts: { link: sendUrl(core.config.publicUrl, token) } };
}
