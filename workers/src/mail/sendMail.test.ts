import { type LanguageCode, languageCodes } from '@lightbox/contract/languages.js';
import { type Core, createCore } from '@lightbox/core/core.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { sealText } from '@lightbox/core/emergencies/sealed.js';
import { sealField } from '@lightbox/core/guests/sealed.js';
import { codeOf, linkTokenOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import { chosenMails, type MailTemplate, mailTemplates } from '@lightbox/core/mail/mailTemplates.js';
import type { EmergencyDoc } from '@lightbox/core/models/emergency.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { PartAway } from '@lightbox/core/process/partAway.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { type Mailbox, refusedPrefix, startMailbox } from '@lightbox/testkit/mailbox.js';
import { createTransport, type Transporter } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MailFailed } from './handOver.js';
import type { ShareFacts } from './mailText.js';
import { deliver, sendMail } from './sendMail.js';
import { sendOnce } from './sendOnce.js';
import { textOf } from './templates.js';

let core: Core;
let mailbox: Mailbox;
let mailer: Transporter;

beforeAll(async () => {
  mailbox = await startMailbox();
  core = await createCore(await testConfig({ smtpUrl: mailbox.url }), 'worker');
  mailer = createTransport(`${core.config.smtpUrl}?pool=true`);
});
afterAll(async () => {
  mailer.close();
  await core.close();
  await mailbox.stop();
});

const EVIL = 'evil@attacker.test';
const breaks = ['\r\n', '\n', '\r', '\u2028', '\u0085', '%0d%0a'];
const injected = (lineBreak: string) =>
  `${lineBreak}Bcc: ${EVIL}${lineBreak}X-Injected: 1${lineBreak}${lineBreak}<b>Pay here</b>`;

const noClinic = { name: '', phone: '', url: '' };

/** Inserts the account directly: every call rejects such an address (`contract/src/contract.test.ts`). */
async function account(email: string, language?: LanguageCode) {
  const _id = newId();
  const status = 'active';
  await core.models.User.collection.insertOne({ _id, email, usernameKey: String(_id), language, status } as never);
  return _id;
}

const send = (to: Awaited<ReturnType<typeof account>>, template: MailTemplate, facts = {}) =>
  deliver(core, mailer, `${newId()}-${template}`, template, { to, facts });

const always = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];
/** Only mails that people may turn off say how. */
const allowed = (subject: string) =>
  chosenMails.some((name) => textOf('en', name, {}, noClinic).subject === subject)
    ? [...always, 'list-unsubscribe'].sort()
    : always;

describe('a line break in a mail', () => {
  it.each(breaks)(
    'that is %j in a fact is text of the body: it adds no header and no recipient, and leaves the subject unchanged',
    async (lineBreak) => {
      const email = `${newId()}@hospital.test`;
      const to = await account(email);
      const fact = `Thank you.${injected(lineBreak)}`;
      const facts = {
        reason: fact,
        code: fact,
        shares: [{ id: fact, code: fact, codeEndsAt: new Date() }],
        link: fact,
      };
      await Promise.all(mailTemplates.map((template) => send(to, template, facts)));
      const got = mailbox.mails(email);
      expect(got.map(({ subject }) => subject).sort()).toEqual(
        mailTemplates.map((name) => textOf('en', name, facts, noClinic).subject).sort(),
      );
      for (const mail of got) {
        expect(mail.to).toEqual([email]);
        expect([...new Set(mail.headers)].sort()).toEqual(allowed(mail.subject));
        expect(mail.html).not.toContain('<b>Pay here');
      }
      expect(mailbox.mails(EVIL)).toEqual([]);
    },
  );

  it.each(breaks)('that is %j in an address adds no recipient', async (lineBreak) => {
    const name = String(newId());
    const to = await account(`${name}@hospital.test${injected(lineBreak)}`);
    // The mail is rejected or sent to the rest of the address, but never to an address after the line break.
    await send(to, 'accountApproved').catch(() => undefined);
    expect(mailbox.mails(EVIL)).toEqual([]);
    for (const mail of mailbox.mails(`${name}@hospital.test`))
      expect([...new Set(mail.headers)].sort()).toEqual(always);
    const probe = `${newId()}@hospital.test`;
    await send(await account(probe), 'accountApproved');
    expect(mailbox.mails(probe)).toHaveLength(1);
  });
});

/** The subjects that the contract fixes. */
const subjects: Partial<Record<MailTemplate, string>> = {
  verificationCode: 'Your verification code',
  resetCode: 'Your password reset code',
  imageShared: 'An image was shared with you',
  accountApproved: 'Your account was approved',
  accountRejected: 'Your account was not approved',
  passwordChanged: 'Your password was changed',
  unreadMessages: 'You have unread messages',
  alreadyHaveAccount: 'You already have an account',
};
const linesOf = (text: string, label: string) =>
  text.split('\n').flatMap((line) => (line.startsWith(`${label}: `) ? [line.slice(label.length + 2)] : []));
const clinic = {
  'clinic.name': 'City <Clinic>',
  'clinic.phone': '+92 21 111',
  'clinic.url': 'https://clinic.test/a?b&c',
};
const codeEndsAt = new Date('2026-11-22T19:48:00Z');
const shared: ShareFacts[] = [
  { id: '673dc1f04b9e2a7705c81925', code: '685569', codeEndsAt, endsAt: codeEndsAt },
  { id: '673dc1f04b9e2a7705c888f2', code: '395484', codeEndsAt },
];
const link = 'https://lightbox.test/view-images?share=673dc1f04b9e2a7705c81925';

describe.each(languageCodes)('a mail in %s', (language) => {
  beforeAll(async () => {
    const at = new Date();
    const rows = Object.entries(clinic).map(([name, value]) => ({
      name,
      value,
      description: '',
      createAt: at,
      updatedAt: at,
    }));
    await core.models.Setting.deleteMany({});
    await core.models.Setting.create(rows);
    core.settings.forget();
  });
  afterAll(async () => {
    await core.models.Setting.deleteMany({});
    core.settings.forget();
  });

  it.each(mailTemplates)(
    '%s has its lines, the clinic, and the language and direction of its text',
    async (template) => {
      const email = `${newId()}@hospital.test`;
      const facts = { code: '407312', shares: shared.slice(0, 1), link, reason: 'Blurred.' };
      await send(await account(email, language), template, facts);
      const [mail] = mailbox.mails(email);
      const plain =
        template === 'imageShared'
          ? ['685569']
          : ['verificationCode', 'resetCode'].includes(template)
            ? ['407312']
            : [];
      expect(linesOf(mail?.text ?? '', 'Code')).toEqual(plain);
      expect(linesOf(mail?.text ?? '', 'Link')).toEqual(
        /^(verificationCode|registrationReceived|approvalUndone|accountRejected)$/.test(template) ? [] : [link],
      );
      if (language === 'en' && subjects[template]) expect(mail?.subject).toBe(subjects[template]);
      expect(/[\u0600-\u06FF]/.test(mail?.subject ?? '')).toBe(language === 'ur');
      for (const text of [mail?.text, mail?.html]) expect(text).not.toMatch(/undefined|\[object|Invalid Date/);
      for (const value of Object.values(clinic)) expect(mail?.text).toContain(value);
      expect(mail?.html).toContain('City &lt;Clinic&gt;');
      expect(mail?.html).toMatch(new RegExp(`<html lang="${language}" dir="${language === 'ur' ? 'rtl' : 'ltr'}">`));
    },
  );

  it('a mail about several shares names each by its mark, with the id before its code, and has one link', async () => {
    const email = `${newId()}@hospital.test`;
    await send(await account(email, language), 'imageShared', { shares: shared, link });
    const { text = '', html = '' } = mailbox.mails(email)[0] ?? {};
    expect(linesOf(text, 'Sharing id')).toEqual(shared.map(({ id }) => id));
    expect(linesOf(text, 'Code')).toEqual(['685569', '395484']);
    expect(linesOf(text, 'Link')).toEqual([link]);
    expect(text.search('685569')).toBeGreaterThan(text.search('c81925\n'));
    for (const part of ['1925', '88F2']) expect(text).toContain(part);
    expect(html.match(/<a class="button"/g)).toHaveLength(1);
    if (language === 'en') {
      expect(text).toContain('City <Clinic> shared images with you.\n\nYou have 2 images waiting.');
      expect(text).toMatch(/Share 1925\nAccess ends: Sunday,? 22 November 2026 at \d\d:\d\d .*(Time|GMT).*\./);
    }
  });
});

it.each([
  ['Asia/Karachi', /Monday,? 23 November 2026 at 00:48 Pakistan Standard Time/],
  ['America/New_York', /Sunday,? 22 November 2026 at 14:48 Eastern Standard Time/],
])('A mail to a person in %s has the time there, with its name.', async (timeZone, text) => {
  const email = `${newId()}@hospital.test`;
  const to = await account(email);
  await core.models.User.updateOne({ _id: to }, { $set: { timeZone } });
  await send(to, 'imageShared', { shares: shared.slice(0, 1), link });
  const [mail] = mailbox.mails(email);
  for (const shown of [mail?.text, mail?.html]) expect(shown).toMatch(text);
});

describe('the mail of an act', () => {
  const image = newId();
  const recipient = { _id: newId(), email: `${newId()}@hospital.test` };
  const build = (rest: Partial<ShareDoc> = {}): ShareDoc => {
    const now = core.clock.now();
    return {
      _id: newId(),
      image,
      sharedBy: newId(),
      recipient: recipient._id,
      createAt: now,
      codeExpiresAt: new Date(now.getTime() + 3_600_000),
      ...newCodeSeed(core.keys.codes),
      tries: 0,
      live: true,
      ...rest,
    };
  };
  /** Sends the mail of an event about a share, and returns the ids of the shares in it. */
  const mailed = async (share: ShareDoc, type: EventDoc['type'] = 'share.create') => {
    const event = newId();
    await core.models.Event.collection.insertOne({ _id: event, type, refs: { share: share._id } } as never);
    const before = mailbox.mails(recipient.email).length;
    await sendMail(core, mailer, String(event), 'imageShared');
    await sendMail(core, mailer, String(event), 'imageShared');
    const mails = mailbox.mails(recipient.email).slice(before);
    expect(mails.length).toBeLessThanOrEqual(1);
    return mails.flatMap(({ text }) => linesOf(text, 'Sharing id'));
  };
  beforeAll(async () => {
    await core.models.User.collection.insertOne({ ...recipient, usernameKey: String(recipient._id) } as never);
  });

  it('has all shares of the act for this person that wait for their code, and a new code of one share is one mail', async () => {
    const batch = newId();
    const of = (rest: Partial<ShareDoc> = {}) => build({ batch, image: newId(), ...rest });
    const [first, second, opened, ended, theirs, other] = [
      ...[of(), of(), of({ verifiedAt: new Date() }), of({ live: false })],
      ...[of({ recipient: newId() }), of({ batch: newId() })],
    ] as [ShareDoc, ShareDoc, ShareDoc, ShareDoc, ShareDoc, ShareDoc];
    const all = [first, second, opened, ended, theirs, other];
    await core.models.Share.create(all);
    await core.models.Image.collection.insertMany(all.map((one) => ({ _id: one.image, owner: newId() })) as never);
    const ids = [first, second].map(({ _id }) => String(_id));
    expect(await mailed(first)).toEqual(ids);
    expect(await mailed(ended)).toEqual(ids);
    expect(await mailed(second, 'share.resend')).toEqual([ids[1]]);
    expect(await mailed(other)).toEqual([String(other._id)]);
  });

  it('is not sent when the image was deleted', async () => {
    const share = build();
    await core.models.Share.create([share]);
    expect(await mailed(share)).toEqual([]);
    await core.models.Image.collection.insertOne({ _id: image, owner: newId() } as never);
    expect(await mailed(share)).toEqual([String(share._id)]);
  });
});

it('A mail goes out once when its job runs several times at once, and again after its note has failed.', async () => {
  const email = `${newId()}@hospital.test`;
  const [record, event] = [await account(email), newId()];
  await core.models.Event.collection.insertOne({ _id: event, type: 'user.approve', record, refs: {} } as never);
  const run = () => sendMail(core, mailer, String(event), 'accountApproved');
  const failing = vi.spyOn(core.models.SentMail, 'updateOne').mockImplementationOnce(() => {
    throw new Error('MongoDB is away.');
  });
  // On a busy machine a run may begin when the first one has failed: it notes the mail, and sends no other.
  const tries = await Promise.allSettled([run(), run(), run()]);
  expect(tries.map(({ status }) => status)).toContain('rejected');
  await run();
  await run();
  expect(failing).toHaveBeenCalledTimes(2);
  expect(mailbox.mails(email)).toHaveLength(1);
});

it('Of the mails about the status of an account, one that comes late is not sent against a newer one.', async () => {
  const email = `${newId()}@hospital.test`;
  const record = await account(email);
  for (const [type, template] of [
    ['user.reject', 'accountRejected'],
    ['user.reconsidered', 'approvalUndone'],
    ['user.approve', 'accountApproved'],
  ] as const) {
    const event = newId();
    await core.models.Event.collection.insertOne({ _id: event, type, record, refs: {} } as never);
    await sendMail(core, mailer, String(event), template);
  }
  expect(mailbox.mails(email).map(({ subject }) => subject)).toEqual([subjects.accountApproved]);
});

it('Sendings of one mail at the same moment share one, and its failure.', async () => {
  const id = String(newId());
  let delivered = 0;
  const send = () =>
    sendOnce(core, mailer, id, async () => {
      delivered++;
      throw new Error('The server refused it.');
    });
  const ends = await Promise.allSettled([send(), send(), send()]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(delivered).toBe(1);
});

it('The mail of a guest link has its address and not its code, and none goes out once the link has ended.', async () => {
  const email = `${newId()}@clinic.test`;
  const _id = newId();
  const now = core.clock.now();
  const link: GuestLinkDoc = {
    ...{ _id, image: newId(), madeBy: newId(), createAt: now, expiresAt: new Date(now.getTime() + 3_600_000) },
    ...{ maxOpens: 1, opensLeft: 1, tries: 0, download: false, mailed: true, live: true },
    ...newCodeSeed(core.keys.codes),
    email: sealField(core.keys, _id, 'email', email),
  };
  await core.models.GuestLink.create([link]);
  const mails = async () => {
    const event = newId();
    await core.models.Event.collection.insertOne({ _id: event, type: 'guest.created', refs: { link: _id } } as never);
    await sendMail(core, mailer, String(event), 'guestLink');
    return mailbox.mails(email);
  };
  const [mail] = await mails();
  expect(mail?.text).toContain(linkTokenOf(core.keys.codes, String(_id), link)?.replace('.', '#'));
  expect(`${mail?.text}${mail?.html}`).not.toContain(codeOf(core.keys.codes, String(_id), link));
  await core.models.GuestLink.updateOne({ _id }, { $set: { live: false } });
  expect(await mails()).toHaveLength(1);
});

it('The mail of an emergency access goes once to the patient and to each administrator, without names and reason.', async () => {
  const _id = newId();
  const [patient, admin, second] = [`p${_id}@clinic.test`, `a${_id}@clinic.test`, `b${_id}@clinic.test`];
  const [provider, ...told] = await Promise.all(
    [`d${_id}@clinic.test`, patient, admin, second].map((to) => account(to)),
  );
  const people = { provider: provider as EmergencyDoc['_id'], patient: told[0] as EmergencyDoc['_id'] };
  const reason = sealText(core.keys, _id, 'reason', 'Unconscious after a fall');
  const now = core.clock.now();
  const about = { from: now, until: now, live: true, state: 'open' as const, waits: true };
  await core.models.Emergency.create([{ _id, ...people, reason, ...about }]);
  const event = newId();
  const recipients = [provider, ...told];
  await core.models.Event.collection.insertOne({
    _id: event,
    type: 'emergency.opened',
    record: _id,
    recipients,
  } as never);
  // A repeated job sends nothing twice.
  for (let i = 0; i < 2; i++) await sendMail(core, mailer, String(event), 'emergencyOpened');
  const subjects = [`d${_id}@clinic.test`, patient, admin, second].map((to) =>
    mailbox.mails(to).map(({ subject }) => subject),
  );
  const review = ['An emergency access to review'];
  expect(subjects).toEqual([[], ['Your images were opened in an emergency'], review, review]);
  for (const mail of [...mailbox.mails(patient), ...mailbox.mails(admin)]) {
    expect(mail.text).toContain(`/emergency-access?id=${_id}`);
    expect(`${mail.text}${mail.html}`).not.toContain('Unconscious');
  }
});

it('A refused address keeps no mail from the others of its event, and an absent server costs no attempt beside it.', async () => {
  const event = newId();
  const others = [`a${event}@clinic.test`, `b${event}@clinic.test`];
  const recipients = await Promise.all([`${refusedPrefix}${event}@clinic.test`, ...others].map((to) => account(to)));
  await core.models.Event.collection.insertOne({ _id: event, type: 'carer.named', recipients, refs: {} } as never);
  const run = (by: Transporter) => sendMail(core, by, String(event), 'carerNamed');
  const broken = createTransport(core.config.smtpUrl);
  const deliver = broken.sendMail.bind(broken);
  vi.spyOn(broken, 'sendMail').mockImplementation((mail) =>
    (mail.to as { address: string }).address === others[1]
      ? Promise.reject(Object.assign(new Error('closed'), { code: 'ECONNECTION' }))
      : deliver(mail),
  );
  await expect(run(broken)).rejects.toThrow(PartAway);
  expect(others.map((to) => mailbox.mails(to).length)).toEqual([1, 0]);
  for (let attempt = 0; attempt < 2; attempt++) await expect(run(mailer)).rejects.toThrow(MailFailed);
  expect(others.map((to) => mailbox.mails(to).length)).toEqual([1, 1]);
});

it('The mail of a request has its address alone, in the language of its reader or else of the asker, while it waits.', async () => {
  const email = `${newId()}@clinic.test`;
  const [_id, by] = [newId(), newId()];
  const now = core.clock.now();
  const request: ImageRequestDoc = {
    ...{ _id, by, kind: 'file', state: 'waiting', createAt: now, expiresAt: new Date(now.getTime() + 3_600_000) },
    ...{ mailed: true, files: 0, bytes: 0, ...newCodeSeed(core.keys.codes) },
    email: sealField(core.keys, _id, 'email', email),
    note: sealField(core.keys, _id, 'note', 'For Mrs. Roe.'),
  };
  await core.models.ImageRequest.create([request]);
  const account = (id: ObjectId, address: string, language: string) =>
    core.models.User.collection.insertOne({ _id: id, email: address, usernameKey: String(id), language } as never);
  await account(by, `${by}@clinic.test`, 'ur');
  const mails = async () => {
    const event = newId();
    await core.models.Event.collection.insertOne({
      _id: event,
      type: 'request.created',
      record: _id,
      refs: {},
    } as never);
    await sendMail(core, mailer, String(event), 'imageRequest');
    return mailbox.mails(email);
  };
  const [first] = await mails();
  expect(first?.text).toContain(linkTokenOf(core.keys.codes, String(_id), request)?.replace('.', '#'));
  expect(first?.subject).toBe('آپ سے ایک تصویر مانگی گئی ہے');
  expect(`${first?.text}${first?.html}`).not.toContain('Roe');
  await account(newId(), email, 'en');
  expect((await mails())[1]?.subject).toBe('You were asked for an image');
  await core.models.ImageRequest.updateOne({ _id }, { $set: { state: 'revoked' } });
  expect(await mails()).toHaveLength(2);
});
