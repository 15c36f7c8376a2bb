import { once } from 'node:events';
import { connect } from 'node:net';
import { io, type Socket } from 'socket.io-client';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { mutate, Random } from './random.js';

/** Almost valid frames. The generator adds faults to them. */
const frames = [
  '42["message:send",{"recipientId":"aaaaaaaaaaaaaaaaaaaaaaaa","content":"x"}]',
  '421["message:send",{"recipientId":"aaaaaaaaaaaaaaaaaaaaaaaa","content":"x","clientId":"x"}]',
  '422["message:delivered",{"ids":["aaaaaaaaaaaaaaaaaaaaaaaa"]}]',
  '423["message:read",{"userId":"aaaaaaaaaaaaaaaaaaaaaaaa","upTo":"aaaaaaaaaaaaaaaaaaaaaaaa"}]',
  '424["typing",{"userId":"aaaaaaaaaaaaaaaaaaaaaaaa"}]',
  '42["x",{]',
  '42[]',
  '42{}',
  '42[{}]',
  '42["__proto__",{"__proto__":{"x":1}}]',
  '42["disconnecting"]',
  '421000000000000000000000["nonsense",{}]',
  `425["message:send",${'['.repeat(5000)}${']'.repeat(5000)}]`,
  '4511-["x"]',
  '451-["x",{"_placeholder":true,"num":9}]',
  '461-1[{"_placeholder":true,"num":0}]',
  '40/other,{"token":"x"}',
  '40{"token":"x"}',
  '41',
  '43999[]',
  '44{"message":"x"}',
  '49',
  '2probe',
  '5',
  '1',
];

/** Raw HTTP requests for the handshake, without any library. */
const handshakes = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  'GET /socket.io/?EIO=3&transport=polling HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'POST /socket.io/?EIO=4&transport=polling&sid=nobody HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n40',
];

const TIMEOUT_MS = 5_000;

/** Sends broken frames on valid sockets, and broken handshakes. Another client must be served all the time. */
export async function fuzzSockets({ product, people, wishes, say }: Campaign): Promise<Row[]> {
  const token = await people.token('patient');
  const watcher = await open(product.url, await people.token('healthProvider'));
  const end = wishes.minutes ? Date.now() + (wishes.minutes * 60_000) / 2 : Number.POSITIVE_INFINITY;
  const rounds = wishes.examples ?? 60;

  const run = async (campaign: string, corpus: string[], send: (bytes: Buffer) => Promise<void>): Promise<Row> => {
    const findings = new Findings(say);
    const random = new Random(wishes.seed);
    for (let round = 0; round < rounds && Date.now() < end; round++) {
      for (const text of corpus) {
        const bytes = round === 0 ? Buffer.from(text) : mutate(Buffer.from(text), random);
        findings.requests++;
        await send(bytes).catch((error: Error) =>
          findings.add(`${JSON.stringify(text.slice(0, 60))}: ${error.message}`),
        );
      }
      if (!(await isServed(watcher)))
        findings.add(`round ${round} of seed ${wishes.seed}: another client is not served`);
    }
    await expectAlive(product, findings);
    return { campaign, operations: corpus.length, requests: findings.requests, failures: findings.lines.length };
  };

  const frame = new FrameSender(product.url, token);
  const rows = [
    await run('socket frames', frames, (bytes) => frame.send(bytes)),
    await run('socket handshakes', handshakes, (bytes) => knock(product.url, bytes)),
  ];
  frame.close();
  watcher.close();
  return rows;
}

function open(url: string, token: string | null): Promise<Socket> {
  const socket = io(url, { auth: { token }, transports: ['websocket'], reconnection: false, forceNew: true });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('connect_error', reject);
  });
}

const isServed = (socket: Socket): Promise<boolean> =>
  socket
    .timeout(TIMEOUT_MS)
    .emitWithAck('nonsense', {})
    .then(
      (answer: { error?: string }) => answer.error === 'NOT_FOUND',
      () => false,
    );

/** Sends frames on a socket, and opens a new one when the server has closed it. Most frames cause that. */
class FrameSender {
  private socket: Socket | null = null;

  constructor(
    private readonly url: string,
    private readonly token: string | null,
  ) {}

  async send(bytes: Buffer): Promise<void> {
    if (!this.socket?.connected) this.socket = await open(this.url, this.token);
    const { transport } = this.socket.io.engine as unknown as {
      transport: { ws: { send: (data: Buffer | string, done: () => void) => void } };
    };
    const text = bytes.toString();
    // Bytes that are not valid UTF-8 are sent as a binary frame.
    const data = Buffer.from(text).equals(bytes) ? text : bytes;
    await new Promise<void>((resolve) => transport.ws.send(data, resolve));
  }

  close(): void {
    this.socket?.close();
  }
}

/** Sends bytes to the port of the product, and waits for an answer, the end of the connection or a timeout. */
async function knock(url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  socket.write(bytes);
  // The server waits for the end of an incomplete request; this client does not.
  await Promise.race([once(socket, 'data'), once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 150))]);
  socket.destroy();
}
