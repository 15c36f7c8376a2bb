import { z } from 'zod';
import { Id, line, Time } from '../ids.js';
import { limits } from '../limits.js';
import { texts } from '../texts.js';

/**
 * The things that a personal token may do. Each call names the scopes that open it (`CallShape.scopes`); a call without
 * one is for people who have signed in.
 */
export const tokenScopes = ['read', 'upload', 'share', 'dicom', 'fhir'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/**
 * The scope of a token that opens one image or one study in another viewer, and nothing else. Nobody chooses it:
 * `openElsewhere` makes these tokens.
 */
export const viewerScope = 'viewer';
/** Every scope that a token can have. */
export const allScopes = [...tokenScopes, viewerScope] as const;
export type AnyScope = (typeof allScopes)[number];

/** The first characters of each personal token, so that people and scanners recognize one that has leaked. */
export const tokenPrefix = 'lbx_';

/** The lifetimes that the screen offers, in days. */
export const tokenDays = [30, 90, 365] as const;

const Scope = z.enum(tokenScopes);

export const NewToken = z.strictObject({
  name: line(limits.tokenNameLength).min(1, texts.required),
  scopes: z
    .array(Scope)
    .min(1, texts.required)
    .max(tokenScopes.length)
    .transform((scopes) => tokenScopes.filter((scope) => scopes.includes(scope))),
  days: z.int().min(1).max(limits.tokenDays),
});

export const PersonalToken = z.object({
  id: Id,
  name: z.string(),
  scopes: z.array(z.enum(allScopes)),
  createAt: Time,
  expiresAt: Time,
  /** Time of a call with it, of the last ten seconds or later. */
  lastUsedAt: Time.optional(),
});
export type PersonalToken = z.infer<typeof PersonalToken>;

/** The token itself. It is in the answer that creates it, and nowhere else. */
export const CreatedToken = PersonalToken.extend({ token: z.string() });

/** A token, and the person for whom it acts. */
export const CurrentToken = PersonalToken.extend({
  user: z.object({ id: Id, username: z.string(), role: z.string() }),
});
