import { type Core, createCore } from '@lightbox/core/core.js';
import { newId } from '@lightbox/core/db/ids.js';
import { sealField } from '@lightbox/core/guests/sealed.js';
import { codeOf, linkTokenOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import { type MailTemplate, mailTemplates } from '@lightbox/core/mail/mailTemplates.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { type Mailbox, startMailbox } from '@lightbox/testkit/mailbox.js';
import { createTransport, type Transporter } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver, sendMail } from './sendMail.js';
import { templates } from './templates.js';

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

/** Inserts the account directly: every call rejects such an address (`contract/src/contract.test.ts`). */
async function account(email: string) {
  const _id = newId();
  await core.models.User.collection.insertOne({ _id, email, usernameKey: String(_id) } as never);
  return _id;
}

const send = (to: Awaited<ReturnType<typeof account>>, template: MailTemplate, facts = {}) =>
  deliver(core, mailer, `${newId()}-${template}`, template, { to, facts });

const allowed = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];

describe('a line break in a mail', () => {
  it.each(breaks)(
    'that is %j in a fact is text of the body: it adds no header and no recipient, and leaves the subject unchanged',
    async (lineBreak) => {
      const email = `${newId()}@hospital.test`;
      const to = await account(email);
      const fact = `Thank you.${injected(lineBreak)}`;
      const facts = { reason: fact, code: fact, shares: [{ id: fact, code: fact }], link: fact };
      await Promise.all(mailTemplates.map((template) => send(to, template, facts)));
      const got = mailbox.mails(email);
      expect(got.map(({ subject }) => subject).sort()).toEqual(
        mailTemplates.map((name) => templates[name](facts).subject).sort(),
      );
      for (const mail of got) {
        expect(mail.to).toEqual([email]);
        expect([...new Set(mail.headers)].sort()).toEqual(allowed);
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
      expect([...new Set(mail.headers)].sort()).toEqual(allowed);
    const probe = `${newId()}@hospital.test`;
    await send(await account(probe), 'accountApproved');
    expect(mailbox.mails(probe)).toHaveLength(1);
  });
});

it('The code of a share is not mailed when its image was deleted.', async () => {
  const email = `${newId()}@hospital.test`;
  const [to, image] = [await account(email), newId()];
  const now = core.clock.now();
  const share: ShareDoc = {
    _id: newId(),
    image,
    sharedBy: newId(),
    recipient: to,
    createAt: now,
    codeExpiresAt: new Date(now.getTime() + 3_600_000),
    ...newCodeSeed(core.keys.codes),
    tries: 0,
    live: true,
  };
  await core.models.Share.create([share]);
  const mail = async () => {
    const event = newId();
    await core.models.Event.collection.insertOne({ _id: event, refs: { share: share._id } } as never);
    await sendMail(core, mailer, String(event), 'imageShared');
    return mailbox.mails(email).length;
  };
  expect(await mail()).toBe(0);
  await core.models.Image.collection.insertOne({ _id: image, owner: newId() } as never);
  expect(await mail()).toBe(1);
});

it('The mail of a guest link has its address and not its code, and none goes out once the link has ended.', async () => {
  const { guestLink } = templates;
  expect(guestLink({ code: '123456', link: 'https://x.test/guest/1#y' }).lines.join()).not.toContain('123456');
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
    await core.models.Event.collection.insertOne({ _id: event, refs: { link: _id } } as never);
    await sendMail(core, mailer, String(event), 'guestLink');
    return mailbox.mails(email);
  };
  const [mail] = await mails();
  expect(mail?.text).toContain(linkTokenOf(core.keys.codes, String(_id), link)?.replace('.', '#'));
  expect(`${mail?.text}${mail?.html}`).not.toContain(codeOf(core.keys.codes, String(_id), link));
  await core.models.GuestLink.updateOne({ _id }, { $set: { live: false } });
  expect(await mails()).toHaveLength(1);
});
