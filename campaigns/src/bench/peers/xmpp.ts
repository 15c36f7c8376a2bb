import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Peer } from './program.js';

export const DOMAIN = 'localhost';
const PASSWORD = 'Granite-Willow-77';
const ANSWER_MS = 30_000;
const STREAM = `<?xml version='1.0'?><stream:stream to='${DOMAIN}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`;
const END = '</message>';

/** A person at a server of XMPP, over one connection without encryption (RFC 6120), as the sockets of the product. */
export class XmppConnection {
  private text = '';
  private arrived: (id: string) => void = () => {};
  private talking = false;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true).setEncoding('utf8');
    socket.on('data', (part: string) => {
      this.text += part;
      if (this.talking) this.read();
      else socket.emit('more');
    });
  }

  private static async open({ port }: Peer): Promise<XmppConnection> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_MS) });
    const connection = new XmppConnection(socket);
    await connection.ask(STREAM, '</stream:features>');
    return connection;
  }

  /** Makes an account (XEP-0077). */
  static async register(peer: Peer, name: string): Promise<void> {
    const connection = await XmppConnection.open(peer);
    const account = `<username>${name}</username><password>${PASSWORD}</password>`;
    await connection.ask(
      `<iq type='set' id='register'><query xmlns='jabber:iq:register'>${account}</query></iq>`,
      /<iq[^>]* type=['"]result['"]/,
    );
    connection.disconnect();
  }

  /** Signs in. The server knows then that the person is there. */
  static async signIn(peer: Peer, name: string): Promise<XmppConnection> {
    const connection = await XmppConnection.open(peer);
    const secret = Buffer.from(`\0${name}\0${PASSWORD}`).toString('base64');
    await connection.ask(
      `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${secret}</auth>`,
      '<success',
    );
    await connection.ask(STREAM, '</stream:features>');
    await connection.ask(
      `<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>`,
      /<iq[^>]* type=['"]result['"].*<\/iq>/s,
    );
    await connection.ask('<presence/>', '<presence');
    connection.talking = true;
    return connection;
  }

  /** Calls `arrived` with the id of each message that comes. */
  hear(arrived: (id: string) => void): void {
    this.arrived = arrived;
  }

  /** Sends a message. The server does not acknowledge it: whether it was lost is seen at the other person. */
  send(to: string, id: string, content: string): void {
    this.socket.write(`<message to='${to}@${DOMAIN}' type='chat' id='${id}'><body>${content}</body>${END}`);
  }

  disconnect(): void {
    this.socket.destroy();
  }

  /** Sends a text, and waits until the answer has another one. */
  private async ask(text: string, expected: string | RegExp): Promise<void> {
    this.text = '';
    this.socket.write(text);
    const timeout = AbortSignal.timeout(ANSWER_MS);
    while (!(typeof expected === 'string' ? this.text.includes(expected) : expected.test(this.text))) {
      if (/<failure|<stream:error|type=['"]error['"]/.test(this.text)) throw new Error(`Refused: ${this.text}`);
      await once(this.socket, 'more', { signal: timeout });
    }
  }

  /** Reads every complete message. */
  private read(): void {
    for (let end = this.text.indexOf(END); end >= 0; end = this.text.indexOf(END)) {
      const id = /<message[^>]* id=['"]([^'"]+)/.exec(this.text.slice(0, end))?.[1];
      this.text = this.text.slice(end + END.length);
      if (id) this.arrived(id);
    }
  }
}
