import { setTimeout as sleep } from 'node:timers/promises';
import { oid } from '@lightbox/core/db/ids.js';
import { MAJORITY_MS } from '@lightbox/core/db/majority.js';
import { phantom } from '@lightbox/testkit/part10.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { noisePng } from '../bench/files.js';
import { Account, type Encounters } from './account.js';
import { admin, type Cluster, startCluster } from './cluster.js';
import { enterPeople, password } from './people.js';
import { failPoints } from './replicaSet.js';
import { uploadOne } from './uploader.js';

/** The longest time until an answer: docs/reliability.md has half of it; the rest is for an election, and a busy machine. */
const ANSWER_MS = 3 * MAJORITY_MS;

let cluster: Cluster;
let provider: Account;
let patient: Account;
let other: Account;
let administrator: Account;
/** The id of an account that nobody uses. */
let unused: string;

beforeAll(async () => {
  cluster = await startCluster({ mongodOptions: failPoints });
  const { providers, patients } = await enterPeople(cluster.core, 1, 3);
  const met: Encounters = { faults: [], repeats: 0, refused: [] };
  const origins = cluster.gateways.map(({ origin }) => origin);
  const signIn = async (email = '', secret = password) => {
    const account = new Account(origins, met);
    await account.signIn(email, secret, cluster.mailbox);
    return account;
  };
  administrator = await signIn(admin.email, admin.password);
  provider = await signIn(providers[0]);
  patient = await signIn(patients[0]);
  other = await signIn(patients[1]);
  unused = String((await cluster.core.models.User.findOne({ email: patients[2] ?? '' }, { _id: 1 }).lean())?._id);
}, 400_000);

afterAll(() => cluster?.stop(), 60_000);

interface Write {
  name: string;
  by: Account;
  method?: 'POST' | 'PUT';
  path: string;
  body: object | FormData;
  /** Counts the records that the call and its repetitions made: 1, if all is right. */
  made?: () => Promise<number>;
}

interface Answered {
  write: string;
  status: number;
  error: string | undefined;
  id: string | undefined;
  ms: number;
}

async function send({ name, by, method = 'POST', path, body }: Write, gateway: 0 | 1, key: string): Promise<Answered> {
  const since = Date.now();
  const isForm = body instanceof FormData;
  const answer = await fetch(`${cluster.gateways[gateway].origin}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${by.bearer}`,
      'idempotency-key': key,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const { data, error } = (await answer.json()) as { data?: { id?: string }; error?: string };
  return { write: name, status: answer.status, error, id: data?.id, ms: Date.now() - since };
}

function formWith(caption: string): FormData {
  const form = new FormData();
  form.set('caption', caption);
  form.set('file', new Blob([new Uint8Array(noisePng(200_000))], { type: 'image/png' }), 'picture.png');
  return form;
}

/** A call for each way in which the product writes. All of one person at once: their transactions write one session. */
async function writes(mark: string): Promise<Write[]> {
  const { Event, GuestLink, Image, ImageRequest, Message, Setting, Share, Study } = cluster.core.models;
  const upload = async () => (await uploadOne(provider, 1, patient.id)).id;
  const [shared, linked, sent, attached] = [await upload(), await upload(), await upload(), await upload()];
  const [by, withImage] = [provider, `${mark} with an image`];
  const requestsBefore = await ImageRequest.countDocuments({});
  return [
    {
      name: 'setting',
      by: administrator,
      path: '/appsetting/add',
      body: { name: mark, value: 'x', description: '' },
      made: () => Setting.countDocuments({ name: mark }),
    },
    {
      name: 'share',
      by,
      path: '/sharing/request',
      body: { imagemetadataId: shared, createdfor: patient.id },
      made: () => Share.countDocuments({ image: oid(shared) }),
    },
    {
      name: 'shares',
      by,
      path: '/sharing/batch',
      body: { images: [sent], people: [patient.id, other.id] },
      made: async () => (await Share.countDocuments({ image: oid(sent) })) / 2,
    },
    {
      name: 'link',
      by,
      path: '/sharing/guest',
      body: { imagemetadataId: linked },
      made: () => GuestLink.countDocuments({ image: oid(linked) }),
    },
    {
      name: 'study',
      by,
      path: '/studies',
      body: { title: mark },
      made: () => Study.countDocuments({ title: mark }),
    },
    {
      name: 'request',
      by,
      path: '/requests',
      body: { kind: 'file' },
      made: async () => (await ImageRequest.countDocuments({})) - requestsBefore,
    },
    {
      name: 'message',
      by,
      path: '/message/send',
      body: { recipientId: patient.id, content: mark },
      made: () => Message.countDocuments({ content: mark }),
    },
    {
      name: 'message with an image',
      by,
      path: '/message/send',
      body: { recipientId: other.id, content: withImage, images: [attached] },
      made: () => Message.countDocuments({ content: withImage }),
    },
    {
      name: 'upload',
      by,
      path: '/upload/image',
      body: formWith(mark),
      made: () => Image.countDocuments({ caption: mark }),
    },
    {
      name: 'deactivation',
      by: administrator,
      method: 'PUT',
      path: `/users/toggleUserStatus/${unused}`,
      body: { active: false },
      made: () => Event.countDocuments({ type: 'user.deactivate', record: oid(unused) }),
    },
    { name: 'profile', by: patient, method: 'PUT', path: '/users/profile', body: { city: mark } },
  ];
}

it.each([
  ['takes nothing from the primary', 'stall'],
  ['stands still', 'freeze'],
] as const)(
  'While a majority %s, each call that writes is answered soon that its end is not known, and its repetition gives the one result.',
  async (_, fault) => {
    const calls = (await writes(fault)).map((write) => ({ write, key: crypto.randomUUID() }));
    const answers: Promise<Answered>[] = [];
    const goOn = await cluster.mongodb[fault](await cluster.mongodb.secondaries());
    try {
      for (const gateway of [0, 1, 0] as const) {
        answers.push(...calls.map(({ write, key }) => send(write, gateway, key)));
        await sleep(2_000);
      }
      const came = await Promise.all(answers);
      // A primary that steps down meanwhile, as on a busy machine, is `UNAVAILABLE` to the calls that come after it.
      expect(came.filter(({ error }) => error !== 'UNCONFIRMED' && error !== 'UNAVAILABLE')).toEqual([]);
      if (fault === 'stall') expect(came.some(({ error }) => error === 'UNCONFIRMED')).toBe(true);
      expect(came.filter(({ ms }) => ms > ANSWER_MS)).toEqual([]);
    } finally {
      await goOn();
    }
    for (const { write, key } of calls) {
      const repeated = async () => {
        const answer = await send(write, 1, key);
        expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
        return answer;
      };
      const first = await vi.waitFor(repeated, { timeout: 60_000, interval: 500 });
      expect((await repeated()).id).toBe(first.id);
      if (write.made) expect([write.name, await write.made()]).toEqual([write.name, 1]);
    }
  },
  240_000,
);

/** Sends a DICOM file by STOW-RS, as a device does. */
async function sendFile(token: string, file: Buffer, gateway: 0 | 1): Promise<number> {
  const boundary = 'the-boundary';
  const answer = await fetch(`${cluster.gateways[gateway].origin}/dicom-web/studies`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/related; type="application/dicom"; boundary=${boundary}`,
    },
    body: Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Type: application/dicom\r\n\r\n`),
      file,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  });
  await answer.arrayBuffer();
  return answer.status;
}

it('A DICOM file that a device sends again is acknowledged when a majority has it, and not before.', async () => {
  const { token } = await provider.ask<{ token: string }>('POST', '/auth/tokens', {
    body: { name: 'Device', scopes: ['dicom'], days: 1 },
  });
  for (const gateway of [0, 1] as const) expect(await sendFile(token, phantom({ study: '4710' }), gateway)).toBe(200);
  const file = phantom({ study: '4711' });
  const goOn = await cluster.mongodb.stall(await cluster.mongodb.secondaries());
  try {
    expect(await sendFile(token, file, 0)).toBe(503);
    expect(await Promise.all([sendFile(token, file, 0), sendFile(token, file, 1)])).toEqual([503, 503]);
  } finally {
    await goOn();
  }
  await vi.waitFor(async () => expect(await sendFile(token, file, 1)).toBe(200), { timeout: 60_000, interval: 500 });
  const { Image } = cluster.core.models;
  expect(await Image.countDocuments({ owner: oid(provider.id), contentType: 'application/dicom' })).toBe(2);
}, 180_000);

it('Marks that no majority has are shown to nobody.', async () => {
  const { id } = await uploadOne(provider, 1, patient.id);
  const path = `/upload/image/${id}/annotations`;
  const points = [
    [10, 20],
    [40, 60],
  ];
  const marks = [{ id: crypto.randomUUID(), kind: 'length', frame: 1, points }];
  const save = async () =>
    send(
      { name: 'marks', by: provider, method: 'PUT', path, body: { version: 0, shared: true, marks } },
      0,
      crypto.randomUUID(),
    );
  const shown = async (gateway: 0 | 1): Promise<unknown[]> => {
    const headers = { authorization: `Bearer ${administrator.bearer}` };
    const answer = await fetch(`${cluster.gateways[gateway].origin}/api${path}`, { headers });
    const { data } = (await answer.json()) as { data?: { layers: unknown[] } };
    return data?.layers ?? [];
  };
  // A read after the first one of a session is counted, and writes no entry of the log.
  expect(await administrator.ask('GET', path)).toMatchObject({ layers: [] });
  const goOn = await cluster.mongodb.stall(await cluster.mongodb.secondaries());
  try {
    expect(await save()).toMatchObject({ status: 503 });
    expect([await shown(0), await shown(1)]).toEqual([[], []]);
  } finally {
    await goOn();
  }
  const isShown = async () => {
    expect((await save()).error).toBe('MARKS_CHANGED');
    expect(await administrator.ask('GET', path)).toMatchObject({ layers: [{ shared: true, marks }] });
  };
  await vi.waitFor(isShown, { timeout: 60_000, interval: 500 });
}, 180_000);
