/** Sends DICOM messages (PS3.7, PS3.8) as a modality does, and wrong ones. It knows nothing of the receiver's code. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

const VERIFICATION = '1.2.840.10008.1.1';
export const CT = '1.2.840.10008.5.1.4.1.1.2';
const EXPLICIT = '1.2.840.10008.1.2.1';

export interface SenderOptions {
  port: number;
  calling: string;
  called?: string;
  tls?: ConnectionOptions;
}

export interface SentPdu {
  type: number;
  content: Buffer;
}

const head = (type: number, length: number): Buffer => {
  const bytes = Buffer.from([type, 0, 0, 0, 0, 0]);
  bytes.writeUInt32BE(length, 2);
  return bytes;
};
export const pdu = (type: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([head(type, content.length), content]);
};
/** A PDU that says another length than it has. */
export const lyingPdu = (type: number, length: number, content = Buffer.alloc(0)): Buffer =>
  Buffer.concat([head(type, length), content]);

const item = (type: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const bytes = Buffer.from([type, 0, 0, 0]);
  bytes.writeUInt16BE(content.length, 2);
  return Buffer.concat([bytes, content]);
};
const text = (value: string) => Buffer.from(value, 'latin1');

export interface WantedContext {
  id: number;
  sopClass: string;
  syntaxes: string[];
}

const usual: WantedContext[] = [
  { id: 1, sopClass: VERIFICATION, syntaxes: ['1.2.840.10008.1.2'] },
  { id: 3, sopClass: CT, syntaxes: [EXPLICIT] },
];

export const associateRequest = (calling: string, called = 'LIGHTBOX', contexts = usual): Buffer =>
  pdu(
    1,
    Buffer.from([0, 1, 0, 0]),
    text(called.padEnd(16)),
    text(calling.padEnd(16)),
    Buffer.alloc(32),
    item(0x10, text('1.2.840.10008.3.1.1.1')),
    ...contexts.map(({ id, sopClass, syntaxes }) =>
      item(
        0x20,
        Buffer.from([id, 0, 0, 0]),
        item(0x30, text(sopClass)),
        ...syntaxes.map((uid) => item(0x40, text(uid))),
      ),
    ),
    item(0x50, item(0x51, Buffer.from([0, 0, 0x40, 0])), item(0x52, text('1.2.3.4'))),
  );

const element = (number: number, value: Buffer): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(number, 2);
  bytes.writeUInt32LE(value.length, 4);
  return Buffer.concat([bytes, value]);
};
const us = (value: number) => Buffer.from([value & 0xff, value >> 8]);
const ui = (value: string) => text(value.length % 2 === 0 ? value : `${value}\0`);

export interface Message {
  field: number;
  sopClass: string;
  instance?: string;
  dataSet?: Buffer;
}

const command = ({ field, sopClass, instance, dataSet }: Message): Buffer => {
  const body = Buffer.concat([
    element(0x0002, ui(sopClass)),
    element(0x0100, us(field)),
    element(0x0110, us(7)),
    ...(dataSet ? [element(0x0700, us(0))] : []),
    element(0x0800, us(dataSet ? 1 : 0x0101)),
    ...(instance ? [element(0x1000, ui(instance))] : []),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([element(0, length), body]);
};

/** Returns a P-DATA-TF with one value. `flags`: 1 for a command, 2 for the last part. */
export const dataPdu = (context: number, flags: number, bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length + 2);
  return pdu(4, length, Buffer.from([context, flags]), bytes);
};

/** The data set of a file with meta information, and what its message says of it. */
export function messageOf(file: Buffer): Message & { dataSet: Buffer } {
  const meta = 128 + 4;
  const dataSet = file.subarray(meta + 12 + file.readUInt32LE(meta + 8));
  const uid = (number: number): string => {
    const at = dataSet.indexOf(Buffer.from([0x08, 0x00, number, 0x00, 0x55, 0x49]));
    return dataSet.toString('latin1', at + 8, at + 8 + dataSet.readUInt16LE(at + 6)).replace(/\0$/, '');
  };
  return { field: 1, sopClass: uid(0x16), instance: uid(0x18), dataSet };
}

/** One association of a sender. */
export class DicomSender {
  private held: Buffer = Buffer.alloc(0);

  private constructor(
    readonly socket: Socket,
    private readonly options: SenderOptions,
  ) {
    socket.on('error', () => undefined);
  }

  static async connect(options: SenderOptions): Promise<DicomSender> {
    const { port, tls } = options;
    const socket = tls ? connectTls({ host: '127.0.0.1', port, ...tls }) : connect({ host: '127.0.0.1', port });
    await once(socket, tls ? 'secureConnect' : 'connect');
    return new DicomSender(socket, options);
  }

  /** Returns the next PDU; null when the connection ends. */
  async next(): Promise<SentPdu | null> {
    for (;;) {
      const length = this.held.length >= 6 ? 6 + this.held.readUInt32BE(2) : Number.POSITIVE_INFINITY;
      if (this.held.length >= length) {
        const content = this.held.subarray(6, length);
        const type = this.held.readUInt8(0);
        this.held = this.held.subarray(length);
        return { type, content };
      }
      const more: Buffer | null = this.socket.read();
      if (more) this.held = Buffer.concat([this.held, more]);
      else if (this.socket.readableEnded || this.socket.destroyed) return null;
      else await new Promise<void>((resolve) => this.wake(resolve));
    }
  }

  private wake(resolve: () => void): void {
    const names = ['readable', 'end', 'close'];
    const done = () => {
      for (const name of names) this.socket.off(name, done);
      resolve();
    };
    for (const name of names) this.socket.on(name, done);
  }

  /** Returns `accepted`, or result, source and reason of the rejection. */
  async associate(contexts?: WantedContext[]): Promise<string> {
    this.socket.write(associateRequest(this.options.calling, this.options.called, contexts));
    const answer = await this.next();
    if (answer?.type === 2) return 'accepted';
    return answer?.type === 3 ? `rejected ${[...answer.content.subarray(1)].join(' ')}` : 'ended';
  }

  /** Returns the status of the reply; null when the association ends before it. */
  async reply(): Promise<number | null> {
    const answer = await this.next();
    if (answer?.type !== 4) return null;
    const at = answer.content.indexOf(Buffer.from([0, 0, 0, 9, 2, 0, 0, 0]));
    return answer.content.readUInt16LE(at + 8);
  }

  async echo(): Promise<number | null> {
    this.socket.write(dataPdu(1, 3, command({ field: 0x30, sopClass: VERIFICATION })));
    return this.reply();
  }

  /** Sends the command alone, and parts of the data set without its end if `parts` are given. */
  begin(message: Message, context = 3): void {
    this.socket.write(dataPdu(context, 3, command(message)));
  }

  async store(file: Buffer | Message, { context = 3, part = 16_000 } = {}): Promise<number | null> {
    const message = Buffer.isBuffer(file) ? messageOf(file) : file;
    const { dataSet = Buffer.alloc(0) } = message;
    this.begin(message, context);
    for (let at = 0; at < dataSet.length || at === 0; at += part) {
      const isLast = at + part >= dataSet.length;
      this.socket.write(dataPdu(context, isLast ? 2 : 0, dataSet.subarray(at, at + part)));
    }
    return this.reply();
  }

  /** True when the other side agrees. */
  async release(): Promise<boolean> {
    this.socket.write(pdu(5, Buffer.alloc(4)));
    const answer = await this.next();
    this.socket.end();
    return answer?.type === 6;
  }
}
