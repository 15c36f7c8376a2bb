import { request } from 'node:http';
import { tokenPrefix } from '@lightbox/contract/auth/personalTokens.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { newId } from '@lightbox/core/db/ids.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, jsonOf, partsIn, type StoredStudy, uidOf } from '../testing/dicomWeb.js';
import {
  type BuiltShare,
  buildAdmin,
  buildCarer,
  buildEmergency,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  signIn,
} from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const page = 'https://ohif.clinic.test';
const { test, api } = useGateway({ dicomWebOrigins: [page] });
const { tokenOf, ask, store, storeFiles, withStudy } = dicomWebOf({ test, api });

beforeAll(async () => {
  const value = `${page}/viewer?StudyInstanceUIDs={study}#token={token}`;
  await api
    .as(await buildAdmin(test.gateway))
    .post('/appsetting/add', { name: 'viewer.url', value })
    .expect(201);
});
afterAll(closeInspectors);

async function leadOf({ owner }: Pick<StoredStudy, 'owner'>) {
  const image = await test.gateway.models.Image.findOne({ owner: owner._id, isLead: true }).lean();
  if (!image?.study) throw new Error('The study has no first image.');
  return { _id: image._id, id: String(image._id), study: image.study, owner };
}

/** A share of the whole study, or of its first image alone. */
async function shareOf(study: StoredStudy, wishes: object = {}, ofImage = false): Promise<BuiltShare> {
  const { study: whole, ...image } = await leadOf(study);
  const recipient = await buildProvider(test.gateway);
  const of = ofImage ? image : { ...image, study: whole };
  return buildShare(test.gateway, { image: of, recipient, verified: true, ...wishes });
}

const makeAs = async (person: Person, study: StoredStudy) =>
  api.as(person).post('/sharing/viewer', { studyId: String((await leadOf(study)).study) });

interface Made {
  id: string;
  token: string;
  url: string;
  expiresAt: string;
}

async function make(person: Person, study: StoredStudy, imageId?: string): Promise<Made> {
  const answer = imageId ? await api.as(person).post('/sharing/viewer', { imageId }) : await makeAs(person, study);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const [, token = ''] = answer.body.data.url.split('#token=');
  return { ...answer.body.data, token };
}

const eventsOf = (person: Person) => test.gateway.models.Event.find({ actor: person._id }).sort({ _id: 1 }).lean();
const statusOf = async (token: string, path: string) => (await ask(token, path)).status;

describe('a token for another viewer', () => {
  it('opens exactly the study of its share, and the log names it', async () => {
    const shared = await withStudy(2);
    const { recipient, _id: share } = await shareOf(shared);
    // A study of their own, which a token of all their rights would open too.
    const own = (await tokenOf(recipient)).token;
    expect((await storeFiles(own, [phantom({ study: '8001' })])).status).toBe(200);
    expect(await jsonOf(await ask(own, '/studies'))).toHaveLength(2);

    const { id, token, url, expiresAt } = await make(recipient, shared);
    expect(url).toBe(`${page}/viewer?StudyInstanceUIDs=${uidOf(shared.study)}#token=${token}`);
    expect(token.startsWith(tokenPrefix)).toBe(true);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + limits.viewerTokenMinutes * 60_000);

    for (const level of ['studies', 'series', 'instances']) {
      const rows = await jsonOf(await ask(token, `/${level}`));
      expect(rows.map((row: Record<string, { Value: string[] }>) => row['0020000D']?.Value[0])).toEqual(
        Array(level === 'instances' ? 2 : 1).fill(uidOf(shared.study)),
      );
    }
    const [row] = await jsonOf(await ask(token, '/studies'));
    expect(row['00201208'].Value).toEqual([2]);
    expect(await statusOf(token, `/studies?StudyInstanceUID=${uidOf('8001')}`)).toBe(204);
    expect(await partsIn(await ask(token, shared.path))).toHaveLength(2);
    for (const path of ['', '/metadata', '/frames/1']) {
      expect(await statusOf(token, `${shared.instance}${path}`), path).toBe(200);
      const other = shared.instance.replaceAll(uidOf(shared.study), uidOf('8001'));
      expect(await statusOf(token, `${other}${path}`), path).toBe(404);
      expect(await statusOf(own, `${other}${path}`), path).toBe(200);
    }

    const log = (await eventsOf(recipient)).filter(({ token: by }) => by?.equals(id));
    expect(new Set(log.map(({ type }) => type))).toEqual(
      new Set(['image.list', 'study.content', 'image.content', 'image.tags', 'image.view']),
    );
    const made = await test.gateway.models.Event.findOne({ type: 'token.viewer', actor: recipient._id }).lean();
    const { study } = await leadOf(shared);
    expect(made).toMatchObject({ record: study, owners: [shared.owner._id], status: 'success' });
    expect(made?.records?.map(String)).toEqual([id, String(share)]);
    expect(JSON.stringify(made)).not.toContain(token);
    // The count of frames, which maintenance writes into the log later.
    const look = await test.gateway.models.Look.findOne({ user: recipient._id, type: 'image.view' }).lean();
    expect(String(look?.token)).toBe(id);
  });

  it('opens one image of a study, when that is what was shared', async () => {
    const study = await withStudy(2);
    const { recipient, image } = await shareOf(study, {}, true);
    const { token } = await make(recipient, study, image.id);
    const [row] = await jsonOf(await ask(token, '/studies'));
    expect(row['00201208'].Value).toEqual([1]);
    expect(await partsIn(await ask(token, study.path))).toHaveLength(1);
    // The whole study is not theirs to open.
    expect((await makeAs(recipient, study)).status).toBe(404);
    // The owner may take one of two images elsewhere.
    const one = await make(study.owner, study, image.id);
    expect(await partsIn(await ask(one.token, study.path))).toHaveLength(1);
    expect(await partsIn(await ask((await make(study.owner, study)).token, study.path))).toHaveLength(2);
  });

  it('is for reading by DICOMweb alone, and in the header alone', async () => {
    const study = await withStudy(1);
    const { token } = await make(study.owner, study);
    expect((await storeFiles(token, study.files)).status).toBe(401);
    expect((await store(token, study.files, study.path)).status).toBe(401);
    const bare = await fetch(`${test.url}/dicom-web${study.path}?token=${token}`);
    expect(bare.status).toBe(401);
    for (const [name, shape] of Object.entries(calls) as [string, CallShape][]) {
      if (['anyone', 'verification', 'refreshCookie', 'guest', 'sender'].includes(shape.who)) continue;
      if (shape.method === 'get' && shape.path.startsWith('/dicom-web/')) continue;
      const path = shape.path.replace(/:\w+/g, String(newId()));
      const answer = await api
        .as(token)
        .call(shape.method, path, ['post', 'put', 'delete'].includes(shape.method) ? {} : undefined);
      expect(answer.status, name).toBe(401);
    }
  });

  it('is listed beside the personal tokens without taking their places, and its end works at once', async () => {
    const study = await withStudy(1);
    const { id, token } = await make(study.owner, study);
    expect(await statusOf(token, study.path)).toBe(200);
    const list = (await api.as(study.owner).get('/auth/tokens').expect(200)).body.data;
    expect(list.find((one: { id: string }) => one.id === id)).toMatchObject({
      name: 'ohif.clinic.test',
      scopes: ['viewer'],
    });
    for (let made = 1; made < limits.tokens; made++) await tokenOf(study.owner);
    await api
      .as(study.owner)
      .post('/auth/tokens', { name: 'x', scopes: ['read'], days: 1 })
      .expect(409);
    await api
      .as(await buildProvider(test.gateway))
      .del(`/auth/tokens/${id}`)
      .expect(404);
    await api.as(study.owner).del(`/auth/tokens/${id}`).expect(200);
    expect(await statusOf(token, study.path)).toBe(401);
  });

  const ends: [string, (share: BuiltShare) => Promise<unknown>][] = [
    ['its owner ends the share', ({ id, image }) => api.as(image.owner).del(`/sharing/${id}`).expect(200)],
    [
      'the share has ended by its time',
      ({ _id }) => test.gateway.models.Share.updateOne({ _id }, { $set: { expiresAt: new Date(Date.now() - 1) } }),
    ],
    [
      'its person leaves',
      ({ recipient }) => test.gateway.models.User.updateOne({ _id: recipient._id }, { $set: { active: false } }),
    ],
    ['its person signs out', ({ recipient }) => api.as(recipient).post('/auth/logout', {}).expect(200)],
    [
      'its person ends that session on another device',
      async ({ recipient }) => {
        const made = await test.gateway.models.Session.findOne({ user: recipient._id, token: { $exists: false } });
        const { token } = await signIn(test.gateway, recipient._id);
        await api.as(token).del(`/auth/sessions/${made?._id}`).expect(200);
      },
    ],
    ['the file is deleted', ({ image }) => api.as(image.owner).del(`/studies/${image.study}`, {}).expect(200)],
  ];
  it.each(ends)('is dead within a second when %s', async (_, end) => {
    const study = await withStudy(1);
    const share = await shareOf(study);
    const { token } = await make(share.recipient, study);
    expect(await statusOf(token, study.path)).toBe(200);
    await end(share);
    await expect.poll(() => statusOf(token, study.path), { timeout: 1_000, interval: 50 }).not.toBe(200);
    expect([401, 404]).toContain(await statusOf(token, '/studies').then((status) => (status === 204 ? 404 : status)));
  });

  it('never lasts longer than its share, also when the share becomes shorter', async () => {
    const study = await withStudy(1);
    const share = await shareOf(study, { hours: 0.5 });
    const { _id, image, recipient } = share;
    const made = await make(recipient, study);
    const { expiresAt } = (await test.gateway.models.Share.findById(_id).lean()) ?? {};
    expect(made.expiresAt).toBe(expiresAt?.toISOString());
    const sooner = new Date(Date.now() + 60_000).toISOString();
    await api.as(image.owner).put(`/sharing/${share.id}`, { expiresAt: sooner }).expect(200);
    expect((await test.gateway.models.Session.findById(made.id).lean())?.expiresAt.toISOString()).toBe(sooner);
    await api.as(image.owner).put(`/sharing/${share.id}`, { expiresInHours: 5 }).expect(200);
    expect((await test.gateway.models.Session.findById(made.id).lean())?.expiresAt.toISOString()).toBe(sooner);
  });

  it('is made by the owner, and by people who have opened a share of the original', async () => {
    const study = await withStudy(1);
    const { models } = test.gateway;
    const patient = await buildPatient(test.gateway);
    const opened = await shareOf(study, { recipient: patient });
    expect((await makeAs(patient, study)).status).toBe(201);
    const refused: [Person, number][] = [
      [await buildProvider(test.gateway), 404],
      [(await shareOf(study, { verified: false })).recipient, 403],
      [(await shareOf(study, { deidentified: true })).recipient, 403],
      [(await shareOf(study, { revoked: true })).recipient, 404],
      [await buildAdmin(test.gateway), 403],
      [await buildPatient(test.gateway), 403],
      [await buildProvider(test.gateway), 403],
    ];
    const [carer, provider] = [refused[5]?.[0] as Person, refused[6]?.[0] as Person];
    await buildCarer(test.gateway, { patient, carer });
    await models.Image.updateMany({ owner: study.owner._id }, { $set: { patient: patient._id } });
    await models.Study.updateMany({ owner: study.owner._id }, { $set: { patient: patient._id } });
    await buildEmergency(test.gateway, { provider, patient });
    for (const [person, status] of refused) expect((await makeAs(person, study)).status).toBe(status);
    expect(opened.image.owner).toBe(study.owner);
    const picture = await buildImage(test.gateway);
    await api.as(picture.owner).post('/sharing/viewer', { imageId: picture.id }).expect(409);
  });
});

describe('a web page', () => {
  const from = (origin: string, method: string, path: string) =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown> }>((resolve, reject) => {
      const asked = request(
        `${test.url}${path}`,
        {
          method,
          headers: {
            Origin: origin,
            'Access-Control-Request-Method': 'GET',
            'Access-Control-Request-Headers': 'authorization',
          },
        },
        (answer) => {
          answer.resume();
          resolve({ status: answer.statusCode, headers: answer.headers });
        },
      );
      asked.on('error', reject).end();
    });

  it('of a named origin may read by DICOMweb, without cookies, and no other page or call', async () => {
    const asked = await from(page, 'OPTIONS', '/dicom-web/studies');
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET,HEAD',
      'access-control-allow-headers': 'Authorization,Accept',
      vary: expect.stringContaining('Origin'),
    });
    expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    // A page can read the refusal too: its person has to learn that the token has ended.
    const answer = await from(page, 'GET', '/dicom-web/studies');
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, page]);
    for (const origin of ['null', `${page}.evil.test`, `https://x.${page.slice(8)}`, page.replace('https', 'http')]) {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await from(origin, method, '/dicom-web/studies');
        expect(headers['access-control-allow-origin'], origin).toBeUndefined();
      }
    }
    for (const path of ['/api/dicom-web/studies', '/api/users/profile', '/', '/dicom-webs', '/api/auth/login']) {
      const { headers } = await from(page, 'OPTIONS', path);
      expect(headers['access-control-allow-origin'], path).toBeUndefined();
    }
  });
});
