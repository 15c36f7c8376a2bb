import { request } from 'node:http';
import { deflateRawSync } from 'node:zlib';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId } from '@lightbox/core/db/ids.js';
import { indexInstances } from '@lightbox/core/dicomWeb/indexInstances.js';
import { element, item, partTen, phantom, sequenceEnd, syntaxes } from '@lightbox/testkit/part10.js';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import {
  boundary,
  dicomWebOf,
  end,
  fresh,
  type Json,
  jsonOf,
  part,
  partsIn,
  related,
  uidOf,
} from '../testing/dicomWeb.js';
import { buildProvider, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, ask, store, storeFiles, withStudy } = dicomWebOf({ test, api });

afterAll(closeInspectors);

const CT = '1.2.840.10008.5.1.4.1.1.2';

/** A file of two frames of four by four pixels. */
const twoFrames = (study: string, sop: string, rest: Buffer[], syntax?: string) =>
  partTen(
    Buffer.concat([
      element(0x00080005, 'CS', 'ISO_IR 100'),
      element(0x00080016, 'UI', CT),
      element(0x00080018, 'UI', `${study}.${sop}`),
      element(0x00080060, 'CS', 'CT'),
      element(0x00100010, 'PN', Buffer.from('M\xfcller^Anna', 'latin1')),
      element(0x0020000d, 'UI', study),
      element(0x0020000e, 'UI', `${study}.1`),
      element(0x00200013, 'IS', sop),
      element(0x00280002, 'US', 1),
      element(0x00280004, 'CS', 'MONOCHROME2'),
      element(0x00280008, 'IS', '2'),
      element(0x00280010, 'US', 4),
      element(0x00280011, 'US', 4),
      element(0x00280100, 'US', 8),
      element(0x00280101, 'US', 8),
      element(0x00280102, 'US', 7),
      element(0x00280103, 'US', 0),
      ...rest,
    ]),
    syntax,
  );

const jpeg = syntaxes.jpegBaseline;
/** Encapsulated pixels. The first fragment is the offset table. */
const packed = (fragments: Buffer[]) =>
  Buffer.concat([
    element(0x7fe00010, 'OB', Buffer.alloc(0), 0xffffffff),
    ...fragments.map((fragment) => item(fragment)),
    sequenceEnd(),
  ]);

const imagesOf = (person: Person) => test.gateway.models.Image.find({ owner: person._id }).lean();
const eventsOf = async (person: Person) =>
  (await test.gateway.models.Event.find({ actor: person._id }).sort({ _id: 1 }).lean()).map(
    ({ type, status }) => `${type} ${status}`,
  );

describe('DICOMweb', () => {
  it('stores a study, finds it, and gives its files back bit for bit', async () => {
    const study = fresh();
    const owner = await buildProvider(test.gateway);
    const { token } = await tokenOf(owner);
    const files = [1, 2, 3].map((instance) => phantom({ study, instance, z: instance }));
    const stored = await storeFiles(token, files);
    expect(stored).toMatchObject({ status: 200, type: 'application/dicom+json' });
    expect(stored.body['00081199'].Value).toHaveLength(3);
    expect(stored.body['00081199'].Value[0]).toMatchObject({
      '00081150': { Value: [CT] },
      '00081155': { Value: [`${uidOf(study)}.1.1`] },
    });
    expect(stored.body['00081198']).toBeUndefined();

    const found = await ask(token, `/studies?StudyInstanceUID=${uidOf(study)}`);
    expect(found.headers.get('content-type')).toBe('application/dicom+json');
    const [row] = await jsonOf(found);
    expect(row).toMatchObject({
      '00080020': { vr: 'DA', Value: ['20261112'] },
      '00080061': { vr: 'CS', Value: ['CT'] },
      '0020000D': { vr: 'UI', Value: [uidOf(study)] },
      '00201206': { vr: 'IS', Value: [1] },
      '00201208': { vr: 'IS', Value: [3] },
    });
    const series = await jsonOf(await ask(token, `/studies/${uidOf(study)}/series`));
    expect(series).toEqual([expect.objectContaining({ '00201209': { vr: 'IS', Value: [3] } })]);
    const path = `/studies/${uidOf(study)}/series/${uidOf(study)}.1`;
    const instances = await jsonOf(await ask(token, `${path}/instances`));
    expect(instances.map((one: Json) => one['00200013'].Value[0])).toEqual([1, 2, 3]);
    expect(instances[0]['00083002'].Value).toEqual([syntaxes.explicit]);

    const back = await partsIn(await ask(token, `/studies/${uidOf(study)}`));
    expect(
      back.map(({ bytes }) => bytes.equals(files[back.findIndex((one) => one.bytes === bytes)] as Buffer)),
    ).toEqual([true, true, true]);
    expect(back[0]?.type).toBe(`application/dicom; transfer-syntax=${syntaxes.explicit}`);
    expect(await partsIn(await ask(token, path))).toHaveLength(3);
    const one = await ask(token, `${path}/instances/${uidOf(study)}.1.2`, { Accept: 'application/dicom' });
    expect(Buffer.from(await one.arrayBuffer()).equals(files[1] as Buffer)).toBe(true);

    expect(await eventsOf(owner)).toEqual([
      'token.create success',
      ...Array(3).fill('image.upload success'),
      ...Array(3).fill('image.list success'),
      ...Array(2).fill('study.content success'),
      'image.content success',
    ]);
  });

  it('answers with headers, with frames as they are stored, and with values that the headers leave out', async () => {
    const owner = await buildProvider(test.gateway);
    const { token } = await tokenOf(owner);
    const study = uidOf(fresh());
    const frames = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
    const table = Buffer.alloc(3000, 7);
    const fragments = [Buffer.alloc(0), ...[1, 2].map((n) => Buffer.from([0xff, 0xd8, 0xff, n, 0xff, 0xd9]))];
    const plain = element(0x7fe00010, 'OB', Buffer.concat(frames));
    const stored = await storeFiles(token, [
      twoFrames(study, '1', [element(0x00420011, 'OB', table), plain]),
      twoFrames(study, '2', [packed(fragments)], jpeg),
    ]);
    expect(stored).toMatchObject({ status: 200 });

    const metadata = await jsonOf(await ask(token, `/studies/${study}/metadata`));
    expect(metadata).toHaveLength(2);
    const at = `/studies/${study}/series/${study}.1/instances/${study}`;
    expect(metadata[0]).toMatchObject({
      '00080005': { vr: 'CS', Value: ['ISO_IR 192'] },
      '00100010': { vr: 'PN', Value: [{ Alphabetic: 'Müller^Anna' }] },
      '00280010': { vr: 'US', Value: [4] },
      '00420011': { vr: 'OB', BulkDataURI: expect.stringContaining(`/dicom-web${at}.1/bulkdata/00420011`) },
      '7FE00010': { vr: 'OB', BulkDataURI: expect.stringContaining(`${at}.1/bulkdata/7FE00010`) },
    });
    expect((await jsonOf(await ask(token, `${at}.1/metadata`)))[0]).toEqual(metadata[0]);
    expect(await jsonOf(await ask(token, `/studies/${study}/series/${study}.1/metadata`))).toEqual(metadata);
    const bulk = await ask(token, `${at}.1/bulkdata/00420011`, { Accept: 'application/octet-stream' });
    expect(Buffer.from(await bulk.arrayBuffer()).equals(table)).toBe(true);
    expect((await partsIn(await ask(token, `${at}.1/bulkdata/7FE00010`)))[0]?.bytes).toEqual(Buffer.concat(frames));

    const octets = { Accept: 'multipart/related; type="application/octet-stream"' };
    expect(await partsIn(await ask(token, `${at}.1/frames/2,1`, octets))).toEqual(
      [frames[1], frames[0]].map((bytes) => ({
        type: `application/octet-stream; transfer-syntax=${syntaxes.explicit}`,
        bytes,
      })),
    );
    const asStored = { type: `image/jpeg; transfer-syntax=${jpeg}`, bytes: fragments[2] };
    expect(await partsIn(await ask(token, `${at}.2/frames/2`))).toEqual([asStored]);
    const any = { Accept: 'multipart/related; type=application/octet-stream; transfer-syntax=*' };
    expect((await partsIn(await ask(token, `${at}.2/frames/2`, any)))[0]?.bytes).toEqual(fragments[2]);
    expect((await ask(token, `${at}.2/frames/2`, octets)).status).toBe(406);
    expect((await ask(token, `${at}.1/frames/3`)).status).toBe(404);
    expect((await ask(token, `${at}.1/rendered`, { Accept: 'video/mp4' })).status).toBe(406);
    expect((await ask(token, `${at}.1/frames/3/rendered`)).status).toBe(404);
    const other = { Accept: `multipart/related; type="application/dicom"; transfer-syntax=${jpeg}` };
    expect((await ask(token, `${at}.1`, other)).status).toBe(406);
    expect((await ask(token, `${at}.2`, other)).status).toBe(200);
  });

  it('reads each part of a file once for a frame, however many fragments it has', async () => {
    const { token } = await tokenOf(await buildProvider(test.gateway));
    const study = uidOf(fresh());
    // More than one chunk, and the second frame begins in the second chunk.
    const pieces = 60_000;
    const frame = (n: number) =>
      Array.from({ length: pieces }, (_, i) => (i < pieces - 1 ? [n, i & 0x7f] : [0xff, 0xd9])).map((two) =>
        Buffer.from(two),
      );
    const frames = [frame(1), frame(2)];
    const file = twoFrames(study, '1', [packed([Buffer.alloc(0), ...frames.flat()])], jpeg);
    expect(await storeFiles(token, [file])).toMatchObject({ status: 200 });

    const reads = vi.spyOn(test.gateway.blobs, 'read');
    const at = `/studies/${study}/series/${study}.1/instances/${study}.1/frames`;
    const answers = await Promise.all(
      [1, 2, 1, 2].map(async (n) => (await partsIn(await ask(token, `${at}/${n}`)))[0]),
    );
    for (const [i, answer] of answers.entries()) {
      expect(answer?.bytes.equals(Buffer.concat(frames[i % 2] as Buffer[]))).toBe(true);
    }
    // The header, the offset table, three parts with fragments and their seams, once for all; then the frame of each.
    expect(reads.mock.calls.length).toBeLessThan(12);
    reads.mockRestore();
  });

  it('sends the form that a client likes best, and refuses one that takes no JSON where there is nothing else', async () => {
    const { token, path, instance } = await withStudy(1);
    const accepts = async (place: string, Accept: string) => {
      const answer = await ask(token, place, { Accept });
      return answer.status === 200 ? answer.headers.get('content-type')?.split(';')[0] : answer.status;
    };
    const parts = 'multipart/related; type="application/dicom"';
    expect(await accepts(instance, `${parts}; q=0.1, application/dicom`)).toBe('application/dicom');
    expect(await accepts(instance, `application/dicom;q=0.5, ${parts};q=0.6`)).toBe('multipart/related');
    expect(await accepts(instance, `${parts}; q=0, application/dicom; q=0`)).toBe(406);
    for (const place of ['/studies', `${path}/series`, `${path}/metadata`, `${instance}/metadata`]) {
      for (const json of ['application/dicom+json', 'application/json, text/plain, */*', 'application/*;q=0.1']) {
        expect(await accepts(place, json), `${place} ${json}`).toBe('application/dicom+json');
      }
      for (const other of ['multipart/related; type="application/dicom+xml"', 'application/json;q=0', 'text/html']) {
        expect(await accepts(place, other), `${place} ${other}`).toBe(406);
      }
    }
  });

  it('stores a file once, and says why it refuses another', async () => {
    const { token, owner, files, study } = await withStudy();
    const again = await storeFiles(token, files);
    expect([again.status, again.body['00081199'].Value.length]).toEqual([200, 3]);
    expect(await imagesOf(owner)).toHaveLength(3);
    const changed = Buffer.from(files[0] as Buffer);
    changed.writeUInt8(changed.at(-1) === 9 ? 8 : 9, changed.length - 1);
    const fourth = phantom({ study, instance: 4 });
    const mixed = await storeFiles(token, [changed, Buffer.alloc(3_000_000, 120), fourth]);
    expect(mixed.status).toBe(202);
    expect(mixed.body['00081198'].Value[0]['00081197'].Value).toEqual([0x0111]);
    expect(mixed.body['00081199'].Value).toHaveLength(1);
    expect(mixed.body['0008119A'].Value[0]['00081197'].Value).toEqual([0xc000]);
    // Of two files that a browser uploaded with one UID, each is stored already.
    const browser = await buildProvider(test.gateway);
    const theirs = [files[0] as Buffer, changed];
    for (const file of theirs) await api.as(browser).upload(file, { caption: 'CT' }).expect(201);
    const sent = await storeFiles((await tokenOf(browser)).token, [...theirs, files[1] as Buffer]);
    expect([sent.status, (await imagesOf(browser)).length]).toEqual([200, 3]);
    const elsewhere = await storeFiles(token, [phantom({ study: fresh() })], `/studies/${uidOf(study)}`);
    expect([elsewhere.status, elsewhere.body['00081198'].Value[0]['00081197'].Value]).toEqual([409, [0xa900]]);
    expect(await imagesOf(owner)).toHaveLength(4);
    // Two requests with the same file at the same time.
    const fifth = phantom({ study, instance: 5 });
    const both = await Promise.all([1, 2].map(() => storeFiles(token, [fifth])));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await imagesOf(owner)).toHaveLength(5);
    // Bytes that became no image are gone.
    expect(await test.gateway.models.Image.distinct('blob', { owner: owner._id })).toHaveLength(5);
  });

  it('stores nothing of a request that cannot be read', async () => {
    const owner = await buildProvider(test.gateway);
    const { token } = await tokenOf(owner);
    const file = phantom({ study: fresh() });
    const whole = part(file);
    const long = Buffer.from(`--${boundary}\r\nX-Long: ${'x'.repeat(2_000_000)}`);
    const wrong: [status: number, body: Buffer[], type?: string][] = [
      [400, [whole]],
      [400, [whole.subarray(0, 5_000)]],
      [400, [part(Buffer.alloc(3_000_000, 120)).subarray(0, 2_500_000)]],
      [400, [long]],
      [400, [Buffer.from('nothing of the kind')]],
      [400, []],
      [400, [end]],
      [400, [whole, end], 'multipart/related; type="application/dicom"'],
      [415, [whole, end], `multipart/form-data; boundary=${boundary}`],
      [415, [whole, end], `multipart/related; type="application/dicom+json"; boundary=${boundary}`],
      [409, [part(file, 'text/plain'), end]],
      [409, [part(file.subarray(0, -1)), end]],
      [409, [part(Buffer.alloc(0)), end]],
    ];
    for (const [status, body, type] of wrong) {
      const answer = await store(token, body, '/studies', type);
      expect(answer.status, `${type} ${String(body[0]).slice(0, 60)}`).toBe(status);
    }
    expect(await imagesOf(owner)).toEqual([]);
    expect((await storeFiles(token, [file])).status).toBe(200);
  });

  it('takes the requests of Orthanc: a boundary of 73 characters, and no line end behind the last one', async () => {
    const owner = await buildProvider(test.gateway);
    const { token } = await tokenOf(owner);
    const mark = Array(2).fill('b60e69c2-bfa1-41f1-8821-eacc3902cf62').join('-');
    const head = Buffer.from(`--${mark}\r\nContent-Type: application/dicom\r\n\r\n`);
    const body = [head, phantom({ study: fresh() }), Buffer.from(`\r\n--${mark}--`)];
    const type = `multipart/related; type="application/dicom"; boundary=${mark}`;
    expect((await store(token, body, '/studies', type)).status).toBe(200);
  });

  it('keeps nothing of a file whose sender is gone', async () => {
    const owner = await buildProvider(test.gateway);
    const { token } = await tokenOf(owner);
    const chunks = () => test.gateway.db.db?.collection('blobs.chunks').countDocuments();
    const before = (await chunks()) ?? 0;
    const body = part(phantom({ study: fresh(), frames: 32 }));
    const { hostname, port } = new URL(test.url);
    const sending = request({
      host: hostname,
      port,
      method: 'POST',
      path: '/dicom-web/studies',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': related,
        'Content-Length': body.length + end.length,
      },
    });
    sending.on('error', () => undefined);
    sending.write(body.subarray(0, 3_000_000));
    await expect.poll(chunks).toBeGreaterThan(before);
    sending.destroy();
    await expect.poll(chunks).toBe(before);
    expect(await imagesOf(owner)).toEqual([]);
  });

  it('takes tokens with its scope alone, until they are revoked', async () => {
    const { owner, token, id, path, files } = await withStudy();
    const other = await tokenOf(owner, ['read', 'upload', 'share']);
    const calls = (bearer: string) =>
      Promise.all([
        ask(bearer, path).then(({ status }) => status),
        ask(bearer, '/studies').then(({ status }) => status),
        storeFiles(bearer, files).then(({ status }) => status),
      ]);
    expect(await calls(other.token)).toEqual([401, 401, 401]);
    await api.as(token).get('/upload/my-images').expect(401);
    expect(await calls(owner.token)).toEqual([200, 200, 200]);
    expect(await calls(token)).toEqual([200, 200, 200]);
    await api.as(owner).del(`/auth/tokens/${id}`).expect(200);
    expect(await calls(token)).toEqual([401, 401, 401]);
  });
});

it('files that an earlier version stored are found once maintenance has read them', async () => {
  const { owner, token, files, path, instance } = await withStudy();
  const { Image, Position } = test.gateway.models;
  await Image.updateMany({ owner: owner._id }, { $unset: { instance: 1 } });
  await Position.deleteMany({});
  expect((await ask(token, instance)).status).toBe(404);
  expect((await ask(token, '/studies')).status).toBe(204);
  while (await indexInstances(test.gateway));
  expect(await partsIn(await ask(token, path))).toHaveLength(files.length);
  expect(await jsonOf(await ask(token, '/studies'))).toHaveLength(1);
});

it('files that an earlier version stored are found when their bytes, which were away, are back', async () => {
  const { owner, token, files, path } = await withStudy();
  const { gateway } = test;
  const { Image, Position } = gateway.models;
  const chunks = gateway.db.collection('blobs.chunks');
  await Image.updateMany({ owner: owner._id }, { $unset: { instance: 1 } });
  await Position.deleteMany({});
  const blobs = (await imagesOf(owner)).map(({ blob }) => blob);
  const away = await chunks.find({ files_id: { $in: blobs } }).toArray();
  await chunks.deleteMany({ files_id: { $in: blobs } });
  while (await indexInstances(gateway));
  await chunks.insertMany(away);
  while (await indexInstances(gateway));
  expect(await partsIn(await ask(token, path))).toHaveLength(files.length);
});

it('a file whose UID goes on behind a zero byte is stored, and no DICOMweb answer names it', async () => {
  const owner = await buildProvider(test.gateway);
  const { token } = await tokenOf(owner);
  const study = uidOf(fresh());
  const file = twoFrames(study, '1', [element(0x7fe00010, 'OB', Buffer.alloc(32))]);
  const honest = element(0x0020000d, 'UI', study);
  const at = file.indexOf(honest);
  const hostile = [element(0x0020000d, 'UI', `${study}\0&x={token}#`), file.subarray(at + honest.length)];
  await storeFiles(token, [Buffer.concat([file.subarray(0, at), ...hostile])]);
  expect(await imagesOf(owner)).toHaveLength(1);
  expect((await ask(token, '/studies')).status).toBe(204);
});

describe('a deflated file of an earlier version that cannot be inflated', () => {
  const broken: [string, Buffer][] = [
    ['damaged', Buffer.alloc(500, 0xff)],
    ['too large when unpacked', deflateRawSync(Buffer.alloc(65 << 20))],
  ];

  it.each(broken)(
    '%s: the answers are those of an unreadable file, and maintenance goes on past it',
    async (_, set) => {
      const { owner, token, series, instance } = await withStudy(2);
      const { gateway } = test;
      const { Image, Position } = gateway.models;
      const image = (await imagesOf(owner)).find(({ place }) => place?.instance === 1);
      if (!image) throw new Error('Nothing was stored.');
      const bytes = partTen(set, syntaxes.deflated);
      const blob = newId();
      const parts = async function* () {
        yield bytes;
      };
      await gateway.blobs.write(blob, unwrapDataKey(gateway.keys.images, String(image._id), image.dataKey), parts());
      await Image.updateOne({ _id: image._id }, { $set: { blob, size: bytes.length } });
      // The attributes that the upload found in it.
      const header = await ask(token, `${instance}/metadata`);
      expect(header.status).toBe(200);
      expect((await jsonOf(header))[0]['00080018'].Value).toEqual([instance.split('/').at(-1)]);
      for (const path of ['/frames/1', '/bulkdata/7FE00010']) {
        const answer = await ask(token, `${instance}${path}`);
        expect([answer.status, (await jsonOf(answer)).error]).toEqual([422, 'UNREADABLE_FILE']);
      }
      await Image.updateMany({ owner: owner._id }, { $unset: { instance: 1 } });
      await Position.deleteMany({});
      while (await indexInstances(gateway));
      expect(await jsonOf(await ask(token, `${series}/instances`))).toHaveLength(1);
      const last = await Image.findOne({ contentType: 'application/dicom' }).sort({ _id: -1 }).lean();
      expect((await Position.findById('indexInstances').lean())?.after).toEqual(last?._id);
    },
  );
});
