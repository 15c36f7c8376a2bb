import { randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { shareState, shareStates } from '@lightbox/contract/sharing/states.js';
import { followedShare } from '@lightbox/core/access/news.js';
import {
  isLive,
  liveShare,
  lockedShare,
  openedOriginal,
  opensOriginal,
  overdueShare,
  pendingShare,
  verifiedShare,
} from '@lightbox/core/access/shares.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { describe, expect, it, vi } from 'vitest';
import { payloads } from '../realtime/payloads.js';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  shareCode,
  signIn,
  wrong,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';
import { addShare, newAct } from './addShares.js';

const { test, api } = useGateway();

const share = (image: BuiltImage, recipient: Person | string, rest: object = {}) =>
  api.as(image.owner).post('/sharing/request', {
    imagemetadataId: image.id,
    createdfor: typeof recipient === 'string' ? recipient : recipient.id,
    ...rest,
  });
const verify = (as: Person, sharingRequestId: string, verificationCode: string) =>
  api.as(as).post('/sharing/verify', { sharingRequestId, verificationCode });
const events = (image: BuiltImage, type: EventDoc['type'], status: EventDoc['status'] = 'success') =>
  test.gateway.models.Event.countDocuments({ record: image._id, type, status });

describe('sharing', () => {
  it('a share mails id and code, is answered without code and salt, and lasts a day', async () => {
    const [image, recipient] = [await buildImage(test.gateway), await buildPatient(test.gateway)];
    const { body } = await test.clock.still(async () => share(image, recipient).expect(201));
    const { id, expiresAt, ...rest } = body.data;
    expect(rest).toEqual({ imagemetadataId: image.id, createdfor: recipient.id });
    expect(new Date(expiresAt).getTime() - test.clock.now().getTime()).toBeCloseTo(limits.shareHours * 3_600_000, -5);
    const kept = await test.gateway.models.Share.findById(id).lean<ShareDoc>();
    const code = await shareCode(test.gateway, oid(id));
    expect(JSON.stringify(kept)).not.toContain(`"${code}"`);
    const event = await test.gateway.models.Event.findOne({ type: 'share.create', record: image._id }).lean();
    expect(event?.refs).toEqual({ share: oid(id), mailed: kept?.recipient });
  });

  it('several shares of one act send one mail to each person', async () => {
    const owner = await buildProvider(test.gateway);
    const images = [await buildImage(test.gateway, { owner }), await buildImage(test.gateway, { owner })];
    const people = [await buildPatient(test.gateway), await buildPatient(test.gateway)];
    await test.gateway.events.change({ id: owner._id, ip: '' }, async (tx) => {
      const act = newAct();
      for (const image of images) {
        for (const { _id: recipient } of people) {
          const wanted = { image: image._id, sharedBy: owner._id, recipient, hours: 24 };
          await addShare(test.gateway, tx, wanted, act);
        }
      }
      return owner._id;
    });
    const made = await test.gateway.models.Event.find({ type: 'share.create', actor: owner._id })
      .sort({ _id: 1 })
      .lean();
    expect(made.map(({ owed }) => owed?.includes('sendMail') ?? false)).toEqual([true, true, false, false]);
    expect(made.flatMap(({ refs }) => refs.mailed ?? []).map(String)).toEqual(people.map(({ id }) => id));
    const shares = await test.gateway.models.Share.find({ sharedBy: owner._id }).lean<ShareDoc[]>();
    expect(shares).toHaveLength(4);
    expect(new Set(shares.map(({ batch }) => String(batch))).size).toBe(1);
  });

  it.each([[0], [-1], [24.5], [721], [1e6], ['24'], [null]])(
    'a share for %j hours is refused',
    async (expiresInHours) => {
      const { body } = await share(await buildImage(test.gateway), await buildPatient(test.gateway), {
        expiresInHours,
      }).expect(422);
      expect(body.errors[0].field).toBe('expiresInHours');
    },
  );

  it('a share lasts 1 to 720 hours, and as long as the setting says without a wish', async () => {
    const [image, recipient] = [await buildImage(test.gateway), await buildPatient(test.gateway)];
    const hours = async (rest: object) => {
      const { body } = await share(image, recipient, rest).expect(201);
      await api.as(image.owner).del(`/sharing/${body.data.id}`).expect(200);
      return Math.round((new Date(body.data.expiresAt).getTime() - test.clock.now().getTime()) / 3_600_000);
    };
    expect(await hours({ expiresInHours: 1 })).toBe(1);
    expect(await hours({ expiresInHours: 720 })).toBe(720);
    const admin = api.as(await buildAdmin(test.gateway));
    const setting = await admin.post('/appsetting/add', { name: 'sharing.expiryHours', value: '48' }).expect(201);
    expect(await hours({})).toBe(48);
    await admin.del('/appsetting/delete', { id: setting.body.data.id, user: 'ignored' }).expect(200);
    expect(await hours({})).toBe(24);
  });

  it('a share with oneself or the owner is 422, with an unknown or invisible person 404, a second one 409', async () => {
    const [image, recipient] = [await buildImage(test.gateway), await buildPatient(test.gateway)];
    const oneself = await share(image, image.owner).expect(422);
    expect(oneself.body.errors[0].field).toBe('createdfor');
    const admin = await buildAdmin(test.gateway);
    const toOwner = { imagemetadataId: image.id, createdfor: image.owner.id };
    await api.as(admin).post('/sharing/request', toOwner).expect(422);
    await share(image, String(newId())).expect(404);
    await share(image, await buildPatient(test.gateway, { active: false })).expect(404);
    await share(image, await buildPatient(test.gateway, { status: 'unverified' })).expect(404);
    await share(image, recipient).expect(201);
    const { body } = await share(image, recipient).expect(409);
    expect(body.error).toBe('ALREADY_SHARED');
    expect(await events(image, 'share.create')).toBe(1);
  });

  it('a share sent twice with one key, or twenty times at once, is created once', async () => {
    const [image, recipient] = [await buildImage(test.gateway), await buildPatient(test.gateway)];
    const key = randomUUID();
    const first = await share(image, recipient).set('Idempotency-Key', key).expect(201);
    const second = await share(image, recipient).set('Idempotency-Key', key).expect(201);
    expect(second.body).toEqual(first.body);

    const other = await buildPatient(test.gateway);
    const answers = await Promise.all(Array.from({ length: 20 }, () => share(image, other)));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect(await events(image, 'share.create')).toBe(2);
  });

  it('a retry that began before its first attempt had ended is answered with its share', async () => {
    const [image, recipient, key] = [await buildImage(test.gateway), await buildPatient(test.gateway), randomUUID()];
    const first = await share(image, recipient).set('Idempotency-Key', key).expect(201);
    // The retry looked for the first attempt twice, before that was committed.
    const looks = vi.spyOn(test.gateway.events, 'earlier').mockResolvedValueOnce(null).mockResolvedValueOnce(null);
    const retry = await share(image, recipient).set('Idempotency-Key', key).expect(201);
    looks.mockRestore();
    expect(retry.body.data).toEqual(first.body.data);
    await share(image, recipient).set('Idempotency-Key', randomUUID()).expect(409);
  });

  it('a repeated key has the answer of before also when the image is gone', async () => {
    const image = await buildImage(test.gateway);
    const recipient = await buildPatient(test.gateway);
    const key = randomUUID();
    const first = await share(image, recipient).set('Idempotency-Key', key).expect(201);
    await api.as(image.owner).del(`/upload/image/${image.id}`, { reason: 'Wrong file' }).expect(200);
    const again = await share(image, recipient).set('Idempotency-Key', key).expect(201);
    expect(again.body).toEqual(first.body);
    await share(image, recipient).set('Idempotency-Key', randomUUID()).expect(404);
  });

  it('an image can be shared again as soon as the first share has ended', async () => {
    const [image, recipient] = [await buildImage(test.gateway), await buildPatient(test.gateway)];
    await share(image, recipient, { expiresInHours: 1 }).expect(201);
    test.clock.forward({ hours: 1, seconds: 1 });
    const owner = { ...image.owner, ...(await renewed(image.owner)) };
    await share({ ...image, owner }, recipient).expect(201);
    expect(await events(image, 'share.expire')).toBe(1);
  });
});

/** After the clock was moved by hours nobody is signed in any more. */
const renewed = (person: Person) => signIn(test.gateway, person._id);

describe('verifying', () => {
  it('a right code opens the image for its recipient alone', async () => {
    const image = await buildImage(test.gateway);
    const [one, other] = [await buildShare(test.gateway, { image }), await buildShare(test.gateway, { image })];
    const { body } = await verify(one.recipient, ` ${one.id.toUpperCase()} `, one.code).expect(200);
    expect(body).toEqual({ data: { imagemetadataId: image.id, isVerified: true } });
    await api.as(one.recipient).get(`/upload/image/${image.id}/content`).expect(200);
    await api.as(other.recipient).get(`/upload/image/${image.id}/content`).expect(403);
    await verify(other.recipient, one.id, one.code).expect(404);
    await verify(other.recipient, String(newId()), one.code).expect(404);
    await verify(other.recipient, other.id, one.code === other.code ? wrong(one.code) : one.code).expect(422);
  });

  it('a repeated right code is 200 with one effect, also fifty times at once', async () => {
    // After four wrong ones the next try is the last; a right code is none.
    const built = await buildShare(test.gateway, { tries: limits.codeTries - 1 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(built.recipient, built.id, built.code)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    await verify(built.recipient, built.id, built.code).expect(200);
    expect(await events(built.image, 'share.verify')).toBe(1);
  });

  it('answers five wrong codes with 422 and then locks, also for the right one', async () => {
    const built = await buildShare(test.gateway);
    for (let left = limits.codeTries - 1; left >= 0; left--) {
      const { body } = await verify(built.recipient, built.id, wrong(built.code)).expect(422);
      expect(body).toMatchObject({ error: 'WRONG_CODE', triesLeft: left });
    }
    for (const code of [wrong(built.code), built.code]) {
      const { body } = await verify(built.recipient, built.id, code).expect(423);
      expect(body.error).toBe('CODE_LOCKED');
    }
    const access = await api.as(built.image.owner).get(`/sharing?imageId=${built.image.id}`).expect(200);
    expect(access.body.data).toMatchObject([{ id: built.id, locked: true, isVerified: false }]);
    expect(await events(built.image, 'share.verify', 'failed')).toBe(7);
    expect(await events(built.image, 'share.lock')).toBe(1);

    await api.as(built.image.owner).post(`/sharing/${built.id}/resend`, {}).expect(200);
    const fresh = await shareCode(test.gateway, built._id);
    if (fresh !== built.code) await verify(built.recipient, built.id, built.code).expect(422);
    await verify(built.recipient, built.id, fresh).expect(200);
  });

  it('a locked share is shown as locked to its recipient, and its owner is notified', async () => {
    const built = await buildShare(test.gateway, { tries: limits.codeTries - 1 });
    const listed = async () => (await api.as(built.recipient).get('/upload/shared-images').expect(200)).body.data[0];
    expect(await listed()).not.toHaveProperty('isLocked');
    await verify(built.recipient, built.id, wrong(built.code)).expect(422);
    expect(await listed()).toMatchObject({ shareId: built.id, isVerified: false, isLocked: true });
    const lock = await test.gateway.models.Event.findOne({ type: 'share.lock', record: built.image._id }).lean();
    expect(lock?.recipients.map(String)).toContain(built.image.owner.id);
    expect(lock?.actor).toEqual(built.recipient._id);
    expect(lock?.owed).toContain('notify');
  });

  it('the recipient can ask for a new code, which unlocks the share; nobody else can', async () => {
    const built = await buildShare(test.gateway, { tries: limits.codeTries });
    const resend = (by: Person) => api.as(by).post(`/sharing/${built.id}/resend`, {});
    await resend(await buildPatient(test.gateway)).expect(404);
    await resend(await buildProvider(test.gateway)).expect(404);
    const answer = await resend(built.recipient).expect(200);
    const fresh = await shareCode(test.gateway, built._id);
    expect(JSON.stringify(answer.body)).not.toContain(fresh);
    const event = await test.gateway.models.Event.findOne({ type: 'share.resend', record: built.image._id }).lean();
    expect(event?.owed).toEqual(['sendMail', 'notify']);
    expect(await payloads['share:resent'](test.gateway, built.recipient, { share: built.id })).toMatchObject({
      sharingRequestId: built.id,
    });
    await verify(built.recipient, built.id, fresh).expect(200);
    await api.as(built.recipient).del(`/sharing/${built.id}`).expect(404);
    const ended = await buildShare(test.gateway, { hours: -1 });
    await api.as(ended.recipient).post(`/sharing/${ended.id}/resend`, {}).expect(410);
  });

  it('a right code of another waiting share costs a try and says to which share it belongs', async () => {
    const recipient = await buildPatient(test.gateway);
    const one = await buildShare(test.gateway, { recipient });
    const belongsTo = async (code: string, triesLeft: number) => {
      const { body } = await verify(recipient, one.id, code).expect(422);
      expect(body).toMatchObject({ error: 'WRONG_CODE', triesLeft });
      return body.belongsTo;
    };
    const waiting = await buildShare(test.gateway, { recipient, tries: limits.codeTries - 1 });
    const locked = await buildShare(test.gateway, { recipient, tries: limits.codeTries });
    const opened = await buildShare(test.gateway, { recipient, verified: true });
    const revoked = await buildShare(test.gateway, { recipient, revoked: true });
    const others = await buildShare(test.gateway);
    expect(await belongsTo(waiting.code, 4)).toBe(waiting.id);
    await test.gateway.models.Share.updateOne({ _id: one._id }, { $set: { tries: 0 } });
    for (const [i, { code }] of [locked, opened, revoked, others].entries()) {
      expect(await belongsTo(code, 4 - i)).toBeUndefined();
    }
    // A locked share answers nothing at all, and the other share keeps its tries.
    await verify(recipient, one.id, wrong(one.code)).expect(422);
    const { body } = await verify(recipient, one.id, waiting.code).expect(423);
    expect(body.belongsTo).toBeUndefined();
    await verify(recipient, waiting.id, waiting.code).expect(200);
  });

  it('no more than five of many concurrent wrong guesses are compared', async () => {
    const built = await buildShare(test.gateway);
    const guesses = Array.from({ length: 30 }, () => verify(built.recipient, built.id, wrong(built.code)));
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    expect(statuses.filter((status) => status === 423)).toHaveLength(25);
    expect(await events(built.image, 'share.lock')).toBe(1);
    await verify(built.recipient, built.id, built.code).expect(423);
  });

  it.each([{ $ne: 1 }, 123456, '12345', '٠١٢٣٤٥'])('the code %j is refused as invalid', async (verificationCode) => {
    const built = await buildShare(test.gateway);
    const body = { sharingRequestId: built.id, verificationCode };
    await api.as(built.recipient).post('/sharing/verify', body).expect(422);
    await api
      .as(built.recipient)
      .post('/sharing/verify', { ...body, sharingRequestId: { $gt: '' } })
      .expect(422);
  });

  it('the code works until 23:59:59 of its share, and at 24:00:01 nothing of the image is accessible', async () => {
    const image = await buildImage(test.gateway);
    const built = await buildShare(test.gateway, { image, hours: 24 });
    await test.clock.still(async () => {
      const end = (await test.gateway.models.Share.findById(built.id).lean<ShareDoc>())?.expiresAt?.getTime() ?? 0;
      test.clock.forward({ seconds: (end - test.clock.now().getTime()) / 1_000 - 1 });
      const recipient = { ...built.recipient, ...(await renewed(built.recipient)) };
      const paths = ['', '/content', '/preview'].map((path) => `/upload/image/${image.id}${path}`);
      const statuses = async () =>
        Promise.all([...paths, `/analyze/${image.id}`].map(async (path) => (await api.as(recipient).get(path)).status));
      const listed = async () => (await api.as(recipient).get('/upload/shared-images').expect(200)).body.data[0];
      const told = () => payloads['image:updated'](test.gateway, recipient, { record: image.id });

      await verify(recipient, built.id, built.code).expect(200);
      expect(await statuses()).toEqual([200, 200, 200, 202]);
      expect(await listed()).toMatchObject({
        id: image.id,
        isVerified: true,
        image_url: expect.stringMatching(/^data:/),
      });
      expect(await told()).toEqual({ imagemetadataId: image.id });

      test.clock.forward({ seconds: 2 });
      const refused = await verify(recipient, built.id, built.code).expect(410);
      expect(refused.body.error).toBe('EXPIRED');
      expect(await statuses()).toEqual([404, 404, 404, 404]);
      expect(await listed()).toBeUndefined();
      expect(await told()).toBeNull();
    });
  });

  it('a code that races with the end of its share does not open an ended one', async () => {
    const built = await buildShare(test.gateway, { hours: 1 / 3600 });
    const guesses = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { status } = await verify(built.recipient, built.id, built.code);
        test.clock.forward({ seconds: 0.3 });
        return status;
      }),
    );
    const share = await test.gateway.models.Share.findById(built.id).lean<ShareDoc>();
    expect(share?.verifiedAt === undefined || share.verifiedAt < (share.expiresAt as Date)).toBe(true);
    expect(new Set([...guesses, 200, 410])).toEqual(new Set([200, 410]));
  });

  it('the code of a permanent share works for thirty days, and an opened one stays open', async () => {
    const patient = await buildPatient(test.gateway);
    const standing = async () => {
      const image = await buildImage(test.gateway, { patient: patient._id });
      return buildShare(test.gateway, { image, recipient: patient, hours: null });
    };
    const [early, late] = [await standing(), await standing()];
    await verify(patient, early.id, early.code).expect(200);
    test.clock.forward({ hours: 24 * limits.standingCodeDays + 1 });
    const later = { ...patient, ...(await renewed(patient)) };
    await verify(later, late.id, late.code).expect(410);
    await api.as(later).get(`/upload/image/${early.image.id}/content`).expect(200);
  });
});

it('each filter of shares finds those of its states, and no other', async () => {
  const { Share } = test.gateway.models;
  const now = test.clock.now();
  const inMs = (ms: number) => new Date(now.getTime() + ms);
  const image = newId();
  const shares: ShareDoc[] = [true, false].flatMap((live) =>
    [undefined, inMs(-1), now, inMs(1)].flatMap((expiresAt) =>
      [undefined, inMs(-9)].flatMap((verifiedAt) =>
        [0, limits.codeTries - 1, limits.codeTries].map((tries, i) => ({
          ...{ _id: newId(), image, sharedBy: newId(), recipient: newId(), createAt: inMs(-10), codeExpiresAt: now },
          ...newCodeSeed(test.gateway.keys.codes),
          ...{ tries, live, ...(live ? {} : { endedAt: inMs(-1) }) },
          ...(expiresAt ? { expiresAt } : {}),
          ...(verifiedAt ? { verifiedAt } : {}),
          ...(i % 2 ? { deidentified: true } : {}),
        })),
      ),
    ),
  );
  await Share.insertMany(shares);
  const state = (share: ShareDoc) => shareState(share, now);
  expect(new Set(shares.map(state))).toEqual(new Set(shareStates));
  const filters: [object, (share: ShareDoc) => boolean][] = [
    [liveShare(now), (share) => isLive(share, now)],
    [pendingShare(now), (share) => state(share) === 'pending'],
    [lockedShare(now), (share) => state(share) === 'locked'],
    [verifiedShare(now), (share) => state(share) === 'verified'],
    [openedOriginal(now), (share) => isLive(share, now) && opensOriginal(share)],
    [openedOriginal(now), (share) => state(share) === 'verified' && !share.deidentified],
    [overdueShare(now), (share) => state(share) === 'expired' && share.live],
  ];
  for (const [filter, matches] of filters) {
    const found = await Share.find({ image, ...filter }, { _id: 1 }).lean();
    expect(found.map(({ _id }) => String(_id)).sort(), JSON.stringify(filter)).toEqual(
      shares
        .filter(matches)
        .map(({ _id }) => String(_id))
        .sort(),
    );
  }
});

it('a share is followed by its recipient, the owner and administrators, and not by a former administrator who made it', async () => {
  const { gateway } = test;
  const [image, recipient, admin] = [await buildImage(gateway), await buildPatient(gateway), await buildAdmin(gateway)];
  const body = { imagemetadataId: image.id, createdfor: recipient.id };
  const { id } = (await api.as(admin).post('/sharing/request', body).expect(201)).body.data;
  const follows = async ({ id: who }: Person, role: Role) =>
    (await followedShare(gateway, { id: who, role }, id)) !== null;
  expect(await follows(admin, 'admin')).toBe(true);
  await api
    .as(await buildAdmin(gateway))
    .put(`/users/role/${admin.id}`, { role: 'healthProvider' })
    .expect(200);
  expect(await follows(admin, 'healthProvider')).toBe(false);
  expect(await follows(recipient, 'patient')).toBe(true);
  expect(await follows(image.owner, 'healthProvider')).toBe(true);
});

describe('access to an image', () => {
  it('the owner and administrators can list who has access', async () => {
    const built = await buildShare(test.gateway, { verified: true });
    await buildShare(test.gateway, { image: built.image, revoked: true });
    await buildShare(test.gateway, { image: built.image, hours: -1 });
    for (const viewer of [built.image.owner, await buildAdmin(test.gateway)]) {
      const { body } = await api.as(viewer).get(`/sharing?imageId=${built.image.id}`).expect(200);
      expect(body.data).toMatchObject([
        {
          id: built.id,
          imagemetadataId: built.image.id,
          recipient: { id: built.recipient.id, role: 'healthProvider' },
          isVerified: true,
          locked: false,
        },
      ]);
    }
    await api.as(built.image.owner).get('/sharing').expect(422);
  });

  it('a revoked share ends at once, with one effect', async () => {
    const built = await buildShare(test.gateway, { verified: true });
    for (let i = 0; i < 2; i++) await api.as(built.image.owner).del(`/sharing/${built.id}`).expect(200);
    await api.as(built.recipient).get(`/upload/image/${built.image.id}`).expect(404);
    await api.as(built.image.owner).post(`/sharing/${built.id}/resend`, {}).expect(410);
    expect(await events(built.image, 'share.revoke')).toBe(1);
    const { body } = await api.as(built.image.owner).get(`/upload/image/${built.image.id}`).expect(200);
    expect(body.data.isShared).toBe(false);
  });

  it('administrators can manage access too', async () => {
    const built = await buildShare(test.gateway);
    const admin = api.as(await buildAdmin(test.gateway));
    await admin.post(`/sharing/${built.id}/resend`, {}).expect(200);
    await admin.del(`/sharing/${built.id}`).expect(200);
  });
});
