import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { limits } from '@lightbox/contract/limits.js';
import { dateIn } from '@lightbox/contract/notifications/clock.js';
import type { Disclosure } from '@lightbox/contract/users/disclosures.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import { describe, expect, it } from 'vitest';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
  sampleFile,
} from '../../testing/factories.js';
import { useGateway } from '../../testing/useGateway.js';

const { test, api } = useGateway();

async function append(): Promise<void> {
  await test.gateway.signer.flush();
  await appendAudit(test.gateway.models, test.gateway.keys.audit);
}

const binary = (person: Person) =>
  api
    .as(person)
    .get('/users/profile/export')
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => done(null, Buffer.concat(chunks)));
    });

const unzip = `
import base64, io, json, sys, zipfile
with zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as zip:
    print(json.dumps([[name, base64.b64encode(zip.read(name)).decode()] for name in zip.namelist()]))
`;

/** Returns the files of a zip in their order. A zip with a wrong checksum throws. */
function unzipped(zip: Buffer): Map<string, Buffer> {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', unzip], { input: zip, maxBuffer: 64 * 1024 * 1024 });
  expect(status, String(stderr)).toBe(0);
  const files: [string, string][] = JSON.parse(String(stdout));
  return new Map(files.map(([name, bytes]) => [name, Buffer.from(bytes, 'base64')]));
}

async function exported(person: Person) {
  await append();
  const { body } = await binary(person).expect(200).expect('Content-Type', 'application/zip');
  const files = unzipped(body as Buffer);
  const names = [...files.keys()];
  const text = (name: string) => files.get(name)?.toString('utf8') ?? '';
  return { files, names, text, json: (name: string) => JSON.parse(text(name)) };
}

/** An image of a patient, owned by a provider, with the patient's share. */
async function imageOf(patient: Person, owner: Person, caption: string): Promise<BuiltImage> {
  const image = await buildImage(test.gateway, { owner, patient: patient._id, caption });
  await buildShare(test.gateway, { image, recipient: patient, verified: true, hours: null });
  return image;
}

describe('the download of own data', () => {
  it('It holds profile, images, messages, log and shares, and is one entry of the log that names the images.', async () => {
    const { gateway } = test;
    const owner = await buildProvider(gateway, { firstname: 'Sana', lastname: '<b>Mirza</b>' });
    const patient = await buildPatient(gateway);
    const image = await imageOf(patient, owner, '<script>Chest</script>');
    const waiting = await buildShare(gateway, { recipient: patient });
    const noDownload = await buildShare(gateway, { recipient: patient, verified: true, download: false });
    const ended = await buildShare(gateway, { recipient: patient, verified: true, revoked: true });
    const copy = await buildShare(gateway, { recipient: patient, deidentified: true });
    const foreign = await buildImage(gateway, { owner });
    await api.as(owner).post('/message/send', { recipientId: patient.id, content: 'Hello & welcome' }).expect(201);
    await api.as(owner).get(`/upload/image/${image.id}/content`).expect(200);

    const mark = {
      id: randomUUID(),
      kind: 'arrow',
      frame: 1,
      points: [
        [1, 1],
        [0, 0],
      ],
      text: 'Here?',
    };
    const layer = { version: 0, shared: false, marks: [mark] };
    await api.as(patient).put(`/upload/image/${image.id}/annotations`, layer).expect(200);

    const { files, names, text, json } = await exported(patient);
    expect(names).toEqual([
      'profile.json',
      `images/0001-${image.id}.png`,
      'images.json',
      'messages.json',
      'messages.html',
      'log.csv',
      'log.json',
      'shares.json',
      'annotations.json',
      'access.json',
      'consents.json',
      'index.html',
    ]);
    expect(files.get(`images/0001-${image.id}.png`)).toEqual(sampleFile);
    expect(json('profile.json')).toMatchObject({ id: patient.id, bloodgroup: 'AB+', email: patient.email });
    expect(json('images.json').included).toMatchObject([{ id: image.id, caption: '<script>Chest</script>' }]);
    expect(json('annotations.json')).toMatchObject([{ imageId: image.id, shared: false, marks: [mark] }]);
    expect(json('messages.json')).toMatchObject([{ content: 'Hello & welcome', from: 'Sana <b>Mirza</b>' }]);
    expect(text('messages.html')).toContain('Hello &amp; welcome');
    const log: { action: string; actorId: string; recordId: string }[] = json('log.json');
    expect(log).toContainEqual(
      expect.objectContaining({ action: 'image.content', actorId: owner.id, recordId: image.id, address: '' }),
    );
    expect(text('log.csv').split('\r\n')).toHaveLength(log.length + 2);
    const shares: { id: string; deidentified: boolean }[] = json('shares.json');
    const whole = [waiting, noDownload, ended].map(({ id }) => expect.objectContaining({ id, deidentified: false }));
    expect(shares).toEqual(expect.arrayContaining(whole));
    expect(shares.filter(({ deidentified }) => deidentified)).toMatchObject([{ id: copy.id }]);
    const index = text('index.html');
    expect(index).toContain('&lt;script&gt;Chest');
    expect(index).not.toContain('<script');
    const all = names.map(text).join();
    for (const hidden of [foreign.id]) expect(all).not.toContain(hidden);

    const entry = await gateway.models.Event.find({ type: 'profile.exported', record: patient._id }).lean();
    expect(entry).toMatchObject([{ status: 'success', actor: patient._id, records: [image._id], owners: [owner._id] }]);
  });

  it('It lists personal tokens, webhooks and linked logins of the person, without a secret, and nobody else’s.', async () => {
    const { gateway } = test;
    const [person, stranger] = [await buildProvider(gateway), await buildProvider(gateway)];
    const connect = async (who: Person, name: string) => {
      const wish = { name, scopes: ['read', 'dicom'], days: 30 };
      const token = (await api.as(who).post('/auth/tokens', wish).expect(201)).body.data;
      const address = { url: 'https://8.8.8.8/hook', events: ['image.uploaded'] };
      const webhook = (await api.as(who).post('/webhooks', address).expect(201)).body.data;
      const subject = `${name} at the provider`;
      const identity = { _id: newId(), user: who._id, provider: 'clinic', issuer: 'https://login.test', subject };
      await gateway.models.Identity.create({ ...identity, createAt: gateway.clock.now() });
      return { token, webhook };
    };
    const mine = await connect(person, 'Archive');
    const theirs = await connect(stranger, 'Foreign');
    await api.as(mine.token).get('/upload/my-images').expect(200);
    const { text, json } = await exported(person);
    expect(json('access.json')).toMatchObject({
      tokens: [{ name: 'Archive', scopes: ['read', 'dicom'], expiresAt: mine.token.expiresAt }],
      webhooks: [{ id: mine.webhook.id, url: mine.webhook.url, events: ['image.uploaded'], on: true }],
      signIns: [{ provider: 'clinic', name: 'clinic' }],
    });
    const all = text('access.json');
    const secrets = [mine.token.token, mine.webhook.secret, 'hash', 'secret', 'at the provider'];
    for (const hidden of [...secrets, theirs.token.id, theirs.webhook.id]) expect(all).not.toContain(hidden);
    expect(text('index.html')).toContain('href="access.json"');
  });

  it('A provider gets the images that they own, and the log of those; an administrator not those of everybody.', async () => {
    const owner = await buildProvider(test.gateway);
    const image = await buildImage(test.gateway, { owner });
    const other = await buildAdmin(test.gateway);
    await api.as(other).get(`/upload/image/${image.id}`).expect(200);
    const own = await exported(owner);
    expect(own.json('images.json').included).toMatchObject([{ id: image.id }]);
    expect(own.json('log.json')).toContainEqual(
      expect.objectContaining({ action: 'image.read', actorId: other.id, recordId: image.id }),
    );
    const admins = await exported(other);
    expect(admins.json('images.json')).toEqual({ included: [], leftOut: [] });
    expect(admins.json('log.json').map(({ actorId }: { actorId: string }) => actorId)).not.toContain(owner.id);
  });

  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'Its dates and its name are those of the person’s zone %s.',
    async (timeZone) => {
      const owner = await buildProvider(test.gateway, { timeZone });
      const createAt = new Date('2026-03-10T10:30:00Z');
      const image = await buildImage(test.gateway, { owner });
      await test.gateway.models.Image.collection.updateOne({ _id: image._id }, { $set: { createAt } });
      const { body, headers } = await binary(owner).expect(200);
      // The zones are 25 hours apart: the date of one of them at least is not that of UTC.
      const today = dateIn(test.gateway.clock.now(), timeZone);
      expect(headers['content-disposition']).toContain(`lightbox-${today}.zip`);
      const index = unzipped(body as Buffer)
        .get('index.html')
        ?.toString('utf8');
      expect(index).toContain(`Made on ${today}.`);
      expect(index).toContain(`<td>${dateIn(createAt, timeZone)}</td>`);
    },
  );

  it('The page names the answers of a patient about analyses, and none for others.', async () => {
    const [patient, provider] = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
    expect((await exported(patient)).text('index.html')).toContain('href="consents.json"');
    expect((await exported(provider)).text('index.html')).not.toContain('consents.json');
  });

  it('A client that goes away ends the reading, and the gateway answers on.', async () => {
    const owner = await buildProvider(test.gateway);
    for (let i = 0; i < 3; i++) await buildImage(test.gateway, { owner });
    const before = test.gateway.blobs.read;
    const seen = { opened: 0, closed: 0 };
    test.gateway.blobs.read = () => {
      seen.opened += 1;
      return (async function* () {
        try {
          for (;;) yield Buffer.alloc(64 * 1024);
        } finally {
          seen.closed += 1;
        }
      })();
    };
    try {
      const headers = { Authorization: `Bearer ${owner.token}` };
      const req = get(`${test.url}/api/users/profile/export`, { headers, agent: false });
      const [res] = (await once(req, 'response')) as [IncomingMessage];
      await once(res, 'readable');
      req.destroy();
      await expect.poll(() => seen).toEqual({ opened: 1, closed: 1 });
      await api.as(owner).get('/users/profile').expect(200);
      expect(seen.opened).toBe(1);
    } finally {
      test.gateway.blobs.read = before;
    }
  });
});

describe('the list of disclosures', () => {
  const read = async (viewer: Person, query = ''): Promise<Disclosure[]> => {
    await append();
    return (await api.as(viewer).get(`/users/profile/disclosures?limit=100&${query}`).expect(200)).body.data;
  };
  const kinds = (rows: Disclosure[]) => rows.map(({ kind }) => kind).reverse();

  it('It names the shares with their end, looks, downloads and guest links of the patient’s images, and no own acts.', async () => {
    const { gateway } = test;
    const owner = await buildProvider(gateway, { firstname: 'Sana', lastname: 'Mirza' });
    const [patient, recipient] = [await buildPatient(gateway), await buildProvider(gateway, { lastname: 'Omar' })];
    const image = await imageOf(patient, owner, 'Chest');
    const other = await imageOf(patient, owner, 'Hand');
    const body = { imagemetadataId: image.id, createdfor: recipient.id };
    const { data } = (await api.as(owner).post('/sharing/request', body).expect(201)).body;
    const guest = { imagemetadataId: image.id, email: 'aunt@example.test' };
    await api.as(owner).post('/sharing/guest', guest).expect(201);
    await api.as(owner).get(`/upload/image/${image.id}/content`).expect(200);
    await api.as(owner).get(`/upload/image/${other.id}`).expect(200);
    await api.as(patient).get(`/upload/image/${image.id}`).expect(200);
    await api.as(owner).del(`/sharing/${data.id}`).expect(200);
    await exported(owner);

    const rows = await read(patient, `image=${image.id}`);
    expect(kinds(rows)).toEqual(['given', 'guestGiven', 'downloaded', 'ended', 'downloaded']);
    const [given, link] = rows.toReversed();
    expect(given).toMatchObject({
      image: { id: image.id, name: 'Chest' },
      by: { id: owner.id, firstname: 'Sana' },
      to: { user: { id: recipient.id, lastname: 'Omar' } },
      until: data.expiresAt,
    });
    expect(link?.to).toEqual({ guest: 'aunt@example.test' });
    expect(kinds((await read(patient)).filter((row) => row.image.id === other.id))).toEqual(['looked', 'downloaded']);
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect(await read(patient, `from=${day(2)}`)).toEqual([]);
    await api
      .as(patient)
      .get(`/users/profile/disclosures?from=${day(2)}&to=${day(1)}`)
      .expect(422);
    const first = await api.as(patient).get('/users/profile/disclosures?limit=2').expect(200);
    const next = `/users/profile/disclosures?limit=2&cursor=${first.body.pagination.nextCursor}`;
    const second = (await api.as(patient).get(next).expect(200)).body.data;
    expect(second[0].id).not.toBe(first.body.data[1].id);
  });

  it.each([
    ['another patient', async (_: BuiltImage) => buildPatient(test.gateway)],
    [
      'a provider with a share',
      async (image: BuiltImage) => (await buildShare(test.gateway, { image, verified: true })).recipient,
    ],
    ['an administrator', async () => buildAdmin(test.gateway)],
  ] as const)('It shows %s nothing of an image that does not show them.', async (_, someone) => {
    const owner = await buildProvider(test.gateway);
    const image = await imageOf(await buildPatient(test.gateway), owner, 'Chest');
    const viewer = await someone(image);
    await api.as(owner).get(`/upload/image/${image.id}`).expect(200);
    expect(await read(viewer, `image=${image.id}`)).toEqual([]);
    expect(await read(viewer)).toEqual([]);
  });

  it('A study and its images are one entry of the list: of one image under its caption, of several under its title.', async () => {
    const { gateway } = test;
    const [owner, patient] = [await buildProvider(gateway), await buildPatient(gateway)];
    const image = await buildStudy(gateway, { owner });
    await gateway.models.Image.updateOne({ _id: image._id }, { $set: { patient: patient._id } });
    await buildShare(gateway, { image, recipient: patient, verified: true, hours: null });
    await api.as(owner).get(`/upload/image/${image.id}`).expect(200);
    await api.as(owner).get(`/studies/${image.study}`).expect(200);
    const images = async () => (await read(patient)).map((row) => row.image);
    const id = String(image.study);
    expect(await images()).toEqual(Array(2).fill({ id, name: 'Left hand, before the cast' }));
    await gateway.models.Study.updateOne({ _id: image.study }, { $set: { images: 2 } });
    expect(await images()).toEqual(Array(2).fill({ id, name: 'Left hand' }));
  });

  it('A patient whose share has ended reads nothing of the image any more.', async () => {
    const [owner, patient] = [await buildProvider(test.gateway), await buildPatient(test.gateway)];
    const image = await buildImage(test.gateway, { owner, patient: patient._id });
    await buildShare(test.gateway, { image, recipient: patient, verified: true, revoked: true });
    await api.as(owner).get(`/upload/image/${image.id}`).expect(200);
    expect(await read(patient)).toEqual([]);
    expect(await read(patient, `image=${newId()}`)).toEqual([]);
  });
});

it('An approval is taken back within a minute, and not later; the provider waits and has no session.', async () => {
  const admin = await buildAdmin(test.gateway);
  const person = await buildProvider(test.gateway, { status: 'pending' });
  const send = (path: string) => api.as(admin).post(`/users/${path}`, { email: person.email });
  await send('undo-approval').expect(410);
  await send('approve-provider').expect(200);
  const before = { ...person };
  await api.as(before).get('/users/profile').expect(200);
  expect((await send('undo-approval').expect(200)).body.data.status).toBe('pending');
  await api.as(before).get('/users/profile').expect(401);
  await send('undo-approval').expect(410);
  await send('approve-provider').expect(200);
  test.clock.forward({ seconds: limits.approvalUndoSeconds + 1 });
  await send('undo-approval').expect(410);
  const events = await test.gateway.models.Event.find({ record: person._id, type: /^user\./ })
    .sort({ _id: 1 })
    .lean();
  expect(events.map(({ type }) => type)).toEqual(['user.approve', 'user.reconsidered', 'user.approve']);
  await api.as(admin).post('/users/undo-approval', { email: 'nobody@hospital.test' }).expect(404);
});
