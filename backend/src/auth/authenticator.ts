import { randomInt } from 'node:crypto';
import { limits } from '@lightbox/contract/limits.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { isSame } from '@lightbox/core/keys/isSame.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import { openTotpSecret, sealTotpSecret } from '@lightbox/core/keys/totpSecret.js';
import type { TotpDoc } from '@lightbox/core/models/totp.js';
import type { ClientSession } from 'mongoose';
import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Lightbox';
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** The parameters that every authenticator app supports: SHA-1, six digits, thirty seconds. */
const generator = (secret: Secret, label = '') =>
  new TOTP({
    issuer: ISSUER,
    label,
    secret,
    algorithm: 'SHA1',
    digits: limits.codeDigits,
    period: limits.totpSeconds,
  });

/** Creates a secret: sealed for the database, as text to type, and as URI to scan. */
export function newSecret(core: Core, user: ObjectId, email: string): { sealed: string; secret: string; uri: string } {
  const made = new Secret({ size: SECRET_BYTES });
  return {
    sealed: sealTotpSecret(core.keys, user, made.base32),
    secret: made.base32,
    uri: generator(made, email).toString(),
  };
}

/** The proof that a person holds the app: a time step of it, or one of the recovery codes. Each works once. */
export type Proof = { step: number } | { recoveryHash: string };

/**
 * Returns the time step of this code; null when the code is wrong, too old or used. Throws `IntegrityError` when the
 * stored secret is damaged.
 */
export function stepOf(core: Core, totp: TotpDoc, code: string): number | null {
  const secret = openTotpSecret(core.keys, totp._id, totp.secret ?? '');
  const timestamp = core.clock.now().getTime();
  const delta = generator(Secret.fromBase32(secret)).validate({ token: code, timestamp, window: limits.totpWindow });
  if (delta === null) return null;
  const step = Math.floor(timestamp / 1000 / limits.totpSeconds) + delta;
  return step > totp.lastStep ? step : null;
}

export function proofOf(
  core: Core,
  totp: TotpDoc,
  given: { code?: string | undefined; recoveryCode?: string | undefined },
): Proof | null {
  if (given.recoveryCode !== undefined) {
    const { recoveryCode } = given;
    const match = totp.recoveryCodes.find(({ keyId, hash }) =>
      isSame(hashOf(core, totp._id, keyId, recoveryCode), hash),
    );
    return match ? { recoveryHash: match.hash } : null;
  }
  const step = totp.confirmedAt ? stepOf(core, totp, given.code ?? '') : null;
  return step === null ? null : { step };
}

/** Spends a proof as part of a transaction. Returns false when a concurrent call has just spent it. */
export async function spendProof(core: Core, user: ObjectId, proof: Proof, tx: ClientSession): Promise<boolean> {
  const spent =
    'step' in proof
      ? await core.models.Totp.updateOne(
          { _id: user, lastStep: { $lt: proof.step } },
          { $set: { lastStep: proof.step, tries: 0 } },
          { session: tx },
        )
      : await core.models.Totp.updateOne(
          { _id: user, 'recoveryCodes.hash': proof.recoveryHash },
          { $pull: { recoveryCodes: { hash: proof.recoveryHash } }, $set: { tries: 0 } },
          { session: tx },
        );
  return spent.modifiedCount === 1;
}

/** Letters and digits without those that look alike on paper: 0 and O, 1 and I. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const half = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');

/** Creates ten codes of 50 bits to write down. Only their keyed hashes are stored. */
export function newRecoveryCodes(core: Core, user: ObjectId): { shown: string[]; kept: TotpDoc['recoveryCodes'] } {
  const { id: keyId } = core.keys.codes.current;
  const codes = Array.from({ length: limits.recoveryCodes }, () => [half(), half()] as const);
  return {
    shown: codes.map((halves) => halves.join('-')),
    kept: codes.map((halves) => ({ keyId, hash: hashOf(core, user, keyId, halves.join('')) ?? '' })),
  };
}

/**
 * Replaces the recovery codes as part of a transaction, also of an account that has only passkeys. Returns the time of
 * the change.
 */
export async function keepRecoveryCodes(
  core: Core,
  user: ObjectId,
  kept: TotpDoc['recoveryCodes'],
  tx: ClientSession,
): Promise<Date> {
  const now = core.clock.now();
  await core.models.Totp.updateOne(
    { _id: user },
    { $set: { recoveryCodes: kept, recoveryAt: now }, $setOnInsert: { createAt: now, lastStep: 0, tries: 0 } },
    { upsert: true, session: tx },
  );
  return now;
}

function hashOf(core: Core, user: ObjectId, keyId: string, code: string): string | null {
  const key = core.keys.codes.find(keyId);
  return key ? hmac(key.key, 'recovery', String(user), code).toString('base64url') : null;
}
