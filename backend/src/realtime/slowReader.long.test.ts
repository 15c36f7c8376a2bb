import { once } from 'node:events';
import type { Socket } from 'node:net';
import { limits } from '@lightbox/contract/limits.js';
import { newId } from '@lightbox/core/db/ids.js';
import { broadcastMessages } from '@lightbox/core/messages/messages.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import { describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildPatient, buildProvider, type Person } from '../testing/factories.js';
import { useTwoGateways } from '../testing/useTwoGateways.js';

const { one, two, connect } = useTwoGateways();

const pair = async () => ({ patient: await buildPatient(one.gateway), provider: await buildProvider(one.gateway) });

describe('a client that reads', () => {
  /** A client that has stopped reading: its own end of the connection, and the gateway's. */
  const stopped = async (person: Person) => {
    const arriving = once(one.server, 'connection');
    const { socket } = await connect(one, person);
    const [far] = (await arriving) as [Socket];
    const wire = (socket.io.engine.transport as unknown as { ws: { _socket: Socket } }).ws._socket;
    wire.pause();
    return { wire, far };
  };

  it('nothing is disconnected soon after its session ends, although it answers no goodbye', async () => {
    const { patient } = await pair();
    const { far } = await stopped(patient);
    await new Client(two.url).as(patient).post('/auth/logout').expect(200);
    await expect.poll(() => far.destroyed).toBe(true);
  });

  it('nothing, or a kilobyte a second, is cut off before it fills the gateway’s memory, and catches up when it comes back', async () => {
    const { patient, provider } = await pair();
    const body = { recipientId: patient.id, content: 'first' };
    await new Client(one.url).as(provider).post('/message/send', body).expect(201);
    const start = await new Client(one.url).as(patient).get('/message/since').expect(200);
    const [silent, slow] = [await stopped(patient), await stopped(patient)];
    const reading = setInterval(() => slow.wire.read(1024), 1_000);

    const [first] = await one.gateway.models.Message.find({ recipient: patient._id }).lean<MessageDoc[]>();
    const many = Array.from({ length: 2_000 }, (_, i): MessageDoc => {
      // Three bytes a letter: more than the machine's own buffers hold.
      const content = '漢'.repeat(limits.messageLength);
      return { ...(first as MessageDoc), _id: newId(), seq: i + 2, content, createAt: one.clock.now() };
    });
    await one.gateway.models.Message.insertMany(many, { lean: true });
    for (let at = 0; at < many.length; at += 200) await broadcastMessages(one.gateway, many.slice(at, at + 200));
    // The gateway's ends are gone, although the clients never said anything.
    const gone = () => [silent, slow].map(({ far }) => far.destroyed);
    const since = performance.now();
    await expect.poll(gone).toEqual([true, true]);
    // A missed ping would end them after more than half a minute.
    expect(performance.now() - since).toBeLessThan(15_000);
    clearInterval(reading);

    const ids = new Set<string>();
    for (let { cursor, more } = { cursor: start.body.data.cursor, more: true }; more; ) {
      const page = await new Client(two.url)
        .as(patient)
        .get(`/message/since?cursor=${encodeURIComponent(cursor)}`)
        .expect(200);
      for (const { id } of page.body.data.messages) ids.add(id);
      ({ cursor, more } = page.body.data);
    }
    expect(many.filter(({ _id }) => !ids.has(String(_id)))).toEqual([]);
  });
});
