import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId, type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { linkTokenOf, newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../testing/authenticator.js';
import {
  buildAdmin,
  buildImage,
  buildInvite,
  buildPatient,
  buildProvider,
  buildShare,
  mailedCode,
  PASSWORD,
  type Person,
  signIn,
} from '../testing/factories.js';
import { notMeToken } from '../testing/notMe.js';
import { useGateway } from '../testing/useGateway.js';

const hooks = ['https://one.test', 'https://two.test'];
const { test, api } = useGateway({ webhookOrigins: hooks });

const other = 'Harbour-Lantern-42';
const own = (person: Person) => api.as(person);

async function addPasskey(person: Person): Promise<void> {
  const asked = await own(person).post('/auth/passkeys/options', { password: PASSWORD }).expect(200);
  const made = new Authenticator(test.config.publicUrl).create(asked.body.data);
  await own(person)
    .post('/auth/passkeys', { ...made, name: 'Key' })
    .expect(201);
}

async function turnOnApp(person: Person): Promise<void> {
  const { secret } = (await own(person).post('/auth/totp', { password: PASSWORD }).expect(200)).body.data;
  const timestamp = test.clock.now().getTime();
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  await own(person).post('/auth/totp', { code }).expect(200);
}

const reset = async (person: Person, newPassword: string) => {
  await api.post('/auth/forgot-password', { email: person.email }).expect(200);
  const { code } = await mailedCode(test.gateway, person._id, 'reset');
  await api.post('/auth/reset-password', { email: person.email, otp: code, newPassword }).expect(200);
};

/** The change that an attacker made with a session and the password; what is undone; and how one signs in then. */
const changes: [string, (person: Person) => Promise<unknown>, undone: string | undefined, login: number | string][] = [
  ['an app turned on', turnOnApp, 'app', 'mail'],
  ['a passkey added', addPasskey, 'passkey', 'mail'],
  [
    'a passkey added beside one’s own',
    async (person) => {
      await addPasskey(person);
      await addPasskey(person);
    },
    'passkey',
    'passkey',
  ],
  [
    'an app removed',
    async (person) => {
      await turnOnApp(person);
      await own(person).del('/auth/totp', { password: PASSWORD }).expect(200);
    },
    undefined,
    'mail',
  ],
  [
    'recovery codes renewed',
    async (person) => {
      await addPasskey(person);
      await own(person).post('/auth/totp/recovery-codes', { password: PASSWORD }).expect(200);
    },
    'recoveryCodes',
    'passkey',
  ],
  [
    'a changed password',
    (person) => own(person).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200),
    'password',
    401,
  ],
  ['a password reset', (person) => reset(person, other), 'password', 401],
];

describe.each(changes)('“this was not me”, of %s', (_, change, undone, login) => {
  it('the link ends every session and undoes the change, once', async () => {
    const person = await buildPatient(test.gateway);
    await change(person);
    const token = await notMeToken(test.gateway, person._id);
    const { token: theirs } = await signIn(test.gateway, person._id);
    expect((await api.post('/auth/not-me', { token }).expect(200)).body.data).toEqual(undone ? { undone } : {});
    await api.as(theirs).get('/users/profile').expect(401);
    for (const password of [PASSWORD, other]) {
      const { status, body } = await api.post('/auth/login', { email: person.email, password });
      if (login === 401 || password === other) expect(status).toBe(401);
      else expect(body.data.method).toBe(login);
    }
    if (undone === 'recoveryCodes') {
      expect(await test.gateway.models.Totp.findById(person._id).lean()).toMatchObject({ recoveryCodes: [] });
    }
    await api.post('/auth/not-me', { token }).expect(410);
    const said = await test.gateway.models.Event.find({ record: person._id, type: 'auth.notMe' }).lean();
    expect(said).toMatchObject([{ actor: person._id, reason: undone ?? '' }]);
    // The way back in.
    await reset(person, 'Third-Enough-Pass-7');
    await api.post('/auth/login', { email: person.email, password: 'Third-Enough-Pass-7' }).expect(200);
  });
});

describe('the link of “this was not me”', () => {
  it('the link ends the guest links of the account, which a session alone could make', async () => {
    const { id, owner } = await buildImage(test.gateway);
    const stolen = api.as((await signIn(test.gateway, owner._id)).token);
    const made = (await stolen.post('/sharing/guest', { imagemetadataId: id, expiresInHours: 24 }).expect(201)).body
      .data;
    const { pathname, hash } = new URL(made.url);
    const link = pathname.replace('/guest/', '') + hash.replace('#', '.');
    const { token } = (await api.post('/guest/open', { link, code: made.code }).expect(200)).body.data;
    await own(owner).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    await api.as(token).get('/guest/alive').expect(200);
    await api.post('/auth/not-me', { token: await notMeToken(test.gateway, owner._id) }).expect(200);
    await api.as(token).get('/guest/alive').expect(401);
    await api.as(token).get(`/upload/image/${id}/frames`).expect(401);
    expect((await api.post('/guest/open', { link, code: made.code }).expect(410)).body.error).toBe('EXPIRED');
  });

  it('the link ends thousands of guest links in one write, also old ones, and none of others or that has ended', async () => {
    const { models, clock, keys } = test.gateway;
    const { _id: image, owner } = await buildImage(test.gateway);
    const [now, later] = [clock.now(), new Date(clock.now().getTime() + 3_600_000)];
    const build = (madeBy: ObjectId, live = true): GuestLinkDoc => ({
      ...{ _id: newId(), image, madeBy, live, createAt: new Date(now.getTime() - 100 * 3_600_000), expiresAt: later },
      ...{ maxOpens: 1, opensLeft: 1, tries: 0, download: false, mailed: false, ...newCodeSeed(keys.codes) },
    });
    const [theirs, ended] = [build(newId()), build(owner._id, false)];
    const links = Array.from({ length: 3_000 }, () => build(owner._id));
    await models.GuestLink.insertMany([theirs, ended, ...links]);
    await own(owner).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    await api.post('/auth/not-me', { token: await notMeToken(test.gateway, owner._id) }).expect(200);
    const over = { image, expiresAt: { $lte: clock.now() } };
    // They wait for the worker that ends them, with their events.
    expect(await models.GuestLink.countDocuments({ ...over, live: true })).toBe(links.length);
    expect(await models.GuestLink.countDocuments({ image, expiresAt: later })).toBe(2);
    expect(await models.Event.countDocuments({ record: image, type: 'guest.revoked' })).toBe(0);
  });

  it('the link ends the carers and the requests for images of its three days, and no older ones', async () => {
    const person = await buildProvider(test.gateway);
    const carers = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    const { models, clock } = test.gateway;
    const nameCarer = async (patient: Person, carer: Person) => {
      const { id } = (await own(patient).post('/carers', { email: carer.email }).expect(201)).body.data;
      await own(carer).post(`/carers/${id}/accept`, {}).expect(200);
      return id as string;
    };
    const patient = await buildPatient(test.gateway);
    const [old, named] = [await nameCarer(patient, carers[0] as Person), await nameCarer(patient, carers[1] as Person)];
    const before = new Date(clock.now().getTime() - 100 * 3_600_000);
    await models.Carer.updateOne({ _id: old }, { $set: { createAt: before } });
    const asked = (await own(person).post('/requests', { kind: 'folder' }).expect(201)).body.data.id;
    for (const one of [patient, person]) {
      await own(one).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
      await api.post('/auth/not-me', { token: await notMeToken(test.gateway, one._id) }).expect(200);
    }
    expect(await models.Carer.findById(named).lean()).toMatchObject({ live: false });
    expect(await models.Carer.findById(old).lean()).toMatchObject({ live: true });
    expect(await models.ImageRequest.findById(asked).lean()).toMatchObject({ state: 'revoked' });
  });

  it('the link ends the invitations of its three days that nobody has accepted, and no older ones', async () => {
    const image = await buildImage(test.gateway);
    const { owner } = image;
    const createAt = new Date(test.clock.now().getTime() - 100 * 3_600_000);
    const old = await buildInvite(test.gateway, { image, createAt });
    const stolen = api.as((await signIn(test.gateway, owner._id)).token);
    const body = { images: [image.id], people: [], emails: [`${newId()}@elsewhere.test`] };
    const [made] = (await stolen.post('/sharing/batch', body).expect(201)).body.data.invited;
    const invite = await test.gateway.models.Invite.findById(made.id).lean();
    const link = (invite && linkTokenOf(test.gateway.keys.codes, made.id, invite)) ?? '';
    await api.post('/auth/invitation', { token: link }).expect(200);
    await own(owner).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    await api.post('/auth/not-me', { token: await notMeToken(test.gateway, owner._id) }).expect(200);
    const { Invite } = test.gateway.models;
    expect(await Invite.distinct('_id', { by: owner._id, expiresAt: { $gt: test.clock.now() } })).toEqual([old._id]);
    await api.post('/auth/invitation', { token: old.token }).expect(200);
    expect((await api.post('/auth/invitation', { token: link }).expect(410)).body.error).toBe('EXPIRED');
    // It waits for the worker that ends it, with the event.
    expect(await Invite.exists({ _id: made.id })).not.toBeNull();
  });

  it('the link ends the shares of its three days, and no older ones, nor that of the patient of an image', async () => {
    const { models, clock } = test.gateway;
    const now = clock.now().getTime();
    const owner = await buildProvider(test.gateway);
    const share = async (createAt: Date) => {
      const made = await buildShare(test.gateway, { image: await buildImage(test.gateway, { owner }) });
      await models.Share.updateOne({ _id: made._id }, { $set: { createAt } });
      return made;
    };
    const [old, made] = [await share(new Date(now - 100 * 3_600_000)), await share(new Date(now - 3_600_000))];
    const lasting = await share(new Date(now - 3_600_000));
    await models.Share.updateOne({ _id: lasting._id }, { $unset: { expiresAt: 1 } });
    await own(owner).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    await api.post('/auth/not-me', { token: await notMeToken(test.gateway, owner._id) }).expect(200);
    for (const { recipient, image } of [old, lasting])
      await own(recipient).get(`/upload/image/${image.id}`).expect(200);
    await own(made.recipient).get(`/upload/image/${made.image.id}`).expect(404);
    expect(await models.Share.countDocuments({ _id: made._id, expiresAt: { $lte: clock.now() } })).toBe(1);
  });

  it('the link ends what an administrator made for the installation in its three days, with an entry for each', async () => {
    const { models, clock } = test.gateway;
    const [admin, colleague] = [await buildAdmin(test.gateway), await buildAdmin(test.gateway)];
    for (const one of [admin, colleague]) await own(one).post('/auth/step-up', { password: PASSWORD }).expect(200);
    const wish = { url: `${hooks[0]}/hook`, events: ['share.created'] };
    const webhook = async (by: Person) =>
      (await own(by).post('/webhooks/installation', wish).expect(201)).body.data.id as string;
    const device = async (by: Person) => {
      const node = { title: `T${newId().toHexString().slice(-12)}`, addresses: [], userId: colleague.id };
      return { node, id: (await own(by).post('/dicom-nodes', node).expect(201)).body.data.id as string };
    };
    const webhooks = [await webhook(admin), await webhook(admin), await webhook(colleague), await webhook(colleague)];
    const devices = [await device(admin), await device(admin), await device(colleague), await device(colleague)];
    const before = { $set: { createAt: new Date(clock.now().getTime() - 100 * 3_600_000) } };
    await models.Webhook.updateOne({ _id: oid(String(webhooks[1])) }, before);
    await models.DicomNode.updateOne({ _id: oid(String(devices[1]?.id)) }, before);
    // Those of others that the account pointed elsewhere.
    await own(admin)
      .put(`/webhooks/${webhooks[3]}`, { ...wish, url: `${hooks[1]}/hook` })
      .expect(200);
    await own(admin)
      .put(`/dicom-nodes/${devices[3]?.id}`, { ...devices[3]?.node, addresses: ['10.0.0.1'] })
      .expect(200);
    const createAt = clock.now();
    const scim = { name: 'Directory', provider: 'clinic', createAt };
    const [token, theirs] = [newId(createAt), newId(createAt)];
    await models.ScimToken.create([
      { ...scim, _id: token, hash: String(token), madeBy: admin._id },
      { ...scim, _id: theirs, hash: String(theirs), madeBy: colleague._id },
    ]);
    const viewer = { name: 'viewer.url', value: 'https://elsewhere.test/?s={study}&t={token}', description: '' };
    const setting = (await own(admin).post('/appsetting/add', viewer).expect(201)).body.data.id as string;

    await own(admin).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    await api.post('/auth/not-me', { token: await notMeToken(test.gateway, admin._id) }).expect(200);

    expect((await models.Webhook.find({ on: true }).distinct('_id')).map(String)).toEqual(webhooks.slice(1, 3));
    expect((await models.DicomNode.distinct('_id')).map(String)).toEqual([devices[1]?.id, devices[2]?.id]);
    expect(await models.ScimToken.distinct('_id')).toEqual([theirs]);
    expect(await models.Setting.exists({ _id: setting })).toBeNull();
    expect(await test.gateway.settings.get('viewer.url')).toBe('');
    const ended: [AuditAction, (string | undefined)[]][] = [
      ['webhook.changed', [webhooks[0], webhooks[3]]],
      ['dicomNode.removed', [devices[0]?.id, devices[3]?.id]],
      ['scim.tokenRevoked', [String(token)]],
      ['setting.delete', [setting]],
    ];
    for (const [type, records] of ended) {
      const said = await models.Event.find({ type, actor: { $exists: false } })
        .sort({ record: 1 })
        .lean();
      expect(said.map(({ record }) => String(record))).toEqual(records);
    }
  });

  it('the link does not undo a later change of the owner', async () => {
    const person = await buildPatient(test.gateway);
    await own(person).put('/auth/password', { currentPassword: PASSWORD, newPassword: other }).expect(200);
    const token = await notMeToken(test.gateway, person._id);
    test.clock.forward({ seconds: 1 });
    await reset(person, 'Third-Enough-Pass-7');
    expect((await api.post('/auth/not-me', { token }).expect(200)).body.data).toEqual({});
    await api.post('/auth/login', { email: person.email, password: 'Third-Enough-Pass-7' }).expect(200);
  });

  it('the link is valid for three days and cannot be forged', async () => {
    const person = await buildPatient(test.gateway);
    await addPasskey(person);
    const token = await notMeToken(test.gateway, person._id);
    await api.post('/auth/forgot-password', { email: person.email }).expect(200);
    const { _id } = await mailedCode(test.gateway, person._id, 'reset');
    const proof = token.split('.')[1];
    for (const bad of ['x', `${newId()}.${proof}`, `${_id}.${proof}`, `${token}x`]) {
      const { body } = await api.post('/auth/not-me', { token: bad }).expect(422);
      expect(body.errors).toMatchObject([{ field: 'token' }]);
    }
    test.clock.forward({ hours: limits.notMeHours });
    await api.post('/auth/not-me', { token }).expect(410);
    expect(await test.gateway.models.Passkey.countDocuments({ user: person._id })).toBe(1);
  });
});
