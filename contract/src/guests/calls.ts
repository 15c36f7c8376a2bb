import { z } from 'zod';
import { Code } from '../auth/calls.js';
import { call } from '../call.js';
import { Id, Params, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { oneOf } from '../oneOf.js';
import { ExpiryHours } from '../sharing/calls.js';
import { Email } from '../users/schemas.js';
import { guestRoutes } from './routes.js';
import { guestLinkStates } from './states.js';

/**
 * The secret part of an address: the id of the link, and a proof of 256 bits that only the product can make. The address
 * has the proof behind `#`, which browsers send to no server.
 */
export const LinkToken = z.string().regex(/^[0-9a-f]{24}\.[A-Za-z0-9_-]{43}$/, 'This is not the whole link.');

const Target = { imagemetadataId: Id.optional(), studyId: Id.optional() };

const GuestLinkMade = z.object({
  id: Id,
  /** The whole address, for the recipient alone. It is in no later answer. */
  url: z.string(),
  /** The code, to be told by another way. It is in no later answer and in no mail. */
  code: z.string(),
  expiresAt: Time,
  maxOpens: z.int(),
  /** True when the address goes out by email; false without an email address, or when it got too many mails. */
  mailed: z.boolean(),
});

/** A guest link in the list "who has access". */
export const GuestLink = z.object({
  id: Id,
  imagemetadataId: Id,
  /** Present when the link is of a study. */
  studyId: Id.optional(),
  state: z.enum(guestLinkStates),
  createAt: Time,
  expiresAt: Time,
  opens: z.int(),
  maxOpens: z.int(),
  download: z.boolean(),
  /** Null when no email address was given, or when the key that sealed it was retired. */
  email: z.string().nullable(),
  note: z.string().nullable(),
});
export type GuestLink = z.infer<typeof GuestLink>;

const GuestSeries = z.object({
  id: Id,
  number: z.int().optional(),
  modality: z.string().optional(),
  images: z.array(Id),
});

/** Everything that a guest learns beside the picture: no name of a person, no caption, no title. */
export const GuestView = z.object({
  imageId: Id.optional(),
  studyId: Id.optional(),
  /** The series of a study, in order. */
  series: z.array(GuestSeries).optional(),
  expiresAt: Time,
  download: z.boolean(),
  note: z.string().nullable(),
});
export type GuestView = z.infer<typeof GuestView>;

export const guestCalls = {
  createGuestLink: call({
    method: 'post',
    path: '/sharing/guest',
    who: 'share.create',
    scopes: ['share'],
    action: 'guest.created',
    summary: 'Make a link for somebody without an account; the answer has its address and its code, once',
    body: oneOf(
      z.strictObject({
        ...Target,
        expiresInHours: ExpiryHours.optional(),
        maxOpens: z
          .int('Must be a whole number.')
          .min(1, 'Must be at least 1.')
          .max(limits.guestOpensMax, `Must be at most ${limits.guestOpensMax}.`)
          .default(limits.guestOpens),
        email: Email.optional(),
        note: text(limits.noteLength).optional(),
        download: z.boolean().default(false),
      }),
      'imagemetadataId',
      'studyId',
    ),
    data: GuestLinkMade,
    status: 201,
    creates: true,
    fails: ['NOT_FOUND'],
    throttles: ['share', 'guestMail', 'shareMail'],
  }),
  listGuestLinks: call({
    method: 'get',
    path: '/sharing/guest',
    who: 'share.manage',
    scopes: ['share'],
    action: 'guest.listed',
    summary: 'The guest links of an image or a study that have not ended; a link of its study gives access to an image',
    query: oneOf(z.strictObject({ imageId: Id.optional(), studyId: Id.optional() }), 'imageId', 'studyId'),
    data: z.array(GuestLink),
    fails: ['NOT_FOUND'],
  }),
  revokeGuestLink: call({
    method: 'delete',
    path: '/sharing/guest/:id',
    who: 'share.manage',
    scopes: ['share'],
    action: 'guest.revoked',
    summary: 'End a guest link, with every screen that it opened',
    params: Params,
  }),
  askGuestLink: call({
    ...guestRoutes.askGuestLink,
    who: 'anyone',
    summary: 'The state of a guest link, for the person who has its address',
    body: z.strictObject({ link: LinkToken }),
    data: z.object({ state: z.enum(guestLinkStates), expiresAt: Time }),
    fails: ['NOT_FOUND'],
    throttles: ['guestLink'],
  }),
  openGuestLink: call({
    ...guestRoutes.openGuestLink,
    who: 'anyone',
    action: 'guest.opened',
    summary: 'Open a guest link with its code; the answer is a token for exactly its image or study',
    body: z.strictObject({ link: LinkToken, code: Code }),
    data: z.object({ token: z.string(), expiresAt: Time }),
    fails: ['NOT_FOUND', 'WRONG_CODE', 'CODE_LOCKED', 'EXPIRED', 'LINK_REVOKED', 'LINK_USED_UP'],
    throttles: ['guestLink'],
  }),
  getGuestView: call({
    ...guestRoutes.getGuestView,
    who: 'guest',
    summary: 'The image or the series of the study that the link opens',
    data: GuestView,
    fails: ['NOT_FOUND'],
  }),
  askGuest: call({
    ...guestRoutes.askGuest,
    who: 'guest',
    summary: 'Is the link still open? A guest’s screen asks twice a second, and goes blank with the first refusal',
  }),
};
