import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { limits } from '@lightbox/contract/limits.js';
import { shareStart } from '@lightbox/contract/sharing/mark.js';
import { texts } from '@lightbox/contract/texts.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import request, { type Response } from 'supertest';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { boundary, type Client, multipart } from '../testing/client.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
  sampleFile,
} from '../testing/factories.js';
import { files, png } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let provider: Person;

afterAll(closeInspectors);
beforeEach(async () => {
  provider = await buildProvider(test.gateway);
});

const MB = 1024 * 1024;
const bytesOf = (answer: Response) => answer.body as Buffer;

/** Lists the blob store: files, and chunks with or without one. */
async function stored(): Promise<string> {
  const db = test.gateway.db.db;
  const counts = ['blobs.files', 'blobs.chunks'].map((name) => db?.collection(name).countDocuments());
  return (await Promise.all(counts)).join(' files, ');
}

describe('uploading', () => {
  it.each(Object.entries(files))('an uploaded %s is an image whose content has the same bytes', async (kind, file) => {
    const answer = await api.as(provider).upload(file).expect(201);
    expect(answer.body.message).toBe('Image uploaded successfully!');
    const image = answer.body.data;
    expect(image).toMatchObject({
      caption: 'A caption',
      size: file.length,
      isVerified: true,
      isShared: false,
      image_url: null,
      owner: { id: provider.id },
      analysis: { status: 'none' },
    });
    const content = await api.as(provider).get(`/upload/image/${image.id}/content`).buffer().parse(collect).expect(200);
    expect(createHash('sha256').update(bytesOf(content)).digest('hex')).toBe(
      createHash('sha256').update(file).digest('hex'),
    );
    expect(content.headers).toMatchObject({
      'content-type': { png: 'image/png', jpeg: 'image/jpeg', pdf: 'application/pdf', dicom: 'application/dicom' }[
        kind
      ],
      'content-length': String(file.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(content.headers['content-disposition']).toMatch(/^attachment; filename="[0-9a-f]{24}\.\w+"$/);
    expect(content.headers['content-security-policy']).toMatch(/sandbox/);
  });

  it('takes the fields in any order', async () => {
    const file = { name: 'file', file: files.png, filename: 'x.png', type: 'image/png' };
    const caption = { name: 'caption', value: 'After the file' };
    const patient = { name: 'patientId', value: (await buildPatient(test.gateway)).id };
    for (const parts of [
      [file, caption, patient],
      [patient, file, caption],
      [caption, patient, file],
    ]) {
      const { body } = await api.as(provider).form({ parts }).expect(201);
      expect(body.data).toMatchObject({ caption: 'After the file', patient: { id: patient.value }, isShared: true });
    }
  });

  it('the database contains no bytes of the file in clear', async () => {
    const marked = png(3, 2, 70_000);
    const { body } = await api.as(provider).upload(marked).expect(201);
    const image = await test.gateway.models.Image.findById(body.data.id).lean<ImageDoc>();
    const chunks = await test.gateway.db.db?.collection('blobs.chunks').find({ files_id: image?.blob }).toArray();
    const text = Buffer.concat((chunks ?? []).map((chunk) => Buffer.from(chunk.data.buffer)));
    expect(text.length).toBeGreaterThan(70_000);
    expect(text.includes(Buffer.alloc(64, 1))).toBe(false);
    expect(text.includes(Buffer.from('IHDR'))).toBe(false);
  });

  it('a blob with one changed bit is refused when it is read', async () => {
    const { body } = await api.as(provider).upload(files.png).expect(201);
    const image = await test.gateway.models.Image.findById(body.data.id).lean<ImageDoc>();
    const chunks = test.gateway.db.db?.collection<{ files_id: unknown; data: { buffer: Uint8Array } }>('blobs.chunks');
    const chunk = await chunks?.findOne({ files_id: image?.blob });
    const bytes = Buffer.from(chunk?.data.buffer ?? []);
    bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5);
    await chunks?.updateOne({ files_id: image?.blob }, { $set: { data: bytes as never } });
    const answer = await api.as(provider).get(`/upload/image/${body.data.id}/content`).expect(500);
    expect(answer.body.error).toBe('DAMAGED');
  });

  it('a named patient gets a permanent share with a code', async () => {
    const patient = await buildPatient(test.gateway);
    const { body } = await api
      .as(provider)
      .upload(files.png, { caption: 'For you', patientId: patient.id })
      .expect(201);
    const share = await test.gateway.models.Share.findOne({ image: oid(body.data.id) }).lean();
    expect(share).toMatchObject({ live: true, tries: 0 });
    expect(share).not.toHaveProperty('expiresAt');
    const seen = await api.as(patient).get(`/upload/image/${body.data.id}`).expect(200);
    expect(seen.body.data).toMatchObject({ shareId: String(share?._id), isVerified: false, image_url: null });
  });

  it('an upload repeated with the same key gives the same image, also when both arrive at once', async () => {
    const key = randomUUID();
    const before = await stored();
    const send = () => api.as(provider).upload(files.png).set('Idempotency-Key', key);
    const both = await Promise.all([send(), send()]);
    const third = await send();
    const answers = [...both, third];
    expect(answers.map((answer) => [answer.status, answer.body.error])).toEqual(answers.map(() => [201, undefined]));
    const ids = answers.map((answer) => [answer.status, answer.body.data.id]);
    expect(new Set(ids.map(String)).size).toBe(1);
    expect(ids[0]?.[0]).toBe(201);
    expect(await test.gateway.models.Image.countDocuments({ owner: provider._id })).toBe(1);
    const [filesBefore = 0] = before.split(' ').map(Number);
    expect((await stored()).startsWith(`${filesBefore + 1} `)).toBe(true);
    await api.as(provider).upload(files.png).set('Idempotency-Key', 'not-a-uuid').expect(422);
    // For another request the key is none.
    for (const other of [
      api.as(provider).upload(files.jpeg),
      api.as(provider).upload(files.png, { caption: 'Other' }),
    ]) {
      const { body } = await other.set('Idempotency-Key', key).expect(422);
      expect(body.errors).toEqual([{ field: 'Idempotency-Key', message: expect.any(String) }]);
    }
    expect(await test.gateway.models.Image.countDocuments({ owner: provider._id })).toBe(1);
  });

  it('a file of exactly the limit is stored, and one byte more is refused', async () => {
    await api
      .as(provider)
      .upload(png(3, 2, 10 * MB))
      .expect(201);
    const before = await stored();
    const { body } = await api
      .as(provider)
      .upload(png(3, 2, 10 * MB + 1))
      .expect(413);
    expect(body).toMatchObject({ error: 'FILE_TOO_LARGE', message: 'File size exceeds 10MB limit.' });
    expect(await stored()).toBe(before);
  });

  it('the limit and its message follow the setting', async () => {
    const admin = api.as(await buildAdmin(test.gateway));
    const { body } = await admin.post('/appsetting/add', { name: 'upload.maxBytes', value: String(MB) }).expect(201);
    const refused = await api
      .as(provider)
      .upload(png(3, 2, MB + 1))
      .expect(413);
    expect(refused.body.message).toBe('File size exceeds 1MB limit.');
    await admin.del('/appsetting/delete', { id: body.data.id }).expect(200);
    await api
      .as(provider)
      .upload(png(3, 2, MB + 1))
      .expect(201);
  });

  it.each([
    ['../../etc/passwd.png', 'image/png'],
    ['a%0d%0aX-Evil: 1.png', 'image/png'],
    ['\u202Egnp.exe', 'application/octet-stream'],
    ['x'.repeat(5000), 'application/octet-stream'],
    ['رسم.png', 'image/png'],
  ])('the file name %j does not decide the type', async (filename, type) => {
    const { body } = await api
      .as(provider)
      .form({
        parts: [
          { name: 'caption', value: 'x' },
          { name: 'file', file: files.png, filename, type },
        ],
      })
      .expect(201);
    const content = await api.as(provider).get(`/upload/image/${body.data.id}/content`).expect(200);
    expect(content.headers['content-disposition']).toBe(`attachment; filename="${body.data.id}.png"`);
  });
});

/** The body as it is, whatever its type: supertest would make text of some. */
function collect(res: Response, done: (error: Error | null, body: Buffer) => void): void {
  const parts: Buffer[] = [];
  res.on('data', (part: Buffer) => parts.push(part));
  res.on('end', () => done(null, Buffer.concat(parts)));
}

interface Refusal {
  what: string;
  send: (as: Client) => Promise<Response>;
  status: number;
  error: string;
  message?: string;
  field?: string;
}

const header = (rest: string) => `Content-Disposition: form-data; ${rest}`;
const caption = `${header('name="caption"')}\r\n\r\nA caption`;
const filePart = (body: string) =>
  `${header('name="file"; filename="x.png"')}\r\nContent-Type: image/png\r\n\r\n${body}`;
const form =
  (body: string, type = `multipart/form-data; boundary=${boundary}`) =>
  (as: Client) =>
    as.raw('/upload/image', type, Buffer.from(body, 'latin1'));
const file = (name: string, body: Buffer, filename = 'file', type = 'application/octet-stream') => ({
  name,
  file: body,
  filename,
  type,
});
const pngText = files.png.toString('latin1');
const MALFORMED = { status: 400, error: 'MALFORMED_UPLOAD' };

const refusals: Refusal[] = [
  { what: 'no boundary', send: form('x', 'multipart/form-data'), ...MALFORMED, message: texts.malformedUpload },
  { what: 'an empty body', send: form(''), ...MALFORMED },
  {
    what: 'a body cut in the file',
    send: form(`--${boundary}\r\n${filePart(pngText)}`),
    ...MALFORMED,
    message: texts.malformedUpload,
  },
  {
    what: 'a part that is only a header',
    send: form(`--${boundary}\r\n${header('name="file"')}\r\n--${boundary}--\r\n`),
    ...MALFORMED,
  },
  {
    // Found by the fuzz: the file came after the fault that had ended the form, and its end was waited for in vain.
    what: 'a part header that is none, and a file cut off behind it',
    send: form(`--${boundary}\r\nContent-Disposi\0\0: x\r\n\r\nA caption\r\n--${boundary}\r\n${filePart(pngText)}`),
    ...MALFORMED,
  },
  {
    what: 'a boundary one letter short',
    send: form(multipart(caption, filePart(pngText)).replaceAll(boundary, boundary.slice(0, -1))),
    ...MALFORMED,
  },
  {
    what: 'an empty field name',
    send: form(multipart(caption, `${header('name=""')}\r\n\r\nx`, filePart(pngText))),
    ...MALFORMED,
  },
  {
    what: 'a thousand fields',
    send: form(multipart(...Array.from({ length: 1000 }, (_, i) => `${header(`name="f${i}"`)}\r\n\r\nx`))),
    ...MALFORMED,
  },
  { what: 'a field twice', send: form(multipart(caption, caption, filePart(pngText))), ...MALFORMED },
  {
    what: 'two files',
    send: (as) =>
      as.form({ parts: [file('file', files.png), file('file', files.png), { name: 'caption', value: 'x' }] }),
    ...MALFORMED,
    message: 'Only one file can be sent.',
  },
  {
    what: 'the caption, a file, and a second file',
    send: (as) =>
      as.form({ parts: [{ name: 'caption', value: 'x' }, file('file', files.jpeg), file('file', files.jpeg)] }),
    ...MALFORMED,
  },
  {
    what: 'a file under another name',
    send: (as) => as.form({ parts: [{ name: 'caption', value: 'x' }, file('image', files.png)] }),
    ...MALFORMED,
  },
  {
    what: 'another type of body',
    send: (as) => as.raw('/upload/image', 'application/json', '{}'),
    status: 415,
    error: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    what: 'no file',
    send: form(multipart(caption)),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'file',
    message: texts.fileRequired,
  },
  {
    what: 'no caption',
    send: (as) => as.upload(files.png, {}),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'caption',
    message: texts.captionRequired,
  },
  {
    what: 'a blank caption',
    send: (as) => as.upload(files.png, { caption: '  ' }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'caption',
    message: texts.captionRequired,
  },
  {
    what: 'a caption of 201 letters',
    send: (as) => as.upload(files.png, { caption: 'x'.repeat(201) }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'caption',
  },
  {
    what: 'a field nobody knows',
    send: (as) => as.upload(files.png, { caption: 'x', isVerified: 'true' }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'isVerified',
  },
  {
    what: 'the field __proto__',
    send: (as) => as.upload(files.png, { caption: 'x', ['__proto__']: 'x' }),
    status: 422,
    error: 'VALIDATION_FAILED',
  },
  {
    what: 'a patient who is not there',
    send: (as) => as.upload(files.png, { caption: 'x', patientId: String(newId()) }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'patientId',
  },
  {
    what: 'a patient that is no id',
    send: (as) => as.upload(files.png, { caption: 'x', patientId: '{"$ne":1}' }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'patientId',
  },
  {
    what: 'an empty file',
    send: (as) => as.upload(Buffer.alloc(0)),
    status: 422,
    error: 'UNREADABLE_FILE',
    field: 'file',
  },
  {
    what: 'text',
    send: (as) => as.upload(Buffer.from('hello there'.repeat(900))),
    status: 415,
    error: 'UNSUPPORTED_TYPE',
    message: texts.fileType,
  },
  {
    what: 'an SVG named PNG',
    send: (as) => as.upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined, 'x.png'),
    status: 415,
    error: 'UNSUPPORTED_TYPE',
  },
  {
    what: 'a GIF named PNG',
    send: (as) => as.upload(Buffer.from(`GIF89a${'\0'.repeat(60)}`), undefined, 'x.png'),
    status: 415,
    error: 'UNSUPPORTED_TYPE',
  },
  {
    what: 'a PDF named PNG',
    send: (as) => as.upload(files.pdf, undefined, 'x.png'),
    status: 415,
    error: 'UNSUPPORTED_TYPE',
  },
  {
    what: 'a PNG declared JPEG',
    send: (as) => as.form({ parts: [{ name: 'caption', value: 'x' }, file('file', files.png, 'x', 'image/jpeg')] }),
    status: 415,
    error: 'UNSUPPORTED_TYPE',
  },
  {
    what: 'a PNG cut short',
    send: (as) => as.upload(files.png.subarray(0, -20)),
    status: 422,
    error: 'UNREADABLE_FILE',
  },
  {
    what: 'a PNG cut short with a blank caption',
    send: (as) => as.upload(files.png.subarray(0, -20), { caption: '  ' }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'caption',
    message: texts.captionRequired,
  },
  {
    what: 'a JPEG cut short',
    send: (as) => as.upload(files.jpeg.subarray(0, 20_000)),
    status: 422,
    error: 'UNREADABLE_FILE',
  },
  {
    what: 'a PNG of too many pixels',
    send: (as) => as.upload(png(100_000, 100_000, undefined, 1)),
    status: 422,
    error: 'TOO_MANY_PIXELS',
  },
  {
    what: 'a PNG of too many pixels before a field nobody knows',
    send: (as) =>
      as.form({
        parts: [
          { name: 'caption', value: 'x' },
          // The refusal comes with the header, long before the end of the file.
          file('file', Buffer.concat([png(100_000, 100_000, undefined, 1), Buffer.alloc(3_000_000)])),
          { name: 'isVerified', value: 'true' },
        ],
      }),
    status: 422,
    error: 'VALIDATION_FAILED',
    field: 'isVerified',
  },
  {
    what: '`DICM` alone',
    send: (as) => as.upload(Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')])),
    status: 422,
    error: 'UNREADABLE_FILE',
  },
  {
    what: 'a DICOM file that begins as a program',
    send: (as) => as.upload(Buffer.concat([Buffer.from('MZ'), files.dicom.subarray(2)])),
    status: 422,
    error: 'UNREADABLE_FILE',
  },
];

describe('refusing an upload', () => {
  it.each(refusals)(
    'an upload with $what is refused, and nothing of it stays',
    async ({ send, status, error, message, field }) => {
      const before = await stored();
      const answer = await send(api.as(provider));
      expect([answer.status, answer.body.error], JSON.stringify(answer.body)).toEqual([status, error]);
      const shown = field
        ? answer.body.errors.find((e: { field: string }) => e.field === field)?.message
        : answer.body.message;
      if (field) expect(shown).toBeDefined();
      if (message) expect(shown).toBe(message);
      expect(await stored()).toBe(before);
      expect(await test.gateway.models.Image.countDocuments({ owner: provider._id })).toBe(0);
    },
  );

  it('an upload of a patient is refused before its body is read', async () => {
    const patient = await buildPatient(test.gateway);
    await api.as(patient).raw('/upload/image', 'multipart/form-data', 'broken').expect(403);
    await api.raw('/upload/image', 'multipart/form-data', 'broken').expect(401);
  });

  it('an upload whose connection breaks in the middle of the file leaves nothing', async () => {
    const before = await stored();
    const { port, hostname } = new URL(test.url);
    const socket = connect(Number(port), hostname);
    const head = [
      'POST /api/upload/image HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${provider.token}`,
      `Content-Type: multipart/form-data; boundary=${boundary}`,
      'Content-Length: 9000000',
    ].join('\r\n');
    socket.write(`${head}\r\n\r\n--${boundary}\r\n${filePart('')}`);
    const part = png(3, 2, 3 * MB).subarray(0, 2.5 * MB);
    await new Promise((resolve) => socket.write(part, resolve));
    await expect.poll(stored).not.toBe(before);
    socket.destroy();
    await expect.poll(stored).toBe(before);
  });

  it.each<[string, () => PromiseLike<unknown>]>([
    [
      'whose account is closed',
      async () =>
        api
          .as(await buildAdmin(test.gateway))
          .del(`/users/${provider.id}`)
          .expect(200),
    ],
    [
      'whose account is deactivated',
      async () =>
        api
          .as(await buildAdmin(test.gateway))
          .put(`/users/toggleUserStatus/${provider.id}`)
          .expect(200),
    ],
    ['whose session is signed out', () => api.as(provider).post('/auth/logout').expect(200)],
  ])(
    'an upload %s while the last bytes arrive is 401 and leaves no image, no share and no bytes',
    async (_what, end) => {
      const { Image, Share, Event } = test.gateway.models;
      const patient = await buildPatient(test.gateway);
      const before = await stored();
      const part = (name: string, value: string) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const form = Buffer.concat([
        Buffer.from(`${part('caption', 'A hand')}${part('patientId', patient.id)}--${boundary}\r\n${filePart('')}`),
        png(3, 2, 3 * MB),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      const upload = httpRequest(`${test.url}/api/upload/image`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${provider.token}`,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': form.length,
        },
      });
      const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
      upload.write(form.subarray(0, -5_000));
      await expect.poll(stored).not.toBe(before);
      await end();
      upload.end(form.subarray(-5_000));
      const [answer] = await answered;
      const body = JSON.parse(Buffer.concat(await answer.toArray()).toString());
      expect([answer.statusCode, body.error]).toEqual([401, 'AUTHENTICATION_FAILED']);
      expect(await Image.exists({ owner: provider._id })).toBeNull();
      expect(await Share.exists({ recipient: patient._id })).toBeNull();
      expect(await Event.exists({ type: { $in: ['image.upload', 'share.create'] }, actor: provider._id })).toBeNull();
      expect(await stored()).toBe(before);
    },
  );
});

describe('seeing images', () => {
  it('before the code is entered a recipient sees the redacted image only', async () => {
    const share = await buildShare(test.gateway);
    const { body } = await api.as(share.recipient).get(`/upload/image/${share.image.id}`).expect(200);
    expect(Object.keys(body.data).sort()).toEqual([
      'caption',
      'contentType',
      'createAt',
      'expiresAt',
      'id',
      'image_url',
      'isShared',
      'isVerified',
      'shareId',
      'sharedBy',
    ]);
    expect(body.data).toMatchObject({ image_url: null, isVerified: false, isShared: true });
    const listed = await api.as(share.recipient).get('/upload/shared-images').expect(200);
    expect(listed.body.data).toEqual([body.data]);
    for (const part of ['content', 'preview']) {
      const refused = await api.as(share.recipient).get(`/upload/image/${share.image.id}/${part}`).expect(403);
      expect(refused.body.error).toBe('NOT_VERIFIED');
    }
  });

  it('people who may share an image see the state of its recipients, and recipients see since when it is shared', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    await buildShare(test.gateway, { image: share.image, revoked: true });
    const of = async (viewer: Person) =>
      (await api.as(viewer).get(`/upload/image/${share.image.id}`).expect(200)).body.data;
    const one = { person: { id: share.recipient.id }, state: 'verified', expiresAt: expect.any(String) };
    const single = { recipients: { total: 1, opened: 1, locked: 0, pending: 0, one } };
    expect(await of(share.image.owner)).toMatchObject(single);
    expect(await of(await buildAdmin(test.gateway))).toMatchObject(single);
    await buildShare(test.gateway, { image: share.image });
    await buildShare(test.gateway, { image: share.image, tries: limits.codeTries });
    const recipients = { total: 3, opened: 1, locked: 1, pending: 1 };
    expect((await of(share.image.owner)).recipients).toEqual(recipients);
    const listed = await api.as(share.image.owner).get('/upload/my-images').expect(200);
    expect(listed.body.data).toMatchObject([{ id: share.image.id, recipients }]);
    const received = await of(share.recipient);
    expect(received).not.toHaveProperty('recipients');
    // Seconds: an id has no milliseconds.
    expect(Math.abs(shareStart(received.shareId) - test.clock.now().getTime())).toBeLessThan(60_000);
  });

  it('owner, administrators and recipients who have verified see the whole image', async () => {
    const share = await buildShare(test.gateway, { verified: true });
    for (const viewer of [share.image.owner, share.recipient, await buildAdmin(test.gateway)]) {
      const { body } = await api.as(viewer).get(`/upload/image/${share.image.id}`).expect(200);
      expect(body.data).toMatchObject({ isVerified: true, size: sampleFile.length, width: 3, height: 2 });
      expect(body.data.image_url).toMatch(/^data:image\/webp;base64,/);
      const preview = await api.as(viewer).get(`/upload/image/${share.image.id}/preview`).expect(200);
      expect(preview.headers['content-type']).toBe('image/webp');
    }
  });

  it.each([
    ['pending', 'PREVIEW_PENDING'],
    ['none', 'NO_PREVIEW'],
  ] as const)('says of a preview that is %s: %s', async (preview, error) => {
    const image = await buildImage(test.gateway, { owner: provider, preview });
    const { body } = await api.as(provider).get(`/upload/image/${image.id}/preview`).expect(404);
    expect(body.error).toBe(error);
  });

  it('the lists hold one’s own images, the shared ones, and for administrators all', async () => {
    const share = await buildShare(test.gateway, { image: await buildImage(test.gateway, { owner: provider }) });
    const unshared = await buildImage(test.gateway, { owner: provider });
    const ids = async (path: string, viewer: Person) =>
      (await api.as(viewer).get(path).expect(200)).body.data.map((image: { id: string }) => image.id);
    expect(await ids('/upload/my-images', provider)).toEqual([unshared.id, share.image.id]);
    expect(await ids('/upload/my-images?shared=false', provider)).toEqual([unshared.id]);
    expect(await ids('/upload/my-images?shared=true', provider)).toEqual([share.image.id]);
    expect(await ids('/upload/shared-images', provider)).toEqual([share.image.id]);
    expect(await ids('/upload/shared-images', share.recipient)).toEqual([share.image.id]);
    for (const viewer of [provider, share.recipient]) {
      for (const query of ['', '&grouped=true']) {
        expect(await ids(`/upload/shared-images?shared=true${query}`, viewer)).toEqual([share.image.id]);
        const none = await api.as(viewer).get(`/upload/shared-images?shared=false${query}`).expect(200);
        expect(none.body).toMatchObject({ data: [], pagination: { totalItems: 0, totalPages: 1, hasNextPage: false } });
      }
    }
    const admin = await buildAdmin(test.gateway);
    expect((await ids('/upload/images', admin)).slice(0, 2)).toEqual([unshared.id, share.image.id]);
    await api.as(provider).get('/upload/my-images?shared=maybe').expect(422);
  });

  it('pages by number and by cursor, forward, back and across a deletion', async () => {
    const images: string[] = [];
    for (let i = 0; i < 7; i++) images.unshift((await buildImage(test.gateway, { owner: provider })).id);
    const page = async (query: string) => {
      const { body } = await api.as(provider).get(`/upload/my-images?limit=3&${query}`).expect(200);
      return { ids: body.data.map((image: { id: string }) => image.id), ...body.pagination };
    };
    const first = await page('page=1');
    expect(first).toMatchObject({
      currentPage: 1,
      pageSize: 3,
      totalPages: 3,
      totalItems: 7,
      hasPrevPage: false,
      hasNextPage: true,
    });
    expect(first.ids).toEqual(images.slice(0, 3));
    expect((await page('page=3')).ids).toEqual(images.slice(6));
    expect(await page('page=4')).toMatchObject({ ids: [], hasNextPage: false });

    const second = await page(`cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ ids: images.slice(3, 6), currentPage: 2, hasPrevPage: true, hasNextPage: true });
    const third = await page(`cursor=${second.nextCursor}`);
    expect(third).toMatchObject({ ids: images.slice(6), currentPage: 3, hasNextPage: false });
    expect((await page(`cursor=${third.prevCursor}`)).ids).toEqual(images.slice(3, 6));

    // The row that the cursor names goes away: the page behind it is the same.
    await api.as(provider).del(`/upload/image/${images[2]}`, {}).expect(200);
    expect((await page(`cursor=${first.nextCursor}`)).ids).toEqual(images.slice(3, 6));
    await api.as(provider).get('/upload/my-images?cursor=nonsense').expect(422);
    await api.as(provider).get(`/notifications?cursor=${first.nextCursor}`).expect(422);
  });
});

describe('deleting an image', () => {
  it('deleting an image deletes its preview, shares and analysis', async () => {
    const image = await buildImage(test.gateway, { owner: provider });
    const share = await buildShare(test.gateway, { image, verified: true });
    await api.as(provider).post(`/analyze/${image.id}`).expect(202);
    await api.as(provider).del(`/upload/image/${image.id}`).expect(200);
    const { Image, Preview, Analysis, Share, Event } = test.gateway.models;
    expect(await Image.exists({ _id: image._id })).toBeNull();
    expect(await Preview.exists({ _id: image._id })).toBeNull();
    expect(await Analysis.exists({ _id: image._id })).toBeNull();
    expect(await Share.exists({ _id: share._id, live: true })).toBeNull();
    const event = await Event.findOne({ type: 'image.delete', record: image._id }).lean<EventDoc>();
    expect(event?.refs.blob).toBeDefined();
    await api.as(provider).del(`/upload/image/${image.id}`).expect(404);
  });

  it('deleting an image that names a patient needs a reason, except for administrators', async () => {
    const patient = await buildPatient(test.gateway);
    const named = () => buildImage(test.gateway, { owner: provider, patient: patient._id });
    const image = await named();
    for (const body of [undefined, {}, { reason: '  ' }]) {
      const answer = await api.as(provider).del(`/upload/image/${image.id}`, body).expect(422);
      expect(answer.body.errors).toEqual([{ field: 'reason', message: 'Please give a reason.' }]);
    }
    await api
      .as(provider)
      .del(`/upload/image/${image.id}`, { reason: '=cmd()\r\n\u001b[31mwrong patient' })
      .expect(200);
    const event = await test.gateway.models.Event.findOne({ type: 'image.delete', record: image._id }).lean<EventDoc>();
    expect(event?.reason).toBe('=cmd()\r\n\u001b[31mwrong patient');
    await api
      .as(await buildAdmin(test.gateway))
      .del(`/upload/image/${(await named()).id}`)
      .expect(200);
  });
});

it('a malformed image id is answered like an unknown one', async () => {
  for (const id of ['x', 'a'.repeat(23), 'a'.repeat(25), '%00', '[object Object]']) {
    const { body } = await request(test.url)
      .get(`/api/upload/image/${id}`)
      .set('Authorization', `Bearer ${provider.token}`)
      .expect(404);
    expect(body.error).toBe('NOT_FOUND');
  }
});
