import { HOUR_MS } from '@lightbox/core/times.js';

/** Limits of the receiver beside those of every upload. Times are milliseconds. */
export const receiverLimits = {
  /** Content of one PDU of data. It is told to the sender, who keeps to it. */
  pduBytes: 128 * 1024,
  /** Content of an association request: 128 contexts with many transfer syntaxes. */
  requestBytes: 64 * 1024,
  /** A command set has a dozen short elements. */
  commandBytes: 16 * 1024,
  /** Connections, also those that have not asked for an association yet. */
  connections: 128,
  /** Associations of one process, and of one AE title. */
  associations: 64,
  associationsPerNode: 16,
  /** From the connection to the last byte of its association request. The handshake of TLS before it may take as long. */
  requestMs: 10_000,
  /** For the whole content of one PDU. */
  pduMs: 30_000,
  /** Between two PDUs. */
  idleMs: 60_000,
  /** Waiting for the bytes of one file. */
  fileMs: 10 * 60_000,
  /** A whole association. */
  associationMs: 4 * HOUR_MS,
  /** For the file that arrives while the process stops. */
  drainMs: 7_000,
};
export type ReceiverLimits = typeof receiverLimits;
