import { createHmac, hkdfSync } from 'node:crypto';
import type { Config } from '../config/config.js';
import { isSame } from './isSame.js';

interface Key {
  id: string;
  key: Buffer;
}

/**
 * Keys from newest to oldest, `id:base64(32 bytes)[,older…]`. The first one seals and signs, all of them open and
 * verify, so a key can be rotated while values of older ones are in use.
 */
export class KeyRing {
  private readonly derived = new Map<string, KeyRing>();

  private constructor(private readonly keys: readonly Key[]) {}

  static parse(text: string): KeyRing {
    return new KeyRing(
      text.split(',').map((part) => {
        const [id = '', encoded = ''] = part.trim().split(':');
        return { id, key: Buffer.from(encoded, 'base64') };
      }),
    );
  }

  /** Derives keys for one purpose (HKDF, RFC 5869): one that leaks reveals nothing about the others. */
  derive(purpose: string): KeyRing {
    const known = this.derived.get(purpose);
    if (known) return known;
    const made = new KeyRing(
      this.keys.map(({ id, key }) => ({
        id,
        key: Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `lightbox/${purpose}`, 32)),
      })),
    );
    this.derived.set(purpose, made);
    return made;
  }

  get current(): Key {
    return this.keys[0] as Key;
  }

  /** Every key, the current one first. */
  get all(): readonly Key[] {
    return this.keys;
  }

  find(id: string): Key | undefined {
    return this.keys.find((key) => key.id === id);
  }
}

export interface Keys {
  tokens: KeyRing;
  codes: KeyRing;
  refresh: KeyRing;
  audit: KeyRing;
  /** Seals what a browser keeps while its person is at a provider of single sign-on, and the hint for the sign-out. */
  signOn: KeyRing;
  /** Seals the cursors of lists. */
  cursors: KeyRing;
  /** Makes names that tell nothing: ETags, versions, frames of reference, and the people of a count in Redis. */
  names: KeyRing;
  /** Makes the names of throttle keys in Redis. */
  throttles: KeyRing;
  /** Makes the topics of web pushes. */
  topics: KeyRing;
  /** Wraps the data keys of images. */
  images: KeyRing;
  /** Seals the profiles of people. */
  profiles: KeyRing;
  /** Seals the notes of shares, and the addresses of invitations. */
  sharing: KeyRing;
  /** Seals the secrets of webhooks. */
  webhooks: KeyRing;
  /** Seals the secrets of authenticator apps. */
  totp: KeyRing;
  /** Wraps the keys that the installation made for itself (`models/secret.ts`). */
  secrets: KeyRing;
}

export function createKeys(config: Pick<Config, 'appKeys' | 'encryptionKeys' | 'auditKeys'>): Keys {
  const app = KeyRing.parse(config.appKeys);
  const audit = KeyRing.parse([config.appKeys, config.auditKeys ?? ''].filter(Boolean).join(','));
  const atRest = KeyRing.parse(config.encryptionKeys);
  return {
    tokens: app.derive('tokens'),
    codes: app.derive('codes'),
    refresh: app.derive('refresh'),
    audit: audit.derive('audit'),
    signOn: app.derive('signOn'),
    cursors: app.derive('cursors'),
    names: app.derive('names'),
    throttles: app.derive('throttles'),
    topics: app.derive('topics'),
    images: atRest.derive('images'),
    profiles: atRest.derive('profiles'),
    sharing: atRest.derive('sharing'),
    webhooks: atRest.derive('webhooks'),
    totp: atRest.derive('totp'),
    secrets: atRest.derive('secrets'),
  };
}

export const hmac = (key: Buffer, ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(parts.join('\n')).digest();

export interface Signature {
  keyId: string;
  mac: string;
}

/** Signs with the first key of the ring. */
export function sign(ring: KeyRing, ...parts: string[]): Signature {
  const { id, key } = ring.current;
  return { keyId: id, mac: hmac(key, ...parts).toString('hex') };
}

/** True when a key of the ring made this signature of these parts. */
export function isSigned(ring: KeyRing, { keyId, mac }: Partial<Signature>, ...parts: string[]): boolean {
  const key = typeof keyId === 'string' ? ring.find(keyId)?.key : undefined;
  return key !== undefined && isSame(hmac(key, ...parts).toString('hex'), mac);
}
