import { timelineActions } from '@lightbox/contract/audit/actions.js';
import type { AccessExplanation } from '@lightbox/contract/images/insight.js';
import { limits } from '@lightbox/contract/limits.js';
import { appendAndTell } from '@lightbox/core/audit/append.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
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
import { joinGateway } from '../testing/gateway.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let admin: Person;

beforeEach(async () => {
  admin = await buildAdmin(test.gateway);
});

describe('why a person may see an image', () => {
  const explain = async (user: { id: string }, image: { id: string }): Promise<AccessExplanation> =>
    (await api.as(admin).get(`/users/${user.id}/may?imageId=${image.id}`).expect(200)).body.data;
  const granted = ({ may }: AccessExplanation) => Object.keys(may).filter((name) => may[name as keyof typeof may]);
  const all = ['know', 'see', 'original', 'analyse', 'share', 'delete'];

  it('the answer names the connection, and what the role of a patient forbids', async () => {
    const patient = await buildPatient(test.gateway);
    const share = await buildShare(test.gateway, { verified: true });
    const { image } = share;
    const own = await explain(image.owner, image);
    expect([own.because, granted(own), own.share]).toEqual(['owner', all, null]);
    expect((await explain(await buildAdmin(test.gateway), image)).because).toBe('admin');
    const recipient = await explain(share.recipient, image);
    expect(granted(recipient)).toEqual(['know', 'see', 'original', 'analyse']);
    expect(recipient).toMatchObject({
      because: 'verifiedShare',
      share: { shareId: share.id, state: 'verified', endedAt: null, verifiedAt: expect.any(String) },
    });
    await buildShare(test.gateway, { image, recipient: patient, verified: true });
    const theirs = await explain(patient, image);
    expect(granted(theirs)).toEqual(['know', 'see', 'original']);
    expect(theirs.decisions.analyse).toEqual({ may: false, because: 'role' });
  });

  it.each([
    ['pending', {}, 'liveShare', ['know']],
    ['locked', { tries: limits.codeTries }, 'liveShare', ['know']],
    ['expired', { verified: true, hours: -1 }, 'noGround', []],
    ['revoked', { verified: true, revoked: true }, 'noGround', []],
  ] as const)(
    'the answer states which access a share that is %s still gives',
    async (state, wishes, because, given) => {
      const share = await buildShare(test.gateway, wishes);
      const answer = await explain(share.recipient, share.image);
      expect([answer.share?.state, answer.because, granted(answer)]).toEqual([state, because, given]);
      if (because === 'liveShare') expect(answer.decisions.see).toEqual({ may: false, because: 'notVerified' });
    },
  );

  it('the reason is the account when it cannot sign in, and none when nothing connects them', async () => {
    const image = await buildImage(test.gateway);
    for (const changes of [{ active: false }, { status: 'pending' as const }]) {
      const recipient = await buildProvider(test.gateway, changes);
      await buildShare(test.gateway, { image, recipient, verified: true });
      const answer = await explain(recipient, image);
      expect([answer.because, granted(answer), answer.share?.state]).toEqual(['account', [], 'verified']);
    }
    const stranger = await explain(await buildProvider(test.gateway), image);
    expect([stranger.because, stranger.share]).toEqual(['noGround', null]);
  });

  it('is in the log, for the owner too, and not there for what is not there', async () => {
    const share = await buildShare(test.gateway);
    await explain(share.recipient, share.image);
    const [event] = await test.gateway.models.Event.find({ type: 'access.explain', actor: admin._id }).lean();
    expect(event).toMatchObject({
      record: share.recipient._id,
      records: [share.image._id],
      owners: [share.image.owner._id],
    });
    await api.as(admin).get(`/users/${share.recipient.id}/may?imageId=${newId()}`).expect(404);
    await api.as(admin).get(`/users/${newId()}/may?imageId=${share.image.id}`).expect(404);
    await api.as(admin).get(`/users/${share.recipient.id}/may`).expect(422);
    await api.as(share.image.owner).get(`/users/${share.recipient.id}/may?imageId=${share.image.id}`).expect(403);
  });
});

interface Row {
  actiontype: string;
  status: string;
  reason: string;
  user: { id: string; firstname: string } | null;
}

describe('the timeline of an image', () => {
  async function timeline(viewer: Person, image: BuiltImage, query = '') {
    await appendAndTell(test.gateway);
    const { body } = await api.as(viewer).get(`/upload/image/${image.id}/timeline?${query}`).expect(200);
    return body as { data: Row[]; pagination: { nextCursor: string; prevCursor: string; totalItems: number } };
  }
  const told = ({ data }: { data: Row[] }) => data.map((row) => [row.actiontype, row.status, row.user?.id]);

  it('owner, patient and administrators see who got, tried, opened and downloaded the image', async () => {
    const patient = await buildPatient(test.gateway);
    const image = await buildImage(test.gateway, { patient: patient._id });
    await buildShare(test.gateway, { image, recipient: patient, hours: null });
    const { owner } = image;
    const provider = await buildProvider(test.gateway);
    const wanted = { imagemetadataId: image.id, createdfor: provider.id };
    const given = (await api.as(owner).post('/sharing/request', wanted).expect(201)).body.data;

    const code = await shareCode(test.gateway, oid(given.id));
    const verify = (verificationCode: string) =>
      api.as(provider).post('/sharing/verify', { sharingRequestId: given.id, verificationCode });
    await verify(wrong(code)).expect(422);
    await verify(code).expect(200);
    await api.as(provider).get(`/upload/image/${image.id}/content`).expect(200);
    await api.as(provider).get(`/analyze/${image.id}`).expect(202);
    await api.as(owner).del(`/sharing/${given.id}`).expect(200);
    await api.as(provider).get(`/upload/image/${image.id}/content`).expect(404);
    const expected = [
      ['image.content', 'denied', provider.id],
      ['share.revoke', 'success', owner.id],
      ['analysis.read', 'success', provider.id],
      ['analysis.request', 'success', provider.id],
      ['image.content', 'success', provider.id],
      ['share.verify', 'success', provider.id],
      ['share.verify', 'failed', provider.id],
      ['share.create', 'success', owner.id],
    ];
    for (const viewer of [owner, patient, admin]) expect(told(await timeline(viewer, image))).toEqual(expected);
    // Reading it is in the audit log, and not in itself.
    const reads = await test.gateway.models.Event.countDocuments({ type: 'image.timeline', record: image._id });
    expect(reads).toBe(3);
    expect(timelineActions).not.toContain('image.timeline');
  });

  it('a session that reads again, as after a reconnect or in a second tab, adds no look; another session does', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    const { image, recipient } = share;
    const look = async (viewer: Person) => {
      await api.as(viewer).get(`/upload/image/${image.id}`).expect(200);
      await api.as(viewer).get(`/upload/image/${image.id}/content`).expect(200);
      await api.as(viewer).get(`/analyze/${image.id}`);
    };
    await look(recipient);
    const once = await timeline(image.owner, image);
    expect(told(once).map(([type]) => type)).toEqual([
      'analysis.read',
      'analysis.request',
      'image.content',
      'image.read',
    ]);
    for (let i = 0; i < 3; i++) await look(recipient);
    expect(await timeline(image.owner, image)).toEqual(once);
    const reads = await test.gateway.models.AuditEntry.countDocuments({ type: 'image.content', record: image._id });
    expect(reads, 'every read is in the log').toBe(4);
    await look({ ...recipient, token: (await signIn(test.gateway, recipient._id)).token });
    const again = ['analysis.read', 'image.content', 'image.read'];
    expect(
      told(await timeline(image.owner, image))
        .map(([type]) => type)
        .slice(0, 3),
    ).toEqual(again);
  });

  it('is paged by key in both directions', async () => {
    const image = await buildImage(test.gateway);
    for (let i = 0; i < 5; i++) {
      const wanted = { imagemetadataId: image.id, createdfor: (await buildPatient(test.gateway)).id };
      await api.as(image.owner).post('/sharing/request', wanted).expect(201);
    }
    const first = await timeline(image.owner, image, 'limit=2');
    const second = await timeline(image.owner, image, `limit=2&cursor=${first.pagination.nextCursor}`);
    const back = await timeline(image.owner, image, `limit=2&cursor=${second.pagination.prevCursor}`);
    expect(first.pagination.totalItems).toBe(5);
    expect(back.data).toEqual(first.data);
    expect(new Set([...first.data, ...second.data].map((row) => JSON.stringify(row))).size).toBe(4);
    await api.as(image.owner).get(`/upload/image/${image.id}/timeline?limit=101`).expect(422);
  });

  it('everyone else gets 403 with a share and 404 without, also a patient whose share has ended', async () => {
    const patient = await buildPatient(test.gateway);
    const share = await buildShare(test.gateway, { verified: true });
    const { image } = share;
    const read = (who: Person) => api.as(who).get(`/upload/image/${image.id}/timeline`);
    await read(share.recipient).expect(403);
    await read(await buildProvider(test.gateway)).expect(404);
    await test.gateway.models.Image.updateOne({ _id: image._id }, { patient: patient._id });
    await read(patient).expect(404);
    await buildShare(test.gateway, { image, recipient: patient, hours: null });
    await read(patient).expect(200);
  });

  it('people who may read the timeline get live updates of it on every gateway', async () => {
    const other = await joinGateway(test.config, test.clock);
    const share = await buildShare(test.gateway, { verified: true });
    const { image } = share;
    const people = [image.owner, admin, share.recipient, await buildProvider(test.gateway)];
    const sockets = await Promise.all(people.map((person) => connectSocket(other.url, { token: person.token })));
    const [owner, boss, recipient, stranger] = sockets;
    await api.as(share.recipient).get(`/upload/image/${image.id}/content`).expect(200);
    await appendAndTell(test.gateway);
    for (const socket of [owner, boss]) {
      expect(await socket?.until('image:activity')).toEqual([{ imagemetadataId: image.id }]);
    }
    // Something that came later has reached the others.
    for (const { id } of people.slice(2)) await api.as(admin).post('/message/send', { recipientId: id, content: 'x' });
    for (const socket of [recipient, stranger]) {
      await socket?.until('message:new');
      expect(socket?.seen('image:activity')).toEqual([]);
    }
    for (const { socket } of sockets) socket.close();
    await other.stop();
  });
});
