import { z } from 'zod';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Params, Time, text } from '../ids.js';
import { Image } from '../images/schemas.js';
import { limits } from '../limits.js';
import { UserRef } from '../users/schemas.js';
import { emergencyReviewStates } from './states.js';

/** The reason of an emergency access, as a form checks it too. */
export const EmergencyReason = text(limits.emergencyReasonMax).min(
  limits.emergencyReasonMin,
  `Must have at least ${limits.emergencyReasonMin} characters.`,
);
/** A question or an answer of the review. */
export const ReviewText = text(limits.reviewTextLength).min(1, 'Please write a text.');

const Said = z.object({ by: UserRef.optional(), at: Time, text: z.string() });

/** One emergency access, as its provider, its patient and administrators see it. */
export const Emergency = z.object({
  id: Id,
  provider: UserRef,
  patient: UserRef,
  reason: z.string(),
  from: Time,
  until: Time,
  /** Absent while the access lasts. */
  endedAt: Time.optional(),
  /** Absent for the patient. */
  review: z
    .object({
      state: z.enum(emergencyReviewStates),
      question: Said.optional(),
      answer: Said.optional(),
      approval: Said.optional(),
    })
    .optional(),
});
export type Emergency = z.infer<typeof Emergency>;

/** The looks of the provider at one image or study. */
export const EmergencyLook = z.object({
  id: Id,
  kind: z.enum(['image', 'study']),
  /** The caption or the title, for people who may see the image or study now. */
  name: z.string().optional(),
  firstAt: Time,
  times: z.int(),
});
export type EmergencyLook = z.infer<typeof EmergencyLook>;

export const emergencyCalls = {
  getPatientEmergency: call({
    method: 'get',
    path: '/users/:id/emergency',
    who: 'emergency.open',
    action: 'emergency.asked',
    summary: 'May the caller open the images of this patient in an emergency, and do they at the moment?',
    params: Params,
    data: z.object({
      /** True when emergency access is on, and the patient has images that the caller cannot open. */
      offered: z.boolean(),
      emergency: Emergency.nullable(),
    }),
    throttles: ['people'],
  }),
  openEmergency: call({
    method: 'post',
    path: '/users/:id/emergency',
    who: 'emergency.open',
    action: 'emergency.opened',
    stepUp: 'recent',
    summary:
      'Open the images of a patient for one hour, read-only; the patient and the administrators are told at once',
    params: Params,
    body: z.strictObject({ reason: EmergencyReason }),
    data: Emergency,
    status: 201,
    creates: true,
    fails: ['EMERGENCY_OFF', 'CONFLICT'],
    throttles: ['emergency'],
  }),
  listEmergencyImages: call({
    method: 'get',
    path: '/users/:id/emergency/images',
    who: 'emergency.open',
    action: 'image.list',
    summary:
      'The images of the patient while the caller’s emergency access lasts, one row for a study; the newest first',
    params: Params,
    query: PageQuery,
    data: z.array(Image),
    paged: true,
  }),
  listEmergencies: call({
    method: 'get',
    path: '/emergencies',
    who: 'emergency.read',
    action: 'emergency.listed',
    summary:
      'Emergency accesses: all for administrators, else the caller’s own; those without a decision first, then the newest',
    query: PageQuery,
    data: z.array(Emergency),
    paged: true,
  }),
  countWaitingReviews: call({
    method: 'get',
    path: '/emergencies/waiting',
    who: 'emergency.review',
    action: 'emergency.listed',
    summary: 'The number of emergency accesses without a decision',
    data: z.object({ count: z.int() }),
  }),
  getEmergency: call({
    method: 'get',
    path: '/emergencies/:id',
    who: 'emergency.read',
    action: 'emergency.listed',
    summary: 'One emergency access, with the images that the provider looked at',
    params: Params,
    data: Emergency.extend({ looks: z.array(EmergencyLook) }),
  }),
  endEmergency: call({
    method: 'post',
    path: '/emergencies/:id/end',
    who: 'emergency.end',
    action: 'emergency.ended',
    summary: 'End an emergency access before its hour is over: its provider, or an administrator',
    params: Params,
    body: z.strictObject({}),
    data: Emergency,
  }),
  approveEmergency: call({
    method: 'post',
    path: '/emergencies/:id/approve',
    who: 'emergency.review',
    action: 'emergency.approved',
    summary: 'Approve an emergency access after its review',
    params: Params,
    body: z.strictObject({ comment: text(limits.reviewTextLength).optional() }),
    data: Emergency,
    fails: ['CONFLICT'],
  }),
  questionEmergency: call({
    method: 'post',
    path: '/emergencies/:id/question',
    who: 'emergency.review',
    action: 'emergency.questioned',
    summary: 'Question an emergency access; the provider is told and can answer once',
    params: Params,
    body: z.strictObject({ comment: ReviewText }),
    data: Emergency,
    fails: ['CONFLICT'],
    throttles: ['staffMail'],
  }),
  answerEmergency: call({
    method: 'post',
    path: '/emergencies/:id/answer',
    who: 'emergency.open',
    action: 'emergency.answered',
    summary: 'Answer the question of an administrator, once',
    params: Params,
    body: z.strictObject({ answer: ReviewText }),
    data: Emergency,
    fails: ['CONFLICT'],
  }),
};
