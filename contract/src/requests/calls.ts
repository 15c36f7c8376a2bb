import { z } from 'zod';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { LinkToken } from '../guests/calls.js';
import { Id, Params, Time, text } from '../ids.js';
import { Image, Sha256, UploadFields } from '../images/schemas.js';
import { limits } from '../limits.js';
import { ExpiryHours } from '../sharing/calls.js';
import { Email, UserRef } from '../users/schemas.js';
import { senderRoutes } from './routes.js';
import { requestStates } from './states.js';

export const requestKinds = ['file', 'folder'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** A request for images, for the person who asked. */
export const ImageRequest = z.object({
  id: Id,
  kind: z.enum(requestKinds),
  state: z.enum(requestStates),
  createAt: Time,
  expiresAt: Time,
  /** Null when no email address was given, or when the key that sealed it was retired. */
  email: z.string().nullable(),
  note: z.string().nullable(),
  patient: UserRef.optional(),
  /** The files that have arrived, and their bytes. */
  files: z.int(),
  bytes: z.int(),
  receivedAt: Time.optional(),
  /** The end of the time in which received files are kept. */
  heldUntil: Time.optional(),
});
export type ImageRequest = z.infer<typeof ImageRequest>;

/** A request with the images that it holds. One image stands for each study. */
export const HeldRequest = ImageRequest.extend({ images: z.array(Image) });
export type HeldRequest = z.infer<typeof HeldRequest>;

const RequestMade = z.object({
  id: Id,
  /** The whole address, for the sender alone. It is in no later answer. */
  url: z.string(),
  expiresAt: Time,
  /** True when the address goes out by email; false without an email address, or when it got too many mails. */
  mailed: z.boolean(),
});

/** Everything that a sender learns. `asker`, `note`, `kind` and the limits are there while the request waits. */
export const OpenedRequest = z.object({
  state: z.enum(requestStates),
  expiresAt: Time,
  asker: z.object({ firstname: z.string(), lastname: z.string() }).optional(),
  note: z.string().nullable().optional(),
  kind: z.enum(requestKinds).optional(),
  /** The files of this request that have arrived. */
  files: z.int().optional(),
  maxFiles: z.int().optional(),
  maxBytes: z.int().optional(),
  token: z.string().optional(),
});
export type OpenedRequest = z.infer<typeof OpenedRequest>;

export const requestCalls = {
  createRequest: call({
    method: 'post',
    path: '/requests',
    who: 'image.upload',
    action: 'request.created',
    summary: 'Ask somebody for an image: the answer has the address of the upload page, once',
    body: z.strictObject({
      kind: z.enum(requestKinds),
      email: Email.optional(),
      note: text(limits.noteLength).optional(),
      patientId: Id.optional(),
      expiresInHours: ExpiryHours.default(limits.requestHours),
    }),
    data: RequestMade,
    status: 201,
    creates: true,
    fails: ['TOO_MANY_REQUESTS_OPEN'],
    throttles: ['request', 'requestMail', 'shareMail'],
  }),
  listRequests: call({
    method: 'get',
    path: '/requests',
    who: 'image.upload',
    summary: 'The caller’s own requests for images, the newest first',
    query: PageQuery,
    data: z.array(ImageRequest),
    paged: true,
  }),
  getRequest: call({
    method: 'get',
    path: '/requests/:id',
    who: 'image.upload',
    action: 'request.read',
    summary: 'One of the caller’s requests, with the images that it holds',
    params: Params,
    data: HeldRequest,
  }),
  takeRequest: call({
    method: 'post',
    path: '/requests/:id/take',
    who: 'image.upload',
    action: 'request.taken',
    summary: 'Take the images that arrived: they become the caller’s own, and may name a patient',
    params: Params,
    body: UploadFields.pick({ patientId: true, mismatchReason: true }),
    data: z.object({ images: z.int() }),
    fails: ['CONFLICT', 'PATIENT_MISMATCH'],
    causes: ['share.create'],
    throttles: ['shareMail'],
  }),
  declineRequest: call({
    method: 'post',
    path: '/requests/:id/decline',
    who: 'image.upload',
    action: 'request.declined',
    summary: 'Decline the images that arrived: they are removed',
    params: Params,
    fails: ['CONFLICT'],
  }),
  revokeRequest: call({
    method: 'delete',
    path: '/requests/:id',
    who: 'image.upload',
    action: 'request.revoked',
    summary: 'Withdraw a request that waits, with everything that has arrived for it',
    params: Params,
    fails: ['CONFLICT'],
  }),
  openRequest: call({
    ...senderRoutes.openRequest,
    who: 'anyone',
    summary: 'The state of a request, for the person who has its address; while it waits, a token to send files',
    body: z.strictObject({ link: LinkToken }),
    data: OpenedRequest,
    fails: ['NOT_FOUND'],
    throttles: ['guestLink'],
  }),
  findSent: call({
    ...senderRoutes.findSent,
    who: 'sender',
    summary: 'Has a file with these bytes arrived for this request already?',
    query: z.strictObject({ sha256: Sha256 }),
    data: z.object({ known: z.boolean() }),
  }),
  clearRequest: call({
    ...senderRoutes.clearRequest,
    who: 'sender',
    action: 'request.cleared',
    summary: 'Remove the files that have arrived, to begin again',
    throttles: ['sending'],
  }),
  finishRequest: call({
    ...senderRoutes.finishRequest,
    who: 'sender',
    action: 'request.received',
    summary: 'Everything was sent. The request takes no further file',
    fails: ['CONFLICT'],
    throttles: ['sending'],
  }),
};
