import { randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { firstId, newId, oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { InviteDoc } from '@lightbox/core/models/invite.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { invitesOf } from '@lightbox/core/sharing/invites.js';
import { mongo } from 'mongoose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Client } from '../testing/client.js';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildInvite,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  mailedCode,
  PASSWORD,
  type Person,
  shareCode,
} from '../testing/factories.js';
import { buildGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';
import { acceptRest } from './acceptInvites.js';

const { test, api } = useGateway();
let owner: Person;
beforeAll(async () => {
  owner = await buildProvider(test.gateway);
});

const NOTE = 'Please look at the third finger.';
const address = () => `${randomUUID().slice(0, 8)}@elsewhere.test`;
const batch = (body: object, by = owner) => api.as(by).post('/sharing/batch', body);
const imageOf = (person = owner) => buildImage(test.gateway, { owner: person });
const seen = async (viewer: Person, image: BuiltImage) =>
  (await api.as(viewer).get(`/upload/image/${image.id}`).expect(200)).body.data;
const waiting = async (image: BuiltImage, viewer = owner) =>
  (await api.as(viewer).get(`/sharing/invitations?imageId=${image.id}`).expect(200)).body.data;
const eventsOf = (record: BuiltImage['_id'], type: EventDoc['type']) =>
  test.gateway.models.Event.find({ record, type, status: 'success' }).sort({ _id: 1 }).lean<EventDoc[]>();

describe('several images for several people', () => {
  it('Two images and a study for two people are six shares of one act, with one mail for each person.', async () => {
    const { models } = test.gateway;
    const [one, two, study] = [await imageOf(), await imageOf(), await buildStudy(test.gateway, { owner })];
    const people = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
    const ids = people.map(({ id }) => id);
    const wish = {
      images: [one.id, two.id],
      studies: [String(study.study)],
      people: ids,
      note: NOTE,
      expiresInHours: 3,
    };
    const key = randomUUID();
    const send = () => batch(wish).set('Idempotency-Key', key).expect(201);
    const { body } = await send();
    expect(body.data.shares).toHaveLength(6);
    expect([body.data.invited, body.data.skipped]).toEqual([[], []]);
    expect((await send()).body).toEqual(body);
    const shares = await models.Share.find({
      sharedBy: owner._id,
      recipient: { $in: people.map(({ _id }) => _id) },
    }).lean<ShareDoc[]>();
    expect(shares).toHaveLength(6);
    expect(new Set(shares.map(({ batch }) => String(batch))).size).toBe(1);
    const events = await models.Event.find({
      type: 'share.create',
      'refs.share': { $in: shares.map(({ _id }) => _id) },
    }).lean<EventDoc[]>();
    expect(
      events
        .flatMap(({ refs }) => refs.mailed ?? [])
        .map(String)
        .sort(),
    ).toEqual([...ids].sort());
    expect(JSON.stringify(shares)).not.toContain('finger');
    expect(await seen(people[0] as Person, one)).toMatchObject({ note: NOTE, isVerified: false });
    const { body: access } = await api.as(owner).get(`/sharing?imageId=${one.id}`).expect(200);
    expect(access.data).toMatchObject([{ note: NOTE }, { note: NOTE }]);
  });

  it('The answer names the pairs that are left out: shared already, or their own.', async () => {
    const [image, other] = [await imageOf(), await imageOf()];
    const recipient = await buildPatient(test.gateway);
    const admin = await buildAdmin(test.gateway);
    await buildShare(test.gateway, { image, recipient });
    await buildShare(test.gateway, { image: other, recipient, hours: -1 });
    const wish = { images: [image.id, other.id], people: [recipient.id, owner.id] };
    const { data } = (await batch(wish, admin).expect(201)).body;
    expect(data.shares).toMatchObject([{ imagemetadataId: other.id, createdfor: recipient.id }]);
    expect(data.skipped).toEqual([
      { imagemetadataId: image.id, createdfor: owner.id, reason: 'THEIRS' },
      { imagemetadataId: image.id, createdfor: recipient.id, reason: 'ALREADY_SHARED' },
      { imagemetadataId: other.id, createdfor: owner.id, reason: 'THEIRS' },
    ]);
  });

  it('An act with one image, person or address that is not allowed shares nothing.', async () => {
    const [image, foreign] = [await imageOf(), await buildImage(test.gateway)];
    const recipient = await buildPatient(test.gateway);
    const closed = await buildPatient(test.gateway, { active: false });
    const many = Array.from({ length: limits.batchItems + 1 }, () => String(oid('1'.repeat(24))));
    const wishes: [object, number][] = [
      [{ images: [image.id, foreign.id], people: [recipient.id] }, 404],
      [{ images: [image.id], people: [recipient.id, closed.id] }, 404],
      [{ images: [image.id], people: [recipient.id, owner.id] }, 422],
      [{ images: [image.id], people: [recipient.id], emails: [owner.email] }, 422],
      [{ images: [image.id], people: [recipient.id], emails: ['no address'] }, 422],
      [{ images: [image.id], people: [recipient.id], note: 'x'.repeat(limits.noteLength + 1) }, 422],
      [{ images: [image.id], people: [] }, 422],
      [{ people: [recipient.id] }, 422],
      [{ images: many, people: [recipient.id] }, 422],
    ];
    for (const [wish, status] of wishes) expect((await batch(wish)).status, JSON.stringify(wish)).toBe(status);
    expect(await test.gateway.models.Share.countDocuments({ recipient: recipient._id })).toBe(0);
  });
});

it('An act whose transaction is repeated often takes one point of each limit of mails, and mails once.', async () => {
  const throttled = await buildGateway({ rateLimits: true });
  const { models } = throttled.gateway;
  const busy = await buildProvider(throttled.gateway);
  const images = [
    await buildImage(throttled.gateway, { owner: busy }),
    await buildImage(throttled.gateway, { owner: busy }),
  ].map(({ id }) => id);
  const people = [(await buildPatient(throttled.gateway)).id];
  const insert = models.Share.insertMany.bind(models.Share) as (...args: unknown[]) => Promise<unknown>;
  const conflict = new mongo.MongoServerError({ message: 'WriteConflict', code: 112 });
  conflict.addErrorLabel('TransientTransactionError');
  let calls = 0;
  // Each second call is for the second image: another transaction has changed it.
  const spy = vi.spyOn(models.Share, 'insertMany').mockImplementation(((...args: unknown[]) => {
    calls++;
    return calls % 2 === 0 && calls <= 2 * throttles.shareMail.points ? Promise.reject(conflict) : insert(...args);
  }) as never);
  const caller = new Client(throttled).as(busy);
  await caller.post('/sharing/batch', { images, people, emails: [address()] }).expect(201);
  spy.mockRestore();
  expect(calls).toBe(2 * throttles.shareMail.points + 2);
  for (const type of ['share.create', 'invite.created'] as const) {
    const events = await models.Event.find({ type, status: 'success' }).lean<EventDoc[]>();
    expect([events.length, events.filter(({ refs }) => refs.mailed).length], type).toEqual([2, 1]);
  }
  await throttled.stop();
});

describe('a change of a share', () => {
  const change = (share: { id: string }, body: object, by = owner) => api.as(by).put(`/sharing/${share.id}`, body);

  it('The end moves without a new code, and is in the log.', async () => {
    const image = await imageOf();
    const share = await buildShare(test.gateway, { image });
    const { body } = await change(share, { expiresInHours: 100 }).expect(200);
    const hours = (Date.parse(body.data.expiresAt) - test.clock.now().getTime()) / 3_600_000;
    expect(hours).toBeCloseTo(100, 1);
    const stored = await test.gateway.models.Share.findById(share.id).lean<ShareDoc>();
    expect(stored?.codeExpiresAt).toEqual(stored?.expiresAt);
    expect(await shareCode(test.gateway, share._id)).toBe(share.code);
    const [event] = await eventsOf(image._id, 'share.changed');
    expect(event?.recipients.map(String).sort()).toEqual([owner.id, share.recipient.id].sort());
  });

  it('An end in the past ends the share at once.', async () => {
    const image = await imageOf();
    const share = await buildShare(test.gateway, { image, verified: true });
    const past = new Date(test.clock.now().getTime() - 1_000).toISOString();
    await change(share, { expiresAt: past }).expect(200);
    await api.as(share.recipient).get(`/upload/image/${image.id}`).expect(404);
    expect((await seen(owner, image)).isShared).toBe(false);
    expect(await eventsOf(image._id, 'share.expire')).toHaveLength(1);
    expect((await change(share, { expiresInHours: 1 })).status).toBe(410);
  });

  it('Only the share of the image’s patient can last without an end.', async () => {
    const patient = await buildPatient(test.gateway);
    const image = await buildImage(test.gateway, { owner, patient: patient._id });
    const theirs = await buildShare(test.gateway, { image, recipient: patient });
    const { body } = await change(theirs, { expiresAt: null }).expect(200);
    expect(body.data.expiresAt).toBeNull();
    const other = await buildShare(test.gateway, { image });
    expect((await change(other, { expiresAt: null })).body.errors[0].field).toBe('expiresAt');
    const late = new Date(test.clock.now().getTime() + (limits.shareHoursMax + 1) * 3_600_000).toISOString();
    await change(other, { expiresAt: late }).expect(422);
    await change(other, {}).expect(422);
    await change(other, { expiresInHours: 1, expiresAt: null }).expect(422);
  });

  it('Without download the picture stays and the original is refused, unless another share allows it.', async () => {
    const image = await buildStudy(test.gateway, { owner });
    const share = await buildShare(test.gateway, { image, verified: true });
    const viewer = api.as(share.recipient);
    const paths = [`/upload/image/${image.id}/content`, `/studies/${image.study}/content`];
    const answers = async () => Promise.all(paths.map(async (path) => (await viewer.get(path)).body.error ?? 'sent'));
    expect(await answers()).toEqual(['sent', 'sent']);
    await change(share, { download: false }).expect(200);
    expect(await answers()).toEqual(['NO_DOWNLOAD', 'NO_DOWNLOAD']);
    const ranged = await viewer.get(paths[0] as string).set('Range', 'bytes=0-1');
    expect(ranged.body.error).toBe('NO_DOWNLOAD');
    for (const path of ['/preview', '/frames', '/frames/1'])
      await viewer.get(`/upload/image/${image.id}${path}`).expect(200);
    expect(await seen(share.recipient, image)).toMatchObject({ isVerified: true, download: false });
    // A share of the image alone allows the download of that image, and not of the study.
    const { study: _, ...alone } = image;
    await buildShare(test.gateway, { image: alone, recipient: share.recipient, verified: true, hours: 1 });
    expect(await answers()).toEqual(['sent', 'NO_DOWNLOAD']);
    expect((await seen(share.recipient, image)).download).toBe(true);
  });
});

describe('an invitation', () => {
  const invited = async (rest: object = {}) => {
    const [image, email] = [await imageOf(), address()];
    const { body } = await batch({ images: [image.id], emails: [email], ...rest }).expect(201);
    return { image, email, body, id: body.data.invited[0]?.id as string };
  };
  const registration = (email: string) => ({
    email,
    username: `u${randomUUID().slice(0, 8)}`,
    password: 'Granite-Willow-77',
    role: 'patient',
    firstname: 'Noor',
    lastname: 'Khan',
    gender: 'female',
    dob: '1990-02-28',
  });
  const recipientOf = async (email: string) => {
    const user = await test.gateway.models.User.findOne({ email }).lean<UserDoc>();
    if (!user) throw new Error('The account is missing.');
    return user;
  };

  it('An address without an account waits, sealed, and is sent and cancelled by the owner.', async () => {
    const { image, email, id, body } = await invited({ note: NOTE });
    expect(body.data).toEqual({ shares: [], skipped: [], invited: [{ id, email, imagemetadataId: image.id }] });
    expect(await waiting(image)).toMatchObject([
      { id, email, note: NOTE, expiresInHours: limits.shareHours, download: true },
    ]);
    const stored = JSON.stringify(await test.gateway.models.Invite.findById(id).lean());
    for (const secret of [email, 'finger']) expect(stored).not.toContain(secret);
    const again = await batch({ images: [image.id], emails: [email] }).expect(201);
    expect(again.body.data.skipped).toEqual([{ imagemetadataId: image.id, email, reason: 'ALREADY_SHARED' }]);
    await api.as(owner).post(`/sharing/invitations/${id}/resend`, {}).expect(200);
    await api.as(owner).del(`/sharing/invitations/${id}`).expect(200);
    await api.as(owner).del(`/sharing/invitations/${id}`).expect(404);
    expect(await waiting(image)).toEqual([]);
    const events = await test.gateway.models.Event.find({ 'refs.invite': oid(id) })
      .sort({ _id: 1 })
      .lean<EventDoc[]>();
    expect(events.map(({ type }) => type)).toEqual(['invite.created', 'invite.resent', 'invite.ended']);
    expect(JSON.stringify(events)).not.toContain(email);
  });

  it('An account that the caller does not find in the directory is answered like an address without one.', async () => {
    const image = await imageOf();
    const hidden = [
      await buildPatient(test.gateway, { active: false }),
      await buildProvider(test.gateway, { status: 'pending' }),
      await buildPatient(test.gateway, { status: 'unverified' }),
    ];
    const emails = [...hidden.map(({ email }) => email), address()];
    const { data } = (await batch({ images: [image.id], emails }).expect(201)).body;
    expect(data.shares).toEqual([]);
    expect(data.invited.map(({ email }: { email: string }) => email).sort()).toEqual([...emails].sort());
    const visible = await buildPatient(test.gateway);
    const known = (await batch({ images: [image.id], emails: [visible.email.toUpperCase()] }).expect(201)).body.data;
    expect([known.shares, known.invited]).toMatchObject([[{ createdfor: visible.id }], []]);
  });

  it('The link opens a registration for its address alone, and the waiting images become shares.', async () => {
    const { image, email, id } = await invited({ note: NOTE, download: false });
    const elsewhere = await imageOf(await buildProvider(test.gateway));
    const { token } = await buildInvite(test.gateway, { image: elsewhere, email });
    const read = () => api.post('/auth/invitation', { token });
    expect((await read().expect(200)).body.data).toEqual({ email, hasAccount: false });
    const other = await api.post('/auth/register', { ...registration(address()), invite: token }).expect(422);
    expect(other.body.errors[0].field).toBe('email');
    const { body } = await api.post('/auth/register', { ...registration(email), invite: token }).expect(201);
    const user = await recipientOf(email);
    const { code } = await mailedCode(test.gateway, body.data.user.id);
    const confirmed = await api.as(body.data.token).post('/auth/confirm', { code }).expect(200);
    const shares = await test.gateway.models.Share.find({ recipient: user._id }).lean<ShareDoc[]>();
    expect(shares.map(({ image }) => String(image)).sort()).toEqual([image.id, elsewhere.id].sort());
    expect(shares.every(({ verifiedAt }) => !verifiedAt)).toBe(true);
    const viewer = { ...owner, token: confirmed.body.data.token as string };
    expect(await seen(viewer, image)).toMatchObject({ note: NOTE, isVerified: false });
    expect(shares.find((share) => share.image.equals(image._id))).toMatchObject({ download: false, invite: oid(id) });
    expect((await eventsOf(image._id, 'invite.accepted')).map(({ actor }) => String(actor))).toEqual([
      String(user._id),
    ]);
    expect((await eventsOf(image._id, 'share.create')).map(({ actor }) => String(actor))).toEqual([owner.id]);
    const mails = await test.gateway.models.Event.find({ 'refs.mailed': user._id }).lean<EventDoc[]>();
    expect(mails).toHaveLength(1);
    expect(await waiting(image)).toEqual([]);
    expect((await read().expect(410)).body.error).toBe('EXPIRED');
  });

  it('A person who registers without the link gets the images with the first code.', async () => {
    const { image, email } = await invited();
    const { body } = await api.post('/auth/register', registration(email)).expect(201);
    expect(await waiting(image)).toHaveLength(1);
    const { code } = await mailedCode(test.gateway, body.data.user.id);
    const confirmed = await api.as(body.data.token).post('/auth/confirm', { code }).expect(200);
    await seen({ ...owner, token: confirmed.body.data.token }, image);
    expect(await waiting(image)).toEqual([]);
  });

  it('A person who resets the password before the first code gets the images too.', async () => {
    const { image, email } = await invited();
    const { body } = await api.post('/auth/register', registration(email)).expect(201);
    await api.post('/auth/forgot-password', { email }).expect(200);
    const { code } = await mailedCode(test.gateway, oid(body.data.user.id), 'reset');
    await api.post('/auth/reset-password', { email, otp: code, newPassword: 'Meadow-Copper-19' }).expect(200);
    expect(await waiting(image)).toEqual([]);
    const { _id: recipient } = await recipientOf(email);
    expect(await test.gateway.models.Share.countDocuments({ image: image._id, recipient, live: true })).toBe(1);
  });

  it('However many wait, they are accepted a few in each transaction, and what cannot be shared is skipped.', async () => {
    const { Invite, Share, User } = test.gateway.models;
    const email = address();
    const inactive = await buildProvider(test.gateway, { active: false });
    const images = await Promise.all(Array.from({ length: 2 * limits.batchItems + 1 }, () => imageOf()));
    for (const image of images) await buildInvite(test.gateway, { image, email });
    const skipped = await buildInvite(test.gateway, { image: await imageOf(), email, by: inactive._id, _id: firstId });
    const { body } = await api.post('/auth/register', registration(email)).expect(201);
    const { code } = await mailedCode(test.gateway, body.data.user.id);
    await api.as(body.data.token).post('/auth/confirm', { code }).expect(200);
    const { _id: recipient } = await recipientOf(email);
    // On a busy machine the call leaves some.
    const left = async () => {
      await acceptRest(test.gateway, recipient, '');
      return (await User.findById(recipient).lean<UserDoc>())?.invitesAfter;
    };
    await expect.poll(left).toBeUndefined();
    const shares = await Share.find({ recipient }).lean<ShareDoc[]>();
    expect(shares.map(({ image }) => String(image)).sort()).toEqual(images.map(({ id }) => id).sort());
    expect(new Set(shares.map(({ batch: act }) => String(act))).size).toBeGreaterThan(2);
    expect(await Invite.distinct('_id', invitesOf(test.gateway.keys, email))).toEqual([skipped._id]);
  });

  it('A link accepts its own invitation, however many older ones wait of which nothing can be shared.', async () => {
    const { email, ...person } = await buildPatient(test.gateway);
    const gone = await imageOf();
    for (let i = 0; i <= limits.batchItems; i++) {
      await buildInvite(test.gateway, { image: { ...gone, _id: newId() }, email });
    }
    const image = await imageOf();
    const { token } = await buildInvite(test.gateway, { image, email });
    await api.post('/auth/invitation/accept', { token }).expect(200);
    await seen({ ...person, email }, image);
  });

  it('Those that a crash left waiting are accepted with the next token or sign-in, and no others.', async () => {
    const { User } = test.gateway.models;
    const person = await buildPatient(test.gateway);
    const signIn = async () => {
      const { body } = await api.post('/auth/login', { email: person.email, password: PASSWORD }).expect(200);
      const { code } = await mailedCode(test.gateway, person._id);
      return api.as(body.data.token).post('/auth/confirm', { code }).expect(200);
    };
    const left = async () => {
      const image = await imageOf();
      await buildInvite(test.gateway, { image, email: person.email });
      return image;
    };
    const [one, two] = [await left(), await left()];
    const cookies = (await signIn()).headers['set-cookie'] as unknown as string[];
    const xsrf = String(cookies.find((one) => one.startsWith('XSRF-TOKEN='))?.match(/=([^;]+)/)?.[1]);
    // They came after the address was proved: the person decides by the mailed link.
    expect([await waiting(one), await waiting(two)]).toMatchObject([[{}], [{}]]);
    await User.updateOne({ _id: person._id }, { $set: { invitesAfter: firstId } });
    await api.post('/auth/refresh', {}).set('Cookie', cookies).set('X-XSRF-TOKEN', xsrf).expect(200);
    expect([await waiting(one), await waiting(two)]).toEqual([[], []]);
    const three = await left();
    await User.updateOne({ _id: person._id }, { $set: { invitesAfter: firstId } });
    await signIn();
    expect(await waiting(three)).toEqual([]);
  });

  it('An account that has the address accepts by the link, and a provider after the approval.', async () => {
    const image = await imageOf();
    const pending = await buildProvider(test.gateway, { status: 'pending' });
    const { token } = await buildInvite(test.gateway, { image, email: pending.email });
    expect((await api.post('/auth/invitation', { token }).expect(200)).body.data.hasAccount).toBe(true);
    expect((await api.post('/auth/invitation/accept', { token }).expect(403)).body.error).toBe('ACCOUNT_PENDING');
    await api
      .as(await buildAdmin(test.gateway))
      .post('/users/approve-provider', { email: pending.email })
      .expect(200);
    await seen(pending, image);
    const active = await buildPatient(test.gateway);
    const theirs = await buildInvite(test.gateway, { image, email: active.email });
    await api.post('/auth/invitation/accept', { token: theirs.token }).expect(200);
    await seen(active, image);
    for (const bad of ['x', `${theirs._id}.x`, `${oid('1'.repeat(24))}.x`, theirs.token]) {
      expect((await api.post('/auth/invitation/accept', { token: bad })).status, bad).toBe(410);
    }
  });

  it('It ends with its image, its study, its time, and the account that invited.', async () => {
    const { models } = test.gateway;
    const leaving = await buildProvider(test.gateway);
    const [image, study] = [await imageOf(), await buildStudy(test.gateway, { owner })];
    const named = await buildImage(test.gateway, { owner: leaving, patient: (await buildPatient(test.gateway))._id });
    const invites = [
      await buildInvite(test.gateway, { image }),
      await buildInvite(test.gateway, { image: study }),
      await buildInvite(test.gateway, { image: named }),
    ];
    const old = await buildInvite(test.gateway, { image: await imageOf(), expiresAt: new Date(0) });
    expect((await api.post('/auth/invitation', { token: old.token })).status).toBe(410);
    await api.as(owner).del(`/upload/image/${image.id}`).expect(200);
    await api.as(owner).del(`/studies/${study.study}`).expect(200);
    // The answer waits five seconds by the clock for the rest, which maintenance would do later.
    const admin = await buildAdmin(test.gateway);
    await test.clock.still(async () => api.as(admin).del(`/users/${leaving.id}`).expect(200));
    expect(await models.Invite.countDocuments({ _id: { $in: invites.map(({ _id }: InviteDoc) => _id) } })).toBe(0);
    const [ended] = await eventsOf(named._id, 'invite.ended');
    expect(ended?.reason).toBe('The account was closed.');
  });
});
