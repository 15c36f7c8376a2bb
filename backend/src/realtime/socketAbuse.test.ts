import { limits } from '@lightbox/contract/limits.js';
import { throttles } from '@lightbox/contract/throttles.js';
import { io } from 'socket.io-client';
import request from 'supertest';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, connectSocket, type TestSocket } from '../testing/client.js';
import { buildPatient, buildProvider } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test } = useGateway({ rateLimits: true });
const open: TestSocket[] = [];

afterEach(() => {
  for (const { socket } of open.splice(0)) socket.close();
});

const connect = async (person: { token: string }): Promise<TestSocket> => {
  const socket = await connectSocket(test.url, { token: person.token });
  open.push(socket);
  return socket;
};

/** The bytes below Socket.IO, where its client writes only what is well formed. */
const wire = ({ socket }: TestSocket) =>
  (socket.io.engine as unknown as { transport: { ws: { send: (frame: string | Buffer) => void } } }).transport.ws;

describe('a handshake', () => {
  it.each([
    ['of an older protocol', 'EIO=3&transport=polling', 400, 5],
    ['by no transport that is known', 'EIO=4&transport=pigeon', 400, 0],
    ['of a session that is not there', 'EIO=4&transport=polling&sid=nobody', 400, 1],
    ['that names a property for a transport', 'EIO=4&transport=__proto__', 400, 0],
  ])('%s is refused', async (_, query, status, code) => {
    const answer = await request(test.url).get(`/socket.io/?${query}`);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('a socket above the limit of one person is refused with its reason, and the open ones stay connected', async () => {
    const person = await buildPatient(test.gateway);
    const all = await Promise.all(Array.from({ length: limits.socketsPerUser }, () => connect(person)));
    await expect(connect(person)).rejects.toThrow(/^Too many connections$/);
    expect(await all[0]?.ask('nonsense')).toMatchObject({ error: 'NOT_FOUND' });
    all[0]?.socket.close();
    await expect.poll(() => connect(person).then(Boolean, () => false)).toBe(true);
    await connect(await buildPatient(test.gateway));
  });

  it('a socket above the limit of a gateway is answered 503, and its client connects when there is space', async () => {
    const changed = limits as { socketsPerGateway: number };
    const most = changed.socketsPerGateway;
    const first = await connect(await buildPatient(test.gateway));
    changed.socketsPerGateway = 1;
    try {
      const { token } = await buildPatient(test.gateway);
      const second = io(test.url, { auth: { token }, forceNew: true });
      open.push({ socket: second } as TestSocket);
      await new Promise((resolve) => second.once('connect_error', resolve));
      expect(second.active).toBe(true);
      first.socket.close();
      await expect.poll(() => second.connected).toBe(true);
    } finally {
      changed.socketsPerGateway = most;
    }
  });
});

describe('events', () => {
  it('events above the limit of a minute are refused with the time to wait, until the next minute', async () => {
    const client = await connect(await buildPatient(test.gateway));
    const { socketEventsPerMinute } = limits.throttle;
    const answers = await Promise.all(Array.from({ length: socketEventsPerMinute + 5 }, () => client.ask('nonsense')));
    expect(answers.filter(({ error }) => error === 'NOT_FOUND')).toHaveLength(socketEventsPerMinute);
    expect(answers.filter(({ error }) => error === 'TOO_MANY_REQUESTS')).toHaveLength(5);
    test.clock.forward({ minutes: 1 });
    expect(await client.ask('nonsense')).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('that send messages share the limit of their sender with HTTP', async () => {
    const [from, to] = [await buildPatient(test.gateway), await buildProvider(test.gateway)];
    const client = await connect(from);
    const payload = { recipientId: to.id, content: 'Hello' };
    const answers = await Promise.all(
      Array.from({ length: throttles.message.points }, () => client.ask('message:send', payload)),
    );
    expect(answers.filter(({ data }) => data)).toHaveLength(throttles.message.points);
    expect(await client.ask('message:send', payload)).toMatchObject({ error: 'TOO_MANY_REQUESTS' });
    await new Client(test.url).as(from).post('/message/send', payload).expect(429);
  });

  it.each([
    ['an id of acknowledgement beyond all numbers', '421000000000000000000000["nonsense",{}]'],
    ['5,000 lists in each other', `42["message:send",${'['.repeat(5000)}${']'.repeat(5000)}]`],
    ['a prototype', '42["message:send",{"__proto__":{"x":1}}]'],
    ['a number for a name', '42[5,{}]'],
    ['a reserved name', '42["disconnecting"]'],
    ['a reserved name of errors', '42["error",{}]'],
    ['no type that is known', '4999'],
    ['a second connection', '40{"token":"x"}'],
    ['a binary frame nobody announced', Buffer.from([1, 2, 3])],
    ['an announcement of 10⁹ binary frames', '451000000000-["x"]'],
  ])('of %s harm nobody', async (_, frame) => {
    const [bad, good] = [
      await connect(await buildPatient(test.gateway)),
      await connect(await buildPatient(test.gateway)),
    ];
    wire(bad).send(frame);
    expect(await good.ask('nonsense')).toMatchObject({ error: 'NOT_FOUND' });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('an event above the frame size closes its socket with 1009', async () => {
    const client = await connect(await buildPatient(test.gateway));
    const closed = new Promise((resolve) => {
      const ws = wire(client) as unknown as { once: (event: 'close', then: (code: number) => void) => void };
      ws.once('close', resolve);
    });
    wire(client).send(`42["message:send",{"content":"${'x'.repeat(limits.socketFrameBytes)}"}]`);
    expect(await closed).toBe(1009);
  });
});
