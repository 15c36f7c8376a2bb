import { bytes, part, string } from './fields.js';

/** A value that is sealed with AES-256-GCM under a key of the ring, and bound to its record. */
export interface SealedValue {
  keyId: string;
  sealed: Buffer;
}

export const sealedValue = part<SealedValue>({ keyId: string, sealed: bytes });
