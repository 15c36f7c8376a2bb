import { z } from 'zod';
import { timelineActions } from '../audit/actions.js';
import { Id, Time } from '../ids.js';
import { shareStates } from '../sharing/states.js';
import { UserRef } from '../users/schemas.js';
import { type Explained, explained } from './names.js';
import { imageBars, imageGrounds } from './policy.js';

const Decision = z.object({
  may: z.boolean(),
  /** `account`: the account is not approved or not active, so its owner cannot sign in. */
  because: z.enum([...imageGrounds, ...imageBars, 'account'] as const),
});

const each = <S extends z.ZodType>(schema: S) =>
  z.object(Object.fromEntries(Object.keys(explained).map((name) => [name, schema])) as Record<Explained, S>);

/** The reasons why a person may, or may not, see an image. The enforcing policy itself gives each answer. */
export const AccessExplanation = z.object({
  userId: Id,
  imageId: Id,
  may: each(z.boolean()),
  /** The reason of `know`, in one word: the ground that connects the two, or why there is none. */
  because: Decision.shape.because,
  decisions: each(Decision),
  /** The person's latest share of the image, also one that has ended. */
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
  /** Null when a guest acted, or the product itself: a share expired, or an analysis finished. */
  user: UserRef.nullable(),
  /** True for a look by an emergency access. */
  emergency: z.literal(true).optional(),
  /** True for a look by a carer of the patient. */
  carer: z.literal(true).optional(),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;
