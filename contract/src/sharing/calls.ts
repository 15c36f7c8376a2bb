import { z } from 'zod';
import { Code } from '../auth/calls.js';
import { call } from '../call.js';
import { Id, Params, Time } from '../ids.js';
import { limits } from '../limits.js';
import { oneOf } from '../oneOf.js';
import { RoleName, UserRef } from '../users/schemas.js';

export const ExpiryHours = z
  .int('Must be a whole number of hours.')
  .min(1, 'Must be at least 1 hour.')
  .max(limits.shareHoursMax, `Must be at most ${limits.shareHoursMax} hours.`);

export const ShareCreated = z.object({
  id: Id,
  /** The image; for the share of a study the image that stands for it. */
  imagemetadataId: Id,
  /** Present when the share is of a study, and covers every image of it. */
  studyId: Id.optional(),
  createdfor: Id,
  expiresAt: Time.nullable(),
});

/** One person in the list "who has access". */
export const ShareAccess = z.object({
  id: Id,
  imagemetadataId: Id,
  /** Present when the share is of the image’s study. */
  studyId: Id.optional(),
  recipient: UserRef.extend({ role: RoleName }),
  createAt: Time,
  expiresAt: Time.nullable(),
  isVerified: z.boolean(),
  /** True after five wrong codes; a new code unlocks the share. */
  locked: z.boolean(),
});
export type ShareAccess = z.infer<typeof ShareAccess>;

export const shareCalls = {
  createShare: call({
    method: 'post',
    path: '/sharing/request',
    who: 'share.create',
    action: 'share.create',
    summary: 'Share an image or a study with a person for a time; mails them the sharing id and code',
    body: oneOf(
      z.strictObject({
        imagemetadataId: Id.optional(),
        studyId: Id.optional(),
        createdfor: Id,
        expiresInHours: ExpiryHours.optional(),
      }),
      'imagemetadataId',
      'studyId',
    ),
    data: ShareCreated,
    status: 201,
    creates: true,
    fails: ['NOT_FOUND', 'ALREADY_SHARED'],
    throttles: ['share', 'shareMail'],
  }),
  verifyShare: call({
    method: 'post',
    path: '/sharing/verify',
    who: 'share.verify',
    action: 'share.verify',
    summary: 'Open an image or a study for oneself with the mailed sharing id and code',
    body: z.strictObject({ sharingRequestId: z.string().trim().toLowerCase().pipe(Id), verificationCode: Code }),
    data: z.object({ imagemetadataId: Id, studyId: Id.optional(), isVerified: z.literal(true) }),
    fails: ['NOT_FOUND', 'WRONG_CODE', 'CODE_LOCKED', 'EXPIRED'],
  }),
  resendShare: call({
    method: 'post',
    path: '/sharing/:id/resend',
    who: 'share.manage',
    action: 'share.resend',
    summary: 'Mail a new code; tries start again',
    params: Params,
    body: z.strictObject({}),
    fails: ['EXPIRED', 'TOO_MANY_REQUESTS'],
    throttles: ['shareMail'],
  }),
  revokeShare: call({
    method: 'delete',
    path: '/sharing/:id',
    who: 'share.manage',
    action: 'share.revoke',
    summary: 'End a share at once',
    params: Params,
  }),
  listShares: call({
    method: 'get',
    path: '/sharing',
    who: 'share.manage',
    action: 'share.list',
    summary: 'Who has access to an image or a study; a share of its study gives access to an image',
    query: oneOf(z.strictObject({ imageId: Id.optional(), studyId: Id.optional() }), 'imageId', 'studyId'),
    data: z.array(ShareAccess),
    fails: ['NOT_FOUND'],
  }),
};
