import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
}
type Question = { ceremony: string; options: unknown };

const [PRESENT, VERIFIED, CREDENTIAL] = [0x01, 0x04, 0x40];
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const uint = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/**
 * A passkey on a simulated device, by the letter of WebAuthn Level 3. A test may set each property to a wrong value.
 */
export class Authenticator {
  origin: string;
  rpId = 'localhost';
  /** True when the device has verified its user. */
  verifies = true;
  counter = 0;
  userHandle = '';
  readonly id = randomBytes(32).toString('base64url');
  private readonly keys = generateKeyPairSync('ed25519');

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Returns the answer to `askNewPasskey`. */
  create({ ceremony, options }: Question) {
    const { challenge, user } = options as Options;
    this.userHandle = user?.id ?? '';
    const id = Buffer.from(this.id, 'base64url');
    const authData = Buffer.concat([this.head(CREDENTIAL), Buffer.alloc(16), uint(id.length, 2), id, this.coseKey()]);
    // CBOR: { fmt: "none", attStmt: {}, authData }.
    const attestationObject = Buffer.concat([
      Buffer.from('\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59', 'latin1'),
      uint(authData.length, 2),
      authData,
    ]);
    const clientDataJSON = this.clientData('webauthn.create', challenge);
    return {
      ceremony,
      response: this.credential({
        clientDataJSON: clientDataJSON.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      }),
    };
  }

  /** Returns the answer to `askPasskey` and `askStepUpPasskey`. */
  get({ ceremony, options }: Question) {
    const clientDataJSON = this.clientData('webauthn.get', (options as Options).challenge);
    const authData = this.head();
    const signature = sign(null, Buffer.concat([authData, sha256(clientDataJSON)]), this.keys.privateKey);
    return {
      ceremony,
      response: this.credential({
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: this.userHandle,
      }),
    };
  }

  private credential<R>(response: R) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response } as const;
  }

  private head(more = 0): Buffer {
    const flags = PRESENT | (this.verifies ? VERIFIED : 0) | more;
    return Buffer.concat([sha256(this.rpId), uint(flags, 1), uint(this.counter, 4)]);
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  /** COSE: { kty: OKP, alg: EdDSA, crv: Ed25519, x }. */
  private coseKey(): Buffer {
    const { x = '' } = this.keys.publicKey.export({ format: 'jwk' });
    return Buffer.concat([Buffer.from('a4010103272006215820', 'hex'), Buffer.from(x, 'base64url')]);
  }
}
