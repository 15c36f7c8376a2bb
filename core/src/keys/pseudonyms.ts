import { randomBytes } from 'node:crypto';
import { ObjectId } from '../db/ids.js';
import type { Models } from '../models/models.js';
import type { SecretDoc } from '../models/secret.js';
import { hmac, type KeyRing } from './keyring.js';
import { openValue, sealValue } from './seal.js';

const PURPOSE = 'pseudonyms';

/**
 * Makes opaque names of values that must not leave the server or be stored, as the UIDs in a DICOM file: the same name
 * for the same value, on every machine and after any rotation of keys. The key is a random one of the installation; the
 * key ring only wraps it.
 */
export class Pseudonyms {
  private key: Promise<Buffer> | undefined;

  constructor(
    private readonly models: Pick<Models, 'Secret'>,
    private readonly ring: KeyRing,
  ) {}

  /** Returns the name of a value as text. `kind` keeps names of different kinds apart. */
  async text(kind: string, ...value: string[]): Promise<string> {
    return (await this.digest(kind, value)).toString('base64url');
  }

  /** Returns the name of a value as an id. */
  async id(kind: string, ...value: string[]): Promise<ObjectId> {
    return new ObjectId((await this.digest(kind, value)).subarray(0, 12));
  }

  private async digest(kind: string, value: string[]): Promise<Buffer> {
    this.key ??= this.read();
    const key = await this.key.catch((error) => {
      // Try again with the next value.
      this.key = undefined;
      throw error;
    });
    return hmac(key, kind, ...value);
  }

  /** Reads the key, and makes it if this is the first use. Of several processes one makes it. */
  private async read(): Promise<Buffer> {
    const made = sealValue(this.ring, PURPOSE, randomBytes(32));
    const stored = await this.models.Secret.findOneAndUpdate(
      { _id: PURPOSE },
      { $setOnInsert: { key: made } },
      { upsert: true, returnDocument: 'after', writeConcern: { w: 'majority' } },
    ).lean<SecretDoc>();
    return openValue(this.ring, PURPOSE, (stored as SecretDoc).key);
  }
}
