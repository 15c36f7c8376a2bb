import { randomUUID } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { VoiceDoc } from '@lightbox/core/models/voice.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildAdmin, buildPatient, buildProvider, PASSWORD, type Person } from '../../testing/factories.js';
import { mp4Recording, webmRecording } from '../../testing/recordings.js';
import { useGateway } from '../../testing/useGateway.js';

const { test, api } = useGateway();
let patient: Person;
let provider: Person;

beforeEach(async () => {
  patient = await buildPatient(test.gateway);
  provider = await buildProvider(test.gateway);
});

function speak(from: Person, to: Person, file: Buffer | null = webmRecording, fields: Record<string, string> = {}) {
  const parts = Object.entries({ recipientId: to.id, ...fields }).map(([name, value]) => ({ name, value }));
  return api.as(from).form({ path: '/message/voice', parts: [...parts, ...(file ? [{ name: 'file', file }] : [])] });
}
const sent = async (...args: Parameters<typeof speak>) => (await speak(...args).expect(201)).body.data as Message;
const voiceOf = (message: Message) => message.voice?.id ?? '';
const hear = (who: Person | null, id: string) => api.as(who).get(`/message/voice/${id}`).buffer(true);
const blobs = () =>
  test.gateway.db.collection('blobs.files').countDocuments({}, { readConcern: { level: NEWEST } } as object);
const events = (type: 'voice.sent' | 'voice.played' | 'voice.removed', record: string) =>
  test.gateway.models.Event.find({ type, record: oid(record) })
    .readConcern(NEWEST)
    .lean<EventDoc[]>();

describe('a voice message', () => {
  it.each([
    ['audio/webm', webmRecording],
    ['audio/mp4', mp4Recording],
  ])('the two people of a chat hear a recording of %s, and nobody else does', async (type, file) => {
    const message = await sent(patient, provider, file);
    const id = voiceOf(message);
    expect(message).toMatchObject({ content: '', voice: { contentType: type, seconds: 0.8 } });
    const others = [
      await buildPatient(test.gateway),
      await buildProvider(test.gateway),
      await buildAdmin(test.gateway),
    ];
    for (const [who, status] of [
      [patient, 200],
      [provider, 200],
      ...others.map((other) => [other, 404] as const),
      [null, 401],
    ] as const) {
      const answer = await hear(who, id).expect(status);
      if (status === 200) {
        expect(answer.get('content-type')).toBe(type);
        expect(answer.body.equals(file)).toBe(true);
      }
    }
    const part = await hear(provider, id).set('Range', 'bytes=4-7').expect(206);
    expect(part.get('content-range')).toBe(`bytes 4-7/${file.length}`);
    expect(part.body.equals(file.subarray(4, 8))).toBe(true);
    await hear(provider, id).set('Range', `bytes=${file.length}-`).expect(416);

    expect(await events('voice.sent', id)).toMatchObject([{ actor: patient._id, status: 'success' }]);
    const played = await events('voice.played', id);
    expect(played.filter(({ status }) => status === 'success')).toHaveLength(3);
    expect(played.filter(({ status }) => status === 'denied')).toHaveLength(3);
  });

  it('a recording is stored sealed, and the chat and its list show that there is one', async () => {
    const message = await sent(patient, provider);
    const { Voice } = test.gateway.models;
    const voice = (await Voice.findById(voiceOf(message)).lean()) as VoiceDoc;
    const stored = await test.gateway.db.collection('blobs.chunks').find({ files_id: voice.blob }).toArray();
    expect(stored).toHaveLength(1);
    expect(Buffer.from(stored[0]?.data.buffer).includes('OpusHead')).toBe(false);
    const { body } = await api.as(provider).get(`/message/chat/${patient.id}`).expect(200);
    expect(body.data).toMatchObject([{ id: message.id, voice: message.voice }]);
    const list = await api.as(provider).get('/message/chat-list').expect(200);
    expect(list.body.data[0]).toMatchObject({ lastMessage: { content: '', voice: true }, unread: 1 });
  });

  it('a recording that is sent again at the same time is one message with one blob', async () => {
    const before = await blobs();
    const clientId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => speak(patient, provider, webmRecording, { clientId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    await eventually(async () => expect(await blobs()).toBe(before + 1));
  });

  const changed = (file: Buffer, from: string, to: string) =>
    Buffer.from(file.toString('latin1').replace(from, to), 'latin1');
  it.each<[string, number, Buffer | null, Record<string, string>?]>([
    ['no file', 422, null],
    ['an empty file', 422, Buffer.alloc(0)],
    ['nonsense', 422, Buffer.alloc(100_000, 'nonsense')],
    ['a picture', 422, Buffer.from('ffd8ffe000104a46494600010101', 'hex')],
    ['a cut recording', 422, webmRecording.subarray(0, -10)],
    ['bytes behind the recording', 422, Buffer.concat([webmRecording, Buffer.from('<script>')])],
    ['a recording that is too long', 413, longer(webmRecording, limits.voiceSeconds + 10)],
    ['another codec', 422, changed(webmRecording, 'A_OPUS', 'A_FLAC')],
    ['a film', 422, changed(mp4Recording, 'soun', 'vide')],
    ['a cut MP4 file', 422, mp4Recording.subarray(0, -10)],
    ['boxes in boxes', 422, Buffer.concat([mp4Recording, nested(5_000)])],
    ['a file that is too large', 413, Buffer.alloc(limits.voiceBytes + 1)],
    ['a message of another chat as the answered one', 422, webmRecording, { replyTo: String(newId()) }],
    ['an unknown field', 422, webmRecording, { seconds: '3' }],
  ])('%s is refused and leaves nothing', async (_, status, file, fields = {}) => {
    const before = await blobs();
    await speak(patient, provider, file, fields).expect(status);
    expect(await blobs()).toBe(before);
    expect(await test.gateway.models.Message.countDocuments({ members: patient._id })).toBe(0);
    expect(await test.gateway.models.Voice.countDocuments({ sender: patient._id })).toBe(0);
  });

  it('the download of one’s own data holds the recordings of one’s chats, and no others', async () => {
    const [own, received] = [await sent(patient, provider), await sent(provider, patient, mp4Recording)];
    const foreign = await sent(provider, await buildPatient(test.gateway));
    const { body } = await api.as(patient).get('/users/profile/export').responseType('blob').expect(200);
    expect(body.includes(`voice/${voiceOf(own)}.webm`)).toBe(true);
    expect(body.includes(`voice/${voiceOf(received)}.m4a`)).toBe(true);
    expect(body.includes(voiceOf(foreign))).toBe(false);
  });

  it('a recording goes only to people to whom the sender may write', async () => {
    await speak(patient, await buildPatient(test.gateway)).expect(404);
    await speak(patient, await buildProvider(test.gateway, { active: false })).expect(404);
  });

  it('a closed account takes its recordings with it, and leaves those that it received', async () => {
    const { Voice, Message: Messages } = test.gateway.models;
    const [own, received] = [await sent(patient, provider), await sent(provider, patient)];
    const { blob } = (await Voice.findById(voiceOf(own)).lean()) as VoiceDoc;
    // The answer waits five seconds by the clock for the rest, which maintenance would do later.
    await test.clock.still(async () => api.as(patient).del('/users/profile', { password: PASSWORD }).expect(200));
    await eventually(async () => {
      expect(await Voice.exists({ _id: voiceOf(own) }).readConcern(NEWEST)).toBeNull();
    });
    await hear(provider, voiceOf(own)).expect(404);
    await hear(provider, voiceOf(received)).expect(200);
    expect(await Messages.findById(own.id).readConcern(NEWEST).lean()).toMatchObject({ voice: { removed: true } });
    expect(await test.gateway.models.Tombstone.exists({ _id: blob }).readConcern(NEWEST)).not.toBeNull();
    expect(await events('voice.removed', voiceOf(own))).toMatchObject([{ refs: { blob } }]);
  });
});

/** The recording with one more block, at this second. */
function longer(file: Buffer, second: number): Buffer {
  const time = (second * 1_000).toString(16).padStart(6, '0');
  return Buffer.concat([file, Buffer.from(`1f43b67501ffffffffffffffe783${time}a3858100008000`, 'hex')]);
}

/** Boxes that stand so deep in each other. */
function nested(depth: number): Buffer {
  const file = Buffer.alloc(8 * depth);
  for (let at = 0; at < depth; at++) {
    file.writeUInt32BE(8 * (depth - at), 8 * at);
    file.write('moov', 8 * at + 4, 'latin1');
  }
  return file;
}
