import { z } from 'zod';
import { Id, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';

const bytes = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]*$/, 'Must be base64url.');
const id = bytes(limits.passkeyIdLength).min(1);

const credential = {
  id,
  rawId: id,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: z.object({}),
};

/**
 * A new passkey as the browser returns it (WebAuthn Level 3, `RegistrationResponseJSON`), with the fields that are
 * used.
 */
export const NewCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4_000),
    attestationObject: bytes(20_000),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
});

/** The use of a passkey (`AuthenticationResponseJSON`). */
export const Assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4_000),
    authenticatorData: bytes(4_000),
    signature: bytes(8_000),
    userHandle: bytes(200).optional(),
  }),
});

/**
 * The options for the browser, and the ceremony that the answer belongs to. A ceremony works once, for a few minutes.
 */
export const PasskeyQuestion = z.object({ ceremony: z.string(), options: z.record(z.string(), z.unknown()) });
export type PasskeyQuestion = z.infer<typeof PasskeyQuestion>;

const Ceremony = z.string().min(1).max(200);
export const PasskeyAnswer = z.strictObject({ ceremony: Ceremony, response: Assertion });
export type PasskeyAnswer = z.infer<typeof PasskeyAnswer>;

export const PasskeyName = text(limits.passkeyNameLength).min(1, texts.required);
export const NewPasskey = z.strictObject({ ceremony: Ceremony, response: NewCredential, name: PasskeyName });

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createAt: Time,
  usedAt: Time.optional(),
  /** Stored by a service that copies it to the person’s other devices. */
  synced: z.boolean(),
});
export type Passkey = z.infer<typeof Passkey>;
