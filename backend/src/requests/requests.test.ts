import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { decideImage, type ImageFacts, type ImageRule, imageRules } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import {
  type RequestMove,
  type RequestState,
  requestMoves,
  requestStates,
} from '@lightbox/contract/requests/states.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ImageRequestDoc } from '@lightbox/core/models/imageRequest.js';
import type { UploadDoc } from '@lightbox/core/models/upload.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { removeUpload } from '@lightbox/core/uploads/removeUpload.js';
import { mongo } from 'mongoose';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { payloads } from '../realtime/payloads.js';
import { buildAdmin, buildImage, buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { slice } from '../testing/slices.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
afterAll(closeInspectors);

interface Asked {
  id: string;
  url: string;
  /** The address as the calls of a sender take it. */
  link: string;
  asker: Person;
}

async function ask(wish: object = {}, asker?: Person): Promise<Asked> {
  const by = asker ?? (await buildProvider(test.gateway));
  const { body } = await api
    .as(by)
    .post('/requests', { kind: 'folder', ...wish })
    .expect(201);
  const { id, url } = body.data;
  const { pathname, hash } = new URL(url);
  return { id, url, link: pathname.replace('/send/', '') + hash.replace('#', '.'), asker: by };
}

const opened = async ({ link }: Pick<Asked, 'link'>) => (await api.post('/send/open', { link }).expect(200)).body.data;
const tokenOf = async (asked: Asked): Promise<string> => (await opened(asked)).token;

interface Sent {
  status: number;
  error?: string;
  id: string;
}

/** Calls the tus endpoint as a sender. */
async function tus(token: string, method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  const answer = await fetch(`${test.url}/api/upload/tus${path}`, {
    method,
    headers: { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${token}`, ...headers },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, error: text ? JSON.parse(text).error : undefined };
}

const encode = (text: string) => Buffer.from(text).toString('base64');

/** Begins an upload; `id` is empty when it is refused. */
async function begin(token: string, size: number, metadata: Record<string, string> = {}): Promise<Sent> {
  const given = { caption: 'A caption', filename: 'IM1', ...metadata };
  const pairs = Object.entries(given).map(([name, value]) => `${name} ${encode(value)}`);
  const answer = await tus(token, 'POST', '', { 'Upload-Length': String(size), 'Upload-Metadata': pairs.join(',') });
  return { status: answer.status, error: answer.error, id: answer.headers.get('location')?.split('/').at(-1) ?? '' };
}

const continueUpload = (token: string, id: string, bytes: Buffer) =>
  tus(token, 'PATCH', `/${id}`, { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }, bytes);

async function sendFile(token: string, bytes: Buffer, metadata?: Record<string, string>): Promise<Sent> {
  const begun = await begin(token, bytes.length, metadata);
  if (!begun.id) return begun;
  const { status, error } = await continueUpload(token, begun.id, bytes);
  return { status, error, id: begun.id };
}

/** A request to which a sender has sent these files. */
async function receive(sent: Buffer[], wish: object = {}, asker?: Person): Promise<Asked> {
  const asked = await ask(wish, asker);
  const token = await tokenOf(asked);
  for (const bytes of sent) expect(await sendFile(token, bytes)).toMatchObject({ status: 204 });
  await api.as(token).post('/send/finish').expect(200);
  return asked;
}

const shown = async ({ id, asker }: Asked) => (await api.as(asker).get(`/requests/${id}`).expect(200)).body.data;
const held = ({ id }: Pick<Asked, 'id'>) => test.gateway.models.Image.find({ 'held.request': id }).lean<ImageDoc[]>();
const eventsOf = async ({ id }: Pick<Asked, 'id'>) =>
  (
    await test.gateway.models.Event.find({ $or: [{ record: oid(id) }, { records: oid(id) }] })
      .sort({ _id: 1 })
      .lean<EventDoc[]>()
  ).map(({ type, status, actor }) => [type, status, actor ? String(actor) : 'nobody']);
const usageOf = async ({ _id }: Person) => {
  const usage = await test.gateway.models.Usage.findById(_id).lean();
  return { files: usage?.files ?? 0, bytes: usage?.bytes ?? 0 };
};

let studies = 0;
const newStudy = () => `1.2.826.0.1.3680043.9.99.${++studies}`;

describe('asking', () => {
  it('the address is in one answer and stored nowhere; email and note are sealed; the sender learns who asks', async () => {
    const wish = { kind: 'file', email: 'gp@village.test', note: 'The left hand, please.', expiresInHours: 5 };
    const asked = await ask(wish);
    expect(asked.url).toMatch(/\/send\/[0-9a-f]{24}#[\w-]{43}$/);
    const { models } = test.gateway;
    const kept = await models.ImageRequest.findById(asked.id).lean<ImageRequestDoc>();
    const stored = JSON.stringify([kept, await models.Event.find({ record: oid(asked.id) }).lean()]);
    for (const secret of [asked.link.slice(25), wish.email, wish.note]) expect(stored).not.toContain(secret);
    const list = await api.as(asked.asker).get('/requests').expect(200);
    expect(list.body.data).toMatchObject([{ id: asked.id, state: 'waiting', email: wish.email, note: wish.note }]);
    expect(list.text).not.toContain(asked.link.slice(25));
    expect(await opened(asked)).toEqual({
      state: 'waiting',
      expiresAt: kept?.expiresAt.toISOString(),
      asker: { firstname: 'Ada', lastname: expect.stringMatching(/^Test/) },
      note: wish.note,
      kind: 'file',
      files: 0,
      maxFiles: 1,
      maxBytes: limits.uploadBytes,
      token: expect.any(String),
    });
  });

  it.each([
    { kind: 'disc' },
    { expiresInHours: 0 },
    { expiresInHours: 721 },
    { note: 'x'.repeat(501) },
    { email: 'a@b' },
    { patientId: String(newId()) },
  ])('the wish %j is refused', async (wish) => {
    const asker = await buildProvider(test.gateway);
    await api
      .as(asker)
      .post('/requests', { kind: 'file', ...wish })
      .expect(422);
  });

  it('a guessed, cut or foreign address is 404', async () => {
    const [one, two] = [await ask(), await ask()];
    const [id, proof] = one.link.split('.');
    for (const link of [`${id}.${'x'.repeat(43)}`, `${two.id}.${proof}`, `${newId()}.${proof}`]) {
      expect((await api.post('/send/open', { link }).expect(404)).body.error).toBe('NOT_FOUND');
    }
    await api.post('/send/open', { link: one.link.slice(0, -1) }).expect(422);
  });

  it('a person has no more than the allowed number of open requests', async () => {
    const { asker, id } = await ask();
    const some = await test.gateway.models.ImageRequest.findById(id).lean<ImageRequestDoc>();
    const more = Array.from({ length: limits.openRequests - 1 }, () => ({ ...some, _id: newId() }));
    await test.gateway.models.ImageRequest.insertMany(more);
    const refused = await api.as(asker).post('/requests', { kind: 'file' }).expect(409);
    expect(refused.body.error).toBe('TOO_MANY_REQUESTS_OPEN');
    await api.as(asker).del(`/requests/${id}`).expect(200);
    // The place that is free again goes to one of those that ask at once.
    const asking = Array.from({ length: 4 }, () => api.as(asker).post('/requests', { kind: 'file' }));
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409, 409]);
  });

  it('requests are for the person who asked alone, also live', async () => {
    const asked = await ask();
    for (const [person, status] of [
      [await buildProvider(test.gateway), 404],
      [await buildAdmin(test.gateway), 404],
      [await buildPatient(test.gateway), 403],
    ] as const) {
      for (const [method, path, body] of [
        ['get', ''],
        ['post', '/take', {}],
        ['post', '/decline'],
        ['delete', ''],
      ] as const) {
        const answer = await api.as(person).call(method, `/requests/${asked.id}${path}`, body);
        expect(answer.status, `${person.role} ${method} ${path}`).toBe(status);
      }
      expect(await payloads['request:received'](test.gateway, person, { record: asked.id })).toBeNull();
    }
    const told = await payloads['request:received'](test.gateway, asked.asker, { record: asked.id });
    expect(told).toEqual({ requestId: asked.id });
  });
});

describe('the states of a request', () => {
  const inState = async (state: RequestState | 'expired' | 'deactivated' | 'demoted'): Promise<[Asked, string]> => {
    const asked = await ask();
    const token = await tokenOf(asked);
    const { ImageRequest, User } = test.gateway.models;
    const past = new Date(test.clock.now().getTime() - 1);
    if (state === 'demoted') await User.updateOne({ _id: asked.asker._id }, { role: 'patient' });
    else if (state === 'deactivated') await User.updateOne({ _id: asked.asker._id }, { active: false });
    else if (state === 'expired') await ImageRequest.updateOne({ _id: asked.id }, { expiresAt: past });
    else await ImageRequest.updateOne({ _id: asked.id }, { state });
    return [asked, token];
  };

  it.each([...requestStates, 'expired', 'deactivated', 'demoted'] as const)(
    'only a waiting request takes files, and says so: %s',
    async (state) => {
      const [asked, token] = await inState(state);
      const said = await opened(asked);
      expect(said.state).toBe(
        { expired: 'ended', deactivated: 'revoked', demoted: 'revoked' }[state as string] ?? state,
      );
      const waits = state === 'waiting';
      expect(Object.keys(said).length > 2).toBe(waits);
      expect((await begin(token, 9)).status).toBe(waits ? 201 : 401);
      await api
        .as(token)
        .get(`/send/known?sha256=${'0'.repeat(64)}`)
        .expect(waits ? 200 : 401);
      await api
        .as(token)
        .del('/send/files')
        .expect(waits ? 200 : 401);
      // Nothing was sent yet.
      await api
        .as(token)
        .post('/send/finish')
        .expect(waits ? 409 : 401);
    },
  );

  const byCall: Partial<Record<RequestMove, [method: string, path: string]>> = {
    take: ['post', '/take'],
    decline: ['post', '/decline'],
    revoke: ['delete', ''],
  };

  it.each(requestStates)('from %s only the moves of the contract are possible', async (state) => {
    for (const move of Object.keys(requestMoves) as RequestMove[]) {
      const [{ id, asker }] = await inState(state);
      const { from, to } = requestMoves[move];
      const may = (from as readonly string[]).includes(state);
      const call = byCall[move];
      if (call) {
        const answer = await api.as(asker).call(call[0], `/requests/${id}${call[1]}`, {});
        expect(answer.status, move).toBe(may ? 200 : 409);
      } else {
        const moved = test.gateway.events.change({ ip: '' }, async (tx) => {
          await moveRequest(test.gateway, tx, oid(id), move);
          return oid(id);
        });
        expect(await moved.then(() => 200).catch(({ code }) => code), move).toBe(may ? 200 : 'CONFLICT');
      }
      const kept = await test.gateway.models.ImageRequest.findById(id).lean<ImageRequestDoc>();
      expect(kept?.state, move).toBe(may ? to : state);
    }
  });

  it('with the account its requests end, and what they hold is removed', async () => {
    const asked = await receive([files.png]);
    const waiting = await ask({}, asked.asker);
    // The answer waits five seconds by the clock for the rest, which maintenance would do later.
    const admin = await buildAdmin(test.gateway);
    await test.clock.still(async () => api.as(admin).del(`/users/${asked.asker.id}`).expect(200));
    for (const one of [asked, waiting]) expect((await opened(one)).state).toBe('revoked');
    expect(await held(asked)).toEqual([]);
  });
});

describe('sending', () => {
  it('a folder becomes a study for each examination and one of pictures; the log names nobody as the sender', async () => {
    const study = newStudy();
    const asked = await receive([slice({ study, instance: 1 }), slice({ study, instance: 2 }), files.png, files.pdf]);
    const { state, files: count, images } = await shown(asked);
    expect([state, count]).toEqual(['received', 4]);
    expect(images.map(({ study }: { study: { kind: string; imageCount: number } }) => study)).toMatchObject([
      { kind: 'dicom', imageCount: 2 },
      { kind: 'pictures', imageCount: 2, title: 'Received pictures' },
    ]);
    const log = await eventsOf(asked);
    expect(log.map(([type]) => type)).toEqual([
      'request.created',
      ...Array(4).fill('request.file'),
      'request.received',
      'request.read',
    ]);
    expect(
      log.filter(([type]) => type === 'request.file' || type === 'request.received').map(([, , who]) => who),
    ).toEqual(Array(5).fill('nobody'));
  });

  it('a script in a file name or a caption stays a text, and a sender names no patient and no study', async () => {
    const asked = await ask();
    const token = await tokenOf(asked);
    const script = '<img src=x onerror=alert(1)>';
    expect(await sendFile(token, files.png, { caption: script, filename: `../../${script}.png` })).toMatchObject({
      status: 204,
    });
    for (const field of ['patientId', 'studyId', 'mismatchReason']) {
      const id = String((await buildPatient(test.gateway))._id);
      expect(await begin(token, 9, { [field]: id }), field).toMatchObject({ status: 422 });
    }
    await api.as(token).post('/send/finish').expect(200);
    expect((await shown(asked)).images[0].caption).toBe(script);
  });

  it.each([
    ['of an unknown type', Buffer.from('<script>alert(1)</script>'), 415, 'UNSUPPORTED_TYPE'],
    ['that is damaged', files.png.subarray(0, 40), 422, 'UNREADABLE_FILE'],
  ] as const)(
    'a file %s is refused as in every upload, and nothing of it stays',
    async (_what, bytes, status, error) => {
      const asked = await ask();
      expect(await sendFile(await tokenOf(asked), bytes)).toMatchObject({ status, error });
      expect(await held(asked)).toEqual([]);
      expect(await usageOf(asked.asker)).toEqual({ files: 0, bytes: 0 });
      expect(await test.gateway.models.ImageRequest.findById(asked.id).lean()).toMatchObject({ files: 0, bytes: 0 });
    },
  );

  it('a request for one file takes one, and gives the place of one that was given up', async () => {
    const asked = await ask({ kind: 'file' });
    const token = await tokenOf(asked);
    const { id } = await begin(token, files.png.length);
    expect(await begin(token, 9)).toMatchObject({ status: 409, error: 'QUOTA_REACHED' });
    await tus(token, 'DELETE', `/${id}`, {});
    expect(await sendFile(token, files.png)).toMatchObject({ status: 204 });
    expect(await sendFile(token, files.jpeg)).toMatchObject({ error: 'QUOTA_REACHED' });
    // The sender begins again with another file.
    await api.as(token).del('/send/files').expect(200);
    expect(await sendFile(token, files.jpeg)).toMatchObject({ status: 204 });
    expect((await held(asked)).map(({ contentType }) => contentType)).toEqual(['image/jpeg']);
  });

  it('an upload that could not begin leaves its place to the next try', async () => {
    const asked = await ask({ kind: 'file' });
    const token = await tokenOf(asked);
    const spy = vi
      .spyOn(test.gateway.models.Upload, 'create')
      .mockRejectedValueOnce(new mongo.MongoNetworkError('connection closed') as never);
    expect((await begin(token, files.png.length)).status).toBe(503);
    spy.mockRestore();
    expect((await begin(token, files.png.length)).status).toBe(201);
  });

  it('an upload whose removal fails in the middle keeps its place, and gives it back at the next try', async () => {
    const asked = await ask({ kind: 'file' });
    const token = await tokenOf(asked);
    const { id } = await begin(token, files.png.length);
    const { models } = test.gateway;
    const spy = vi.spyOn(models.ImageRequest, 'updateOne').mockImplementationOnce((() => {
      throw new mongo.MongoNetworkError('connection closed');
    }) as never);
    expect((await tus(token, 'DELETE', `/${id}`, {})).status).toBe(503);
    spy.mockRestore();
    expect(await models.Upload.countDocuments({ _id: id })).toBe(1);
    expect((await tus(token, 'DELETE', `/${id}`, {})).status).toBe(204);
    expect(await models.ImageRequest.findById(asked.id).lean()).toMatchObject({ files: 0, bytes: 0 });
    expect((await begin(token, files.png.length)).status).toBe(201);
  });

  it('a sender who begins again several times at once gets the place of a file back once', async () => {
    const asked = await ask({ kind: 'file' });
    const token = await tokenOf(asked);
    await sendFile(token, files.png);
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.as(token).del('/send/files')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await test.gateway.models.ImageRequest.findById(asked.id).lean()).toMatchObject({ files: 0, bytes: 0 });
    expect(await sendFile(token, files.png)).toMatchObject({ status: 204 });
    expect(await sendFile(token, files.jpeg)).toMatchObject({ error: 'QUOTA_REACHED' });
  });

  it('a file that arrives while the sender begins again stays and keeps its place, and further files come', async () => {
    const asked = await ask();
    const token = await tokenOf(asked);
    const study = newStudy();
    for (const bytes of [files.png, slice({ study, instance: 1 })]) await sendFile(token, bytes);
    const later: string[] = [];
    const { events } = test.gateway;
    const change = events.change.bind(events);
    // A second tab sends files when the files to remove were chosen already.
    const choosing = vi.spyOn(events, 'change').mockImplementationOnce(async (...chosen) => {
      const record = await change(...chosen);
      for (const bytes of [files.jpeg, slice({ study, instance: 2 })]) {
        const { status, id } = await sendFile(token, bytes);
        expect(status).toBe(204);
        later.push(id);
      }
      return record;
    });
    await api.as(token).del('/send/files').expect(200);
    choosing.mockRestore();
    expect((await held(asked)).map(({ _id }) => String(_id)).sort()).toEqual(later.sort());
    expect(await sendFile(token, files.png)).toMatchObject({ status: 204 });
    const bytes = (await held(asked)).reduce((sum, { size }) => sum + size, 0);
    expect(await test.gateway.models.ImageRequest.findById(asked.id).lean()).toMatchObject({ files: 3, bytes });
    expect(await usageOf(asked.asker)).toEqual({ files: 3, bytes });
  });

  it.each(['finished', 'taken'])('a sender who begins again removes no file once the request is %s', async (end) => {
    const asked = await ask();
    const token = await tokenOf(asked);
    const { id } = await sendFile(token, files.png);
    const patient = await buildPatient(test.gateway);
    const take = () => api.as(asked.asker).post(`/requests/${asked.id}/take`, { patientId: patient.id }).expect(200);
    const { events, models } = test.gateway;
    const change = events.change.bind(events);
    // A second tab finishes, and the asker takes, when the files to remove were chosen already.
    const choosing = vi.spyOn(events, 'change').mockImplementationOnce(async (...chosen) => {
      const record = await change(...chosen);
      await api.as(token).post('/send/finish').expect(200);
      if (end === 'taken') await take();
      return record;
    });
    await api.as(token).del('/send/files').expect(401);
    choosing.mockRestore();
    if (end === 'finished') await take();
    expect(await models.Image.findById(id).lean<ImageDoc>()).toMatchObject({ patient: patient._id });
    expect((await shown(asked)).files).toBe(1);
  });

  it('files under way count, for the request and for the quota, until they are removed', async () => {
    const asked = await ask();
    const token = await tokenOf(asked);
    const { ImageRequest, Upload } = test.gateway.models;
    const room = (left: object) => ImageRequest.updateOne({ _id: asked.id }, { $set: left });
    await room({ files: limits.requestFiles - 1 });
    const both = await Promise.all([begin(token, 9), begin(token, 9)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    await room({ files: 1, bytes: limits.requestBytes - 9 });
    expect(await begin(token, 10)).toMatchObject({ error: 'QUOTA_REACHED' });
    expect(await usageOf(asked.asker)).toEqual({ files: 1, bytes: 9 });
    await api.as(asked.asker).del(`/requests/${asked.id}`).expect(200);
    expect(await Upload.countDocuments({ request: oid(asked.id) })).toBe(0);
    expect(await usageOf(asked.asker)).toEqual({ files: 0, bytes: 0 });
  });

  it.each([
    ['is deactivated', { active: false }],
    ['gets another role', { role: 'patient' }],
  ])(
    'a file whose last bytes arrive when the account of the asker %s is 401 and leaves no image',
    async (_, change) => {
      const asked = await ask();
      const token = await tokenOf(asked);
      const { id } = await begin(token, files.png.length);
      const upload = request(`${test.url}/api/upload/tus/${id}`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${token}`,
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          'content-length': files.png.length,
        },
      });
      const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
      upload.write(files.png.subarray(0, -4));
      const { Upload, User } = test.gateway.models;
      await expect.poll(() => Upload.exists({ _id: id, 'lock.until': { $exists: true } })).not.toBeNull();
      await User.updateOne({ _id: asked.asker._id }, change);
      upload.end(files.png.subarray(-4));
      const [answer] = await answered;
      answer.resume();
      expect(answer.statusCode).toBe(401);
      expect(await held(asked)).toEqual([]);
    },
  );

  it('an upload of a sender is out of reach for others, for the person who asked and for other requests', async () => {
    const asked = await ask();
    const { id } = await begin(await tokenOf(asked), files.png.length);
    const strangers = [
      asked.asker.token,
      await tokenOf(await ask({}, asked.asker)),
      (await buildAdmin(test.gateway)).token,
    ];
    for (const token of strangers) {
      expect((await tus(token, 'HEAD', `/${id}`, {})).status).toBe(404);
      expect((await continueUpload(token, id, files.png)).status).toBe(404);
    }
    const upload = (await test.gateway.models.Upload.findById(id).lean<UploadDoc>()) as UploadDoc;
    await removeUpload(test.gateway, upload);
    expect(await test.gateway.models.ImageRequest.findById(asked.id).lean()).toMatchObject({ files: 0, bytes: 0 });
  });

  it('the token of a sender opens nothing else', async () => {
    const token = await tokenOf(await ask());
    const image = await buildImage(test.gateway);
    for (const path of [
      '/users/profile',
      '/requests',
      '/upload/my-images',
      `/upload/image/${image.id}/frames`,
      '/guest/view',
    ]) {
      await api.as(token).get(path).expect(401);
    }
    await api.as(token).post('/upload/image').expect(401);
  });

  it('an upload that is removed after the end of the sending is not among the files that have arrived', async () => {
    const asked = await ask();
    const token = await tokenOf(asked);
    await sendFile(token, files.png);
    const { id } = await begin(token, files.jpeg.length);
    await api.as(token).post('/send/finish').expect(200);
    const counted = async () => {
      const { files: count, bytes } = await shown(asked);
      return { count, bytes };
    };
    const arrived = { count: 1, bytes: files.png.length };
    expect(await counted()).toEqual(arrived);
    const upload = (await test.gateway.models.Upload.findById(id).lean<UploadDoc>()) as UploadDoc;
    await removeUpload(test.gateway, upload);
    expect(await counted()).toEqual(arrived);
  });

  it('two tabs finish once, and files that come at the same moment are all there or refused', async () => {
    const asked = await ask();
    const [one, two] = [await tokenOf(asked), await tokenOf(asked)];
    await sendFile(one, files.png);
    const [late, ...ends] = await Promise.all([
      sendFile(two, files.jpeg),
      api.as(one).post('/send/finish'),
      api.as(two).post('/send/finish'),
    ]);
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await shown(asked)).files).toBe((await held(asked)).length);
    expect((await held(asked)).length).toBe(late.status === 204 ? 2 : 1);
    expect(await sendFile(two, files.png)).toMatchObject({ status: 401 });
    expect((await opened(asked)).state).toBe('received');
  });

  it('a sender learns whether a file of this request has arrived, and nothing of the images of the asker', async () => {
    const asked = await ask();
    const token = await tokenOf(asked);
    await api.as(asked.asker).upload(files.jpeg).expect(201);
    await sendFile(token, files.png);
    const [{ sha256 } = {}] = await held(asked);
    const own = await test.gateway.models.Image.findOne({ owner: asked.asker._id, held: { $exists: false } }).lean();
    const known = async (hash = '') =>
      (await api.as(token).get(`/send/known?sha256=${hash}`).expect(200)).body.data.known;
    expect(await known(sha256)).toBe(true);
    expect(await known(own?.sha256)).toBe(false);
    const ofAsker = await api.as(asked.asker).get(`/upload/known?sha256=${sha256}`).expect(200);
    expect(ofAsker.body.data.imageId).toBeNull();
  });
});

describe('held images', () => {
  const cells: [ImageRule, keyof typeof calls, (id: string) => [path: string, body?: object]][] = [
    ['see', 'getImage', (id) => [`/upload/image/${id}`]],
    ['download', 'getImageContent', (id) => [`/upload/image/${id}/content`]],
    ['open', 'getImagePreview', (id) => [`/upload/image/${id}/preview`]],
    ['share', 'createShare', (id) => [calls.createShare.path, { imagemetadataId: id, createdfor: String(newId()) }]],
    ['share', 'createGuestLink', (id) => ['/sharing/guest', { imagemetadataId: id }]],
    ['timeline', 'getTimeline', (id) => [`/upload/image/${id}/timeline`]],
    ['analyse', 'startAnalysis', (id) => [`/analyze/${id}`, {}]],
    ['delete', 'deleteImage', (id) => [`/upload/image/${id}`, { reason: 'Attempt.' }]],
  ];

  it('only the asker and administrators look at them, and nobody does anything else with them', async () => {
    const asked = await receive([files.png], { kind: 'file' });
    const [image] = await held(asked);
    const id = String(image?._id);
    const facts: ImageFacts = { ownerId: asked.asker.id, patientId: null, share: null, held: true };
    const people = [
      asked.asker,
      await buildAdmin(test.gateway),
      await buildProvider(test.gateway),
      await buildPatient(test.gateway),
    ];
    for (const person of people) {
      for (const [rule, name, request] of cells) {
        const shape = calls[name] as CallShape;
        const [path, body] = request(id);
        const { status, body: said } = await api.as(person).call(shape.method, path, body);
        const sees = imageRules.see(person, facts);
        const decision = decideImage(rule, person, facts);
        const wanted = !roleMay(person.role, shape.who as Permission) ? 403 : !sees ? 404 : decision.may ? 200 : 403;
        // No worker draws previews here.
        const got = said.error === 'PREVIEW_PENDING' ? 200 : status;
        expect(got, `${person.role} ${name}`).toBe(wanted);
      }
    }
    expect(await held(asked)).toHaveLength(1);
  });

  it('they are in no list until they are taken, and then in the lists of the asker', async () => {
    const study = newStudy();
    const asker = await buildProvider(test.gateway);
    const admin = await buildAdmin(test.gateway);
    const own = await api
      .as(asker)
      .upload(slice({ study, instance: 9 }))
      .expect(201);
    const asked = await receive([slice({ study, instance: 1 }), files.png], {}, asker);
    const ids = (await held(asked)).map(({ _id }) => String(_id));
    const listed = async (grouped: boolean) => {
      const paths = ['/upload/my-images', '/upload/shared-images'].map((path) =>
        api.as(asker).get(`${path}?limit=100&grouped=${grouped}`),
      );
      const answers = await Promise.all([...paths, api.as(admin).get(`/upload/images?limit=100&grouped=${grouped}`)]);
      const found = answers.flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id));
      return found.filter((id) => ids.includes(id)).length;
    };
    expect([await listed(false), await listed(true)]).toEqual([0, 0]);
    // They joined no study that the asker has.
    const studyOf = (id: string) => test.gateway.models.Image.findById(id).lean<ImageDoc>();
    const mine = (await studyOf(own.body.data.id))?.study;
    expect((await Promise.all(ids.map(studyOf))).some((one) => one?.study?.equals(mine ?? ''))).toBe(false);
    expect(await usageOf(asker)).toMatchObject({ files: 3 });
    const taken = await api.as(asker).post(`/requests/${asked.id}/take`, {}).expect(200);
    expect(taken.body.data.images).toBe(2);
    // Those of the asker and the administrator.
    expect([await listed(false), await listed(true)]).toEqual([4, 4]);
    expect(await held(asked)).toEqual([]);
    await api.as(asker).get(`/upload/image/${ids[0]}/content`).expect(200);
    expect(await usageOf(asker)).toMatchObject({ files: 3 });
  });

  it('the asker cannot add to a held study', async () => {
    const asked = await receive([files.png]);
    const [image] = await held(asked);
    const fields = { caption: 'Mine', studyId: String(image?.study) };
    expect((await api.as(asked.asker).upload(files.jpeg, fields).expect(422)).body.errors).toMatchObject([
      { field: 'studyId' },
    ]);
  });
});

describe('taking and declining', () => {
  it('a patient whom the files contradict needs a reason; then patient and share are as with an upload', async () => {
    const patient = await buildPatient(test.gateway);
    const asked = await receive([slice({ study: newStudy(), patientName: 'Roe^John' }), files.png]);
    const take = (body: object) => api.as(asked.asker).post(`/requests/${asked.id}/take`, body);
    const stored = JSON.stringify(await held(asked));
    expect(stored).not.toContain('Roe');
    const refused = await take({ patientId: patient.id }).expect(409);
    expect(refused.body).toMatchObject({ error: 'PATIENT_MISMATCH', errors: [{ field: 'patientName' }] });
    expect(refused.text).not.toContain('Roe');
    await take({ patientId: asked.asker.id }).expect(422);
    expect((await shown(asked)).state).toBe('received');
    await take({ patientId: patient.id, mismatchReason: 'Maiden name.' }).expect(200);
    const { Image, Share, Event } = test.gateway.models;
    expect(await Image.countDocuments({ owner: asked.asker._id, patient: patient._id })).toBe(2);
    expect(await Share.countDocuments({ recipient: patient._id, sharedBy: asked.asker._id, live: true })).toBe(2);
    const event = await Event.findOne({ type: 'request.taken', record: oid(asked.id) }).lean<EventDoc>();
    expect(event?.reason).toBe('Maiden name.');
    await take({}).expect(409);
  });

  it('a request that still waits is not taken, so no file joins a patient whom it contradicts', async () => {
    const patient = await buildPatient(test.gateway);
    const asked = await ask();
    const token = await tokenOf(asked);
    await sendFile(token, files.png);
    // The sender sends the last file and finishes when the asker has compared the files that were there.
    const finishing = vi.spyOn(test.gateway.events, 'change').mockImplementationOnce(async (...change) => {
      const last = slice({ study: newStudy(), patientName: 'Roe^John' });
      expect(await sendFile(token, last)).toMatchObject({ status: 204 });
      await api.as(token).post('/send/finish').expect(200);
      return test.gateway.events.change(...change);
    });
    const take = () => api.as(asked.asker).post(`/requests/${asked.id}/take`, { patientId: patient.id });
    expect((await take().expect(409)).body.error).toBe('CONFLICT');
    finishing.mockRestore();
    expect(await held(asked)).toHaveLength(1);
    await sendFile(token, slice({ study: newStudy(), patientName: 'Roe^John' }));
    await api.as(token).post('/send/finish').expect(200);
    expect((await take().expect(409)).body.error).toBe('PATIENT_MISMATCH');
  });

  it('declined images are removed with their bytes and their space', async () => {
    const asked = await receive([slice({ study: newStudy() }), files.png]);
    const blobs = (await held(asked)).map(({ blob }) => blob);
    await api.as(asked.asker).post(`/requests/${asked.id}/decline`).expect(200);
    const { Image, Study, Tombstone, ImageRequest } = test.gateway.models;
    expect(await Image.countDocuments({ owner: asked.asker._id })).toBe(0);
    expect(await Study.countDocuments({ owner: asked.asker._id })).toBe(0);
    // Workers remove the bytes of the blobs that are listed.
    expect(await Tombstone.countDocuments({ _id: { $in: blobs } })).toBe(2);
    expect(await usageOf(asked.asker)).toEqual({ files: 0, bytes: 0 });
    expect(await ImageRequest.findById(asked.id).lean()).not.toHaveProperty('leftovers');
    expect((await shown(asked)).images).toEqual([]);
  });
});
