import { z } from 'zod';
import { Code } from '../auth/calls.js';
import { call } from '../call.js';
import { Id, Params, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { oneOf } from '../oneOf.js';
import { Email, RoleName, UserRef } from '../users/schemas.js';

export const ExpiryHours = z
  .int('Must be a whole number of hours.')
  .min(1, 'Must be at least 1 hour.')
  .max(limits.shareHoursMax, `Must be at most ${limits.shareHoursMax} hours.`);

/** A note of the sharer for the recipient. An empty one counts as none. */
const Note = text(limits.noteLength).transform((note) => note || undefined);

/** The wishes of a new share, beside its object and its recipient. */
const wishes = {
  expiresInHours: ExpiryHours.optional(),
  note: Note.optional(),
  /** False: the recipient sees the picture and cannot download the original. */
  download: z.boolean().optional(),
  /** True: the recipient gets a copy without identity, and nothing of the original. */
  deidentified: z.boolean().optional(),
};

export const ShareCreated = z.object({
  id: Id,
  /** The image; for the share of a study the image that stands for it. */
  imagemetadataId: Id,
  /** Present when the share is of a study, and covers every image of it. */
  studyId: Id.optional(),
  createdfor: Id,
  expiresAt: Time.nullable(),
});
export type ShareCreated = z.infer<typeof ShareCreated>;

const ids = (name: string) =>
  z
    .array(Id)
    .max(limits.batchItems, `Choose at most ${limits.batchItems} ${name}.`)
    .transform((list) => [...new Set(list)])
    .default([]);

/** Several images or studies for several people, in one act. */
export const ShareBatch = z
  .strictObject({
    images: ids('images'),
    studies: ids('studies'),
    people: ids('people'),
    /** Addresses of people; an address without an account that the caller can see is invited. */
    emails: z
      .array(Email)
      .max(limits.batchItems, `Choose at most ${limits.batchItems} addresses.`)
      .transform((list) => [...new Set(list)])
      .default([]),
    ...wishes,
  })
  .superRefine(({ images, studies, people, emails }, report) => {
    const fail = (path: string, message: string) => report.addIssue({ code: 'custom', path: [path], message });
    const objects = images.length + studies.length;
    if (objects === 0) fail('images', 'This field is required.');
    if (objects > limits.batchItems) fail('images', `Choose at most ${limits.batchItems} images and studies.`);
    if (people.length + emails.length === 0) fail('people', 'This field is required.');
  });

const Invited = z.object({
  id: Id,
  email: z.string(),
  imagemetadataId: Id.optional(),
  studyId: Id.optional(),
});

/** A pair of an object and a recipient that the act left out, because the recipient has access already. */
export const Skipped = z.object({
  imagemetadataId: Id.optional(),
  studyId: Id.optional(),
  createdfor: Id.optional(),
  /** Present in place of `createdfor` when the address was invited before. */
  email: z.string().optional(),
  reason: z.enum(['ALREADY_SHARED', 'THEIRS']),
});
export type Skipped = z.infer<typeof Skipped>;

export const BatchCreated = z.object({
  shares: z.array(ShareCreated),
  invited: z.array(Invited),
  skipped: z.array(Skipped),
});
export type BatchCreated = z.infer<typeof BatchCreated>;

/** A change of a share: another end, counted from now or as a time; `expiresAt: null` is a share without an end. */
export const ShareChange = z
  .strictObject({
    expiresInHours: ExpiryHours.optional(),
    expiresAt: Time.nullable().optional(),
    download: z.boolean().optional(),
  })
  .superRefine(({ expiresInHours, expiresAt, download }, report) => {
    const fail = (path: string, message: string) => report.addIssue({ code: 'custom', path: [path], message });
    if (expiresInHours !== undefined && expiresAt !== undefined) fail('expiresAt', 'Send one of the two.');
    if (expiresInHours === undefined && expiresAt === undefined && download === undefined) {
      fail('expiresInHours', 'This field is required.');
    }
  });

/** An invitation that waits for its person to register. */
export const Invitation = z.object({
  id: Id,
  email: z.string(),
  createAt: Time,
  /** The end of the invitation itself. */
  endsAt: Time,
  /** Hours that the share lasts, from the registration on. */
  expiresInHours: z.int(),
  note: z.string().optional(),
  download: z.boolean(),
  deidentified: z.literal(true).optional(),
});
export type Invitation = z.infer<typeof Invitation>;

const ofOne = oneOf(z.strictObject({ imageId: Id.optional(), studyId: Id.optional() }), 'imageId', 'studyId');

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
  note: z.string().optional(),
  /** False when the recipient cannot download the original by this share. */
  download: z.boolean(),
  /** True when the recipient gets a copy without identity. */
  deidentified: z.literal(true).optional(),
});
export type ShareAccess = z.infer<typeof ShareAccess>;

export const shareCalls = {
  createShare: call({
    method: 'post',
    path: '/sharing/request',
    who: 'share.create',
    scopes: ['share'],
    action: 'share.create',
    summary: 'Share an image or a study with a person for a time; mails them the sharing id and code',
    body: oneOf(
      z.strictObject({
        imagemetadataId: Id.optional(),
        studyId: Id.optional(),
        createdfor: Id,
        ...wishes,
      }),
      'imagemetadataId',
      'studyId',
    ),
    data: ShareCreated,
    status: 201,
    creates: true,
    fails: ['NOT_FOUND', 'ALREADY_SHARED', 'CANNOT_DEIDENTIFY'],
    throttles: ['share', 'shareMail'],
  }),
  shareBatch: call({
    method: 'post',
    path: '/sharing/batch',
    who: 'share.create',
    scopes: ['share'],
    action: 'share.create',
    summary: 'Share several images and studies with several people in one act; invites addresses without an account',
    body: ShareBatch,
    data: BatchCreated,
    status: 201,
    creates: true,
    fails: ['NOT_FOUND', 'CANNOT_DEIDENTIFY'],
    causes: ['invite.created'],
    throttles: ['share', 'shareMail', 'invite', 'inviteMail'],
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
    throttles: ['otherShares'],
  }),
  resendShare: call({
    method: 'post',
    path: '/sharing/:id/resend',
    who: 'share.resend',
    scopes: ['share'],
    action: 'share.resend',
    summary: 'Mail the recipient a new code; tries start again. The recipient may ask for it too',
    params: Params,
    body: z.strictObject({}),
    fails: ['EXPIRED', 'TOO_MANY_REQUESTS'],
    throttles: ['shareMail', 'shareCodeWait', 'shareCodes'],
  }),
  changeShare: call({
    method: 'put',
    path: '/sharing/:id',
    who: 'share.manage',
    scopes: ['share'],
    action: 'share.changed',
    summary: 'Change the end of a share, or allow or forbid the download; the code stays the same',
    params: Params,
    body: ShareChange,
    data: ShareCreated.extend({ download: z.boolean() }),
    fails: ['EXPIRED'],
    causes: ['share.expire'],
  }),
  revokeShare: call({
    method: 'delete',
    path: '/sharing/:id',
    who: 'share.manage',
    scopes: ['share'],
    action: 'share.revoke',
    summary: 'End a share at once',
    params: Params,
  }),
  listShares: call({
    method: 'get',
    path: '/sharing',
    who: 'share.manage',
    scopes: ['share'],
    action: 'share.list',
    summary: 'Who has access to an image or a study; a share of its study gives access to an image',
    query: ofOne,
    data: z.array(ShareAccess),
    fails: ['NOT_FOUND'],
  }),
  listInvitations: call({
    method: 'get',
    path: '/sharing/invitations',
    who: 'share.manage',
    scopes: ['share'],
    action: 'share.list',
    summary: 'The people who are invited to an image or a study and have not registered yet',
    query: ofOne,
    data: z.array(Invitation),
    fails: ['NOT_FOUND'],
  }),
  resendInvitation: call({
    method: 'post',
    path: '/sharing/invitations/:id/resend',
    who: 'share.manage',
    scopes: ['share'],
    action: 'invite.resent',
    summary: 'Mail the invitation again with a new link; its days begin again',
    params: Params,
    body: z.strictObject({}),
    fails: ['TOO_MANY_REQUESTS'],
    throttles: ['inviteMail', 'shareMail'],
  }),
  cancelInvitation: call({
    method: 'delete',
    path: '/sharing/invitations/:id',
    who: 'share.manage',
    scopes: ['share'],
    action: 'invite.ended',
    summary: 'End an invitation at once',
    params: Params,
  }),
};
