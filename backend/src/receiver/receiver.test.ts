import { checks } from '@lightbox/core/selfCheck/checks.js';
import { associateRequest, CT, DicomSender, dataPdu, lyingPdu, messageOf, pdu } from '@lightbox/testkit/dicomSender.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { fresh } from '../testing/dicomWeb.js';
import { buildAdmin, buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';
import type { ReceiverLimits } from './limits.js';
import { type RunningReceiver, startReceiver } from './receiver.js';

const { test, api } = useGateway();
let receiver: RunningReceiver;
/** It waits for less. */
let hasty: RunningReceiver;
let admin: Person;

const few = { associations: 12, associationsPerNode: 10, connections: 300 };
/** Short enough for a test to wait for them. */
const short = { requestMs: 400, pduMs: 400, idleMs: 400 };

const start = (changes: Partial<ReceiverLimits> = {}) =>
  startReceiver(
    { ...test.config, dicom: { host: '127.0.0.1', port: 0, title: 'LIGHTBOX', tls: null } },
    test.clock,
    changes,
  );

beforeAll(async () => {
  receiver = await start(few);
  hasty = await start(short);
  await Promise.all([receiver.ready, hasty.ready]);
  admin = await buildAdmin(test.gateway);
});
afterAll(async () => {
  await Promise.all([receiver.stop(), hasty.stop()]);
  await closeInspectors();
});

let last = 0;
async function bind(owner: Person, addresses: string[] = []) {
  const title = `CT${last++}`;
  const { body } = await api.as(admin).post('/dicom-nodes', { title, addresses, userId: owner.id }).expect(201);
  return { title, id: body.data.id as string };
}
const call = (calling: string, called = 'LIGHTBOX', { port } = receiver) =>
  DicomSender.connect({ port, calling, called });

async function associated(title: string, by = receiver) {
  const sender = await call(title, 'LIGHTBOX', by);
  expect(await sender.associate()).toBe('accepted');
  return sender;
}
/** Runs the work while a setting has another value. */
async function withSetting(name: string, value: number, work: () => Promise<void>): Promise<void> {
  const { body } = await api
    .as(admin)
    .post('/appsetting/add', { name, value: String(value) })
    .expect(201);
  receiver.gateway.settings.forget();
  await work();
  await test.gateway.models.Setting.deleteOne({ _id: body.data.id });
  receiver.gateway.settings.forget();
}

/** Returns the number of blobs that belong to no image: what refused files have left. */
async function leftBlobs(): Promise<number> {
  const kept = await test.gateway.models.Image.distinct('blob');
  return (await test.gateway.db.db?.collection('blobs.files').countDocuments({ _id: { $nin: kept } })) ?? -1;
}
const imagesOf = (owner: Person) => test.gateway.models.Image.find({ owner: owner._id }).lean();

describe('the receiver', () => {
  it('is known to the self-check while it is ready', async () => {
    await bind(await buildProvider(test.gateway));
    await expect.poll(async () => (await checks.receiver(test.gateway)).state).toBe('ok');
    const { saw } = await checks.receiver(test.gateway);
    expect(saw.map(({ fact }) => fact)).toEqual(['devices', 'receiverSeen']);
  });

  it('answers an echo, stores a study as it was sent, and shows it to its owner', async () => {
    const owner = await buildProvider(test.gateway);
    const { title, id } = await bind(owner);
    const study = fresh();
    const files = [1, 2, 3].map((instance) => phantom({ study, instance, z: instance }));
    const sender = await associated(title);
    expect(await sender.echo()).toBe(0);
    for (const file of files) expect(await sender.store(file)).toBe(0);
    expect(await sender.release()).toBe(true);

    const { body } = await api.as(owner).get('/upload/my-images?grouped=true').expect(200);
    expect(body.data).toMatchObject([{ study: { imageCount: 3, modalities: ['CT'] } }]);
    const images = await imagesOf(owner);
    for (const { _id } of images) {
      const answer = await fetch(`${test.url}/api/upload/image/${_id}/content`, {
        headers: { Authorization: `Bearer ${owner.token}` },
      });
      const back = Buffer.from(await answer.arrayBuffer());
      const sent = files.map((file) => messageOf(file).dataSet).find((dataSet) => back.includes(dataSet));
      expect(messageOf(back)).toMatchObject({ sopClass: CT, dataSet: sent });
    }
    const events = await test.gateway.models.Event.find({ actor: owner._id, type: 'image.upload' }).lean();
    expect(events.map(({ node }) => String(node))).toEqual([id, id, id]);
  });

  it('stores the same file once, and refuses another file with its UID', async () => {
    const owner = await buildProvider(test.gateway);
    const { title } = await bind(owner);
    const file = phantom({ study: fresh() });
    const sender = await associated(title);
    expect([await sender.store(file), await sender.store(file)]).toEqual([0, 0]);
    const other = Buffer.from(file);
    other.writeUInt8(other.readUInt8(other.length - 2) ^ 1, other.length - 2);
    expect(await sender.store(other)).toBe(0x0111);
    expect(await imagesOf(owner)).toHaveLength(1);
    await sender.release();
  });

  it('answers each refusal with its status, stores nothing of it, and goes on', async () => {
    const owner = await buildProvider(test.gateway);
    const { title } = await bind(owner);
    const sender = await associated(title);
    const message = messageOf(phantom({ study: fresh() }));
    expect(await sender.store({ ...message, instance: '2.25.1' })).toBe(0xa900);
    expect(await sender.store({ ...message, sopClass: '1.2.840.10008.5.1.4.1.1.4' })).toBe(0xa900);
    expect(await sender.store({ ...message, dataSet: Buffer.from('garbage'.repeat(4_000)) })).toBe(0xc000);
    expect(await sender.store({ ...message, instance: '../../etc/passwd' })).toBe(0xc000);
    expect(await sender.store({ ...message, field: 0x20 })).toBe(0x0211);
    await withSetting('upload.maxBytes', 1024 * 1024, async () => {
      expect(await sender.store(phantom({ study: fresh(), frames: 40 }))).toBe(0xa700);
    });
    expect(await sender.store(message)).toBe(0);
    await withSetting('quota.files', 1, async () => {
      expect(await sender.store(phantom({ study: fresh() }))).toBe(0xa700);
    });
    await sender.release();
    expect(await imagesOf(owner)).toHaveLength(1);
    expect(await leftBlobs()).toBe(0);
  });

  it('rejects strangers, another address, another receiver, and accounts that may not upload', async () => {
    const owner = await buildProvider(test.gateway);
    const [elsewhere, here] = [await bind(owner, ['10.0.0.0/8', '2001:db8::/32']), await bind(owner, ['127.0.0.0/8'])];
    const { title } = await bind(owner);
    const answers = [];
    for (const [calling, called] of [
      ['NOBODY'],
      [elsewhere.title],
      [title, 'OTHER'],
      [title.toLowerCase()],
      [here.title],
    ]) {
      const sender = await call(calling as string, called);
      answers.push(await sender.associate());
      sender.socket.destroy();
    }
    expect(answers).toEqual(['rejected 1 1 3', 'rejected 1 1 3', 'rejected 1 1 7', 'rejected 1 1 3', 'accepted']);
    await api.as(admin).put(`/users/toggleUserStatus/${owner.id}`).expect(200);
    expect(await (await call(title)).associate()).toBe('rejected 1 1 1');
    const refused = await test.gateway.models.Event.find({ type: 'dicomNode.refused' }).lean();
    expect(refused.map(({ record, reason }) => [String(record), reason])).toEqual(
      expect.arrayContaining([[elsewhere.id, 'ADDRESS']]),
    );
  });

  it('refuses the next file of a running association when its binding, its account or its right ends', async () => {
    const end: ((owner: Person, id: string) => Promise<unknown>)[] = [
      (_owner, id) => api.as(admin).del(`/dicom-nodes/${id}`).expect(200),
      (owner) => api.as(admin).put(`/users/toggleUserStatus/${owner.id}`).expect(200),
      (owner) => api.as(admin).del(`/users/${owner.id}`).expect(200),
    ];
    for (const ends of end) {
      const owner = await buildProvider(test.gateway);
      const { title, id } = await bind(owner);
      const sender = await associated(title);
      expect(await sender.echo()).toBe(0);
      // The file is on its way, and ends after the binding.
      const { dataSet, ...rest } = messageOf(phantom({ study: fresh() }));
      sender.begin({ ...rest, dataSet });
      sender.socket.write(dataPdu(3, 0, dataSet.subarray(0, 10_000)));
      await ends(owner, id);
      sender.socket.write(dataPdu(3, 2, dataSet.subarray(10_000)));
      expect(await sender.reply()).toBe(0x0124);
      expect(await sender.store(phantom({ study: fresh() }))).toBe(0x0124);
      expect(await imagesOf(owner)).toHaveLength(0);
      await sender.release();
    }
    expect(await leftBlobs()).toBe(0);
  });

  it('leaves nothing of a file whose sender goes away, is silent, or breaks the protocol', async () => {
    const owner = await buildProvider(test.gateway);
    const { title } = await bind(owner);
    const { dataSet, ...rest } = messageOf(phantom({ study: fresh() }));
    const half = dataSet.subarray(0, dataSet.length / 2);
    const ends: ((sender: DicomSender) => void)[] = [
      (sender) => sender.socket.destroy(),
      (sender) => sender.socket.end(),
      (sender) => sender.socket.write(pdu(7, Buffer.alloc(4))),
      (sender) => sender.socket.write(pdu(5, Buffer.alloc(4))),
      (sender) => sender.socket.write(lyingPdu(4, 0xffffffff, Buffer.alloc(1000))),
      (sender) => sender.socket.write(lyingPdu(4, 100_000, Buffer.alloc(1000))),
      (sender) => sender.socket.write(dataPdu(1, 2, half)),
      // Silence.
      () => undefined,
    ];
    await Promise.all(
      ends.map(async (ending) => {
        const sender = await associated(title, hasty);
        sender.begin({ ...rest, dataSet });
        sender.socket.write(dataPdu(3, 0, half));
        ending(sender);
        while (await sender.next());
        expect(sender.socket.destroyed || sender.socket.readableEnded).toBe(true);
      }),
    );
    await expect.poll(leftBlobs).toBe(0);
    expect(await imagesOf(owner)).toHaveLength(0);
    const sender = await associated(title);
    expect(await sender.store({ ...rest, dataSet })).toBe(0);
    await sender.release();
  });

  it('ends connections that send no association request, too slowly, or garbage', async () => {
    const begun = performance.now();
    const sent: Buffer[] = [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]),
      lyingPdu(1, 0xffffffff, Buffer.alloc(100_000)),
      lyingPdu(1, 60_000, Buffer.alloc(100)),
      pdu(1, Buffer.alloc(40)),
      pdu(1, Buffer.from([0, 1, 0, 0]), Buffer.alloc(64, 65), Buffer.from([0x20, 0, 0xff, 0xff])),
      pdu(4, Buffer.from([0, 0, 0, 2, 1, 3])),
      Buffer.alloc(0),
    ];
    await Promise.all(
      sent.map(async (bytes) => {
        const sender = await call('GARBAGE', 'LIGHTBOX', hasty);
        sender.socket.write(bytes);
        while (await sender.next());
      }),
    );
    const slow = await call('SLOW', 'LIGHTBOX', hasty);
    const drops = setInterval(() => slow.socket.write(Buffer.from([1])), 100);
    while (await slow.next());
    clearInterval(drops);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('does not hold its own standstill against the sender', async () => {
    const { title } = await bind(await buildProvider(test.gateway));
    const sender = await associated(title, hasty);
    const echo = sender.echo();
    // The request lies at the receiver, whose process is busy for longer than a sender may wait.
    const begun = performance.now();
    while (performance.now() - begun < 2 * short.idleMs);
    expect(await echo).toBe(0);
    await sender.release();
  });

  it('ends a connection whose association request is not whole in its time, however long other PDUs may take', async () => {
    const waiting = await start({ requestMs: 400, pduMs: 600_000 });
    await waiting.ready;
    const sender = await call('SLOW', 'LIGHTBOX', waiting);
    sender.socket.write(lyingPdu(1, 60_000, Buffer.alloc(100)));
    while (await sender.next());
    expect(sender.socket.destroyed || sender.socket.readableEnded).toBe(true);
    await waiting.stop();
  });

  it('counts a device once whose refusal could not be recorded, and records the next one', async () => {
    const owner = await buildProvider(test.gateway);
    const { title, id } = await bind(owner);
    const narrow = await start({ associationsPerNode: 2 });
    await narrow.ready;
    const running = await associated(title, narrow);
    const from = (addresses: string[]) =>
      api.as(admin).put(`/dicom-nodes/${id}`, { title, addresses, userId: owner.id }).expect(200);
    const answer = async () => (await call(title, 'LIGHTBOX', narrow)).associate();
    await from(['10.0.0.0/8']);
    vi.spyOn(narrow.gateway.events, 'record').mockRejectedValueOnce(new Error('The log is away.'));
    expect([await answer(), await answer()]).toEqual(['rejected 2 3 1', 'rejected 1 1 3']);
    const refused = { type: 'dicomNode.refused' as const, record: id };
    expect(await test.gateway.models.Event.countDocuments(refused)).toBe(1);
    await from([]);
    expect([await answer(), await answer()]).toEqual(['accepted', 'rejected 2 3 2']);
    running.socket.destroy();
    await narrow.stop();
  });

  it('serves as many associations as its limits allow, rejects the others for now, and serves on', async () => {
    const [one, two] = [await bind(await buildProvider(test.gateway)), await bind(await buildProvider(test.gateway))];
    const senders = await Promise.all(Array.from({ length: 200 }, (_, i) => call(i < 150 ? one.title : two.title)));
    const answers = await Promise.all(senders.map((sender) => sender.associate()));
    expect(answers.filter((answer) => answer === 'accepted').length).toBe(few.associations);
    expect(answers.slice(0, 150).filter((answer) => answer === 'accepted').length).toBe(few.associationsPerNode);
    expect(new Set(answers)).toEqual(new Set(['accepted', 'rejected 2 3 2']));
    for (const { socket } of senders) socket.destroy();
    const again = async () => {
      const sender = await call(two.title);
      return (await sender.associate()) === 'accepted' && sender.release();
    };
    await expect.poll(again).toBe(true);
  });

  it('accepts storage with the first transfer syntax that it stores, and nothing else', async () => {
    const { title } = await bind(await buildProvider(test.gateway));
    const sender = await call(title);
    sender.socket.write(
      associateRequest(title, 'LIGHTBOX', [
        { id: 1, sopClass: CT, syntaxes: ['1.2.840.10008.1.2.4.94', '1.2.840.10008.1.2.4.90', '1.2.840.10008.1.2'] },
        { id: 3, sopClass: '1.2.840.10008.5.1.4.1.2.2.1', syntaxes: ['1.2.840.10008.1.2'] },
        { id: 5, sopClass: CT, syntaxes: ['1.2.3'] },
      ]),
    );
    const answer = await sender.next();
    const content = answer?.content ?? Buffer.alloc(0);
    const results: Record<number, number> = {};
    for (let at = 68; at < content.length; at += 4 + content.readUInt16BE(at + 2)) {
      if (content[at] === 0x21) results[content.readUInt8(at + 4)] = content.readUInt8(at + 6);
    }
    expect(results).toEqual({ 1: 0, 3: 3, 5: 4 });
    expect(content.toString('latin1')).toContain('1.2.840.10008.1.2.4.90');
    await sender.release();
  });
});

describe('the devices', () => {
  it('are made, changed and removed by an administrator, with one device for each AE title', async () => {
    const [owner, other] = [await buildProvider(test.gateway), await buildProvider(test.gateway)];
    const { title, id } = await bind(owner, ['10.1.2.0/24']);
    const send = (body: object) => api.as(admin).post('/dicom-nodes', body);
    await send({ title, addresses: [], userId: other.id }).expect(409);
    const patient = await buildPatient(test.gateway);
    for (const [body, field] of [
      [{ title: 'TOO-LONG-AN-AE-TITLE', addresses: [], userId: owner.id }, 'title'],
      [{ title: 'A\\B', addresses: [], userId: owner.id }, 'title'],
      [{ title: 'OK1', addresses: ['10.1.2.3/99'], userId: owner.id }, 'addresses.0'],
      [{ title: 'OK1', addresses: [], userId: patient.id }, 'userId'],
    ] as const) {
      const { body: refused } = await send(body).expect(422);
      expect(refused.errors[0].field).toBe(field);
    }
    const changed = { title: `${title}X`, addresses: [], userId: other.id };
    await api.as(admin).put(`/dicom-nodes/${id}`, changed).expect(200);
    const { body } = await api.as(admin).get('/dicom-nodes').expect(200);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        id,
        title: `${title}X`,
        user: expect.objectContaining({ id: other.id }),
        accepted: true,
      }),
    );
    await api.as(admin).del(`/dicom-nodes/${id}`).expect(200);
    await api.as(admin).del(`/dicom-nodes/${id}`).expect(404);
    const events = await test.gateway.models.Event.find({ record: id }).sort({ _id: 1 }).lean();
    expect(events.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'dicomNode.created success',
      'dicomNode.changed success',
      'dicomNode.removed success',
      'dicomNode.removed denied',
    ]);
  });
});
