import type { Socket } from 'node:net';
import type { ReceiverLimits } from './limits.js';
import { type DataValue, PDU_HEADER, PduType, ProtocolFault, readDataValues } from './pdu.js';

/** The other side has aborted or closed the connection, or it has not sent in time. */
export class ConnectionEnded extends Error {
  override name = 'ConnectionEnded';
}

export interface Pdu {
  type: number;
  content: Buffer;
}

/**
 * One connection. Nothing is read before somebody asks for it, so a store that is slow slows the sender down. The length of a
 * PDU is checked before its content is read, so no more than one PDU is in memory.
 */
export class Wire {
  private values: DataValue[] = [];
  /** Milliseconds for which this side has waited for bytes. Its own slowness is not held against the sender. */
  waited = 0;

  constructor(
    private readonly socket: Socket,
    private readonly limits: ReceiverLimits,
  ) {
    // Every wait listens for the end of the connection; between two waits an error must not end the process.
    socket.on('error', () => undefined);
    // Without a listener, nothing is read from the network.
    socket.on('readable', () => undefined);
  }

  /** Returns the association request; null when the connection ends before it. It has one time for all its bytes. */
  request(): Promise<Pdu | null> {
    const { requestMs, requestBytes } = this.limits;
    const end = performance.now() + requestMs;
    return this.pdu(requestMs, requestBytes, () => end - performance.now());
  }

  /** Returns the next PDU, which begins within a time; null when the connection ends before it. */
  private async pdu(
    within: number,
    most: number,
    forContent: () => number = () => this.limits.pduMs,
  ): Promise<Pdu | null> {
    const header = await this.bytes(PDU_HEADER, within, 'optional');
    if (!header) return null;
    const [type, length] = [header.readUInt8(0), header.readUInt32BE(2)];
    if (length > most) throw new ProtocolFault('The PDU is too long.');
    return { type, content: length === 0 ? Buffer.alloc(0) : await this.bytes(length, forContent()) };
  }

  /** Returns the next value of a message; null when the other side releases the association. */
  async value(): Promise<DataValue | null> {
    for (;;) {
      const value = this.values.shift();
      if (value) return value;
      const pdu = await this.pdu(this.limits.idleMs, this.limits.pduBytes);
      if (!pdu || pdu.type === PduType.abort) throw new ConnectionEnded('The association was aborted.');
      if (pdu.type === PduType.releaseRequest) return null;
      if (pdu.type !== PduType.data) throw new ProtocolFault('A PDU of this type is not expected.');
      this.values = readDataValues(pdu.content);
    }
  }

  async send(bytes: Buffer): Promise<void> {
    if (this.socket.destroyed) throw new ConnectionEnded('The connection is closed.');
    if (!this.socket.write(bytes)) await this.until('drain', this.limits.pduMs);
  }

  private bytes(count: number, within: number): Promise<Buffer>;
  private bytes(count: number, within: number, optional: 'optional'): Promise<Buffer | null>;
  private async bytes(count: number, within: number, optional?: 'optional'): Promise<Buffer | null> {
    const begun = performance.now();
    try {
      for (;;) {
        const found: Buffer | null = this.socket.read(count);
        if (found?.length === count) return found;
        const ended = this.socket.readableEnded || this.socket.destroyed;
        if (optional && ended && !found) return null;
        if (ended || found) throw new ConnectionEnded('The connection has ended.');
        const left = within - (performance.now() - begun);
        if (left <= 0) throw new ConnectionEnded('The sender is too slow.');
        await this.until('readable', left);
      }
    } finally {
      this.waited += performance.now() - begun;
    }
  }

  /** Resolves when the socket says so, at its end, and after the time. */
  private until(event: 'readable' | 'drain', ms: number): Promise<void> {
    const { socket } = this;
    return new Promise((resolve) => {
      const names = [event, 'end', 'close'];
      const done = () => {
        clearTimeout(timer);
        for (const name of names) socket.off(name, done);
        resolve();
      };
      // After a standstill of this process, bytes may lie at the socket that were in time: they are read first.
      const timer = setTimeout(() => setImmediate(done), ms);
      for (const name of names) socket.on(name, done);
    });
  }
}
