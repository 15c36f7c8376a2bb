import { z } from 'zod';
import { timelineActions } from '../audit/actions.js';
import { Id, Time } from '../ids.js';
import { shareStates } from '../sharing/states.js';
import { UserRef } from '../users/schemas.js';
import { type ImageRule, imageBars, imageGrounds } from './policy.js';

/** What an explanation speaks of, and the rule that decides it; the picture and the original open together. */
export const explained = {
  know: 'see',
  see: 'open',
  original: 'open',
  analyse: 'analyse',
  share: 'share',
  delete: 'delete',
} as const satisfies Record<string, ImageRule>;
export type Explained = keyof typeof explained;

const Decision = z.object({
  may: z.boolean(),
  /** `account`: it is not approved or not active, so its owner cannot sign in at all. */
  because: z.enum([...imageGrounds, ...imageBars, 'account'] as const),
});

const each = <S extends z.ZodType>(schema: S) =>
  z.object(Object.fromEntries(Object.keys(explained).map((name) => [name, schema])) as Record<Explained, S>);

/** Why a person may, or may not, see an image; each answer is the enforcing policy's own. */
export const AccessExplanation = z.object({
  userId: Id,
  imageId: Id,
  may: each(z.boolean()),
  /** The reason of `know`, in one word: what connects the two, or why nothing does. */
  because: Decision.shape.because,
  decisions: each(Decision),
  /** Their latest share of it, also one that has ended. */
  share: z
    .object({
      shareId: Id,
      state: z.enum(shareStates),
      createAt: Time,
      expiresAt: Time.nullable(),
      verifiedAt: Time.nullable(),
      endedAt: Time.nullable(),
    })
    .nullable(),
});
export type AccessExplanation = z.infer<typeof AccessExplanation>;

/** One entry of an image's timeline, newest first. */
export const TimelineEntry = z.object({
  id: Id,
  createAt: Time,
  actiontype: z.enum(timelineActions),
  status: z.enum(['success', 'denied', 'failed']),
  reason: z.string(),
  /** Null when the product itself acted: a share ran out, an analysis was finished. */
  user: UserRef.nullable(),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;
