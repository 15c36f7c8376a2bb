import { z } from 'zod';
import { call } from '../call.js';
import { PageQuery } from '../envelope.js';
import { Id, Params, Time } from '../ids.js';
import { Image } from '../images/schemas.js';
import { Email, UserRef } from '../users/schemas.js';
import { carerEndings, carerStates } from './states.js';

/** A carer of the viewer, or a patient whom the viewer helps. */
export const Carer = z.object({
  id: Id,
  state: z.enum(carerStates),
  /**
   * The other person. For the patient absent until the named person has answered, so that nothing tells whether the
   * address has an account.
   */
  person: UserRef.optional(),
  /** The address that the patient named, for the patient alone, until the named person has answered. */
  email: z.string().optional(),
  since: Time,
  /** The end of an invitation that nobody has answered. */
  expiresAt: Time.optional(),
  endedAt: Time.optional(),
  /** The cause of the end; absent when a person of the two ended it. */
  ending: z.enum(carerEndings).optional(),
});
export type Carer = z.infer<typeof Carer>;

export const Carers = z.object({
  /** False while the setting `access.carers` is off. */
  on: z.boolean(),
  /** The carers whom the viewer named, with those that ended lately. */
  mine: z.array(Carer),
  /** The patients whom the viewer helps, and those who ask. */
  others: z.array(Carer),
});
export type Carers = z.infer<typeof Carers>;

export const carerCalls = {
  listCarers: call({
    method: 'get',
    path: '/carers',
    who: 'carer.use',
    action: 'carer.listed',
    summary: 'The carers of the caller, and the patients whom the caller helps',
    data: Carers,
  }),
  nameCarer: call({
    method: 'post',
    path: '/carers',
    who: 'carer.use',
    action: 'carer.named',
    summary: 'Name a carer by e-mail address; the answer is the same with and without an account of that address',
    body: z.strictObject({ email: Email }),
    data: Carer,
    status: 201,
    creates: true,
    fails: ['CARERS_OFF', 'TOO_MANY_CARERS', 'CONFLICT'],
    throttles: ['carer'],
  }),
  acceptCarer: call({
    method: 'post',
    path: '/carers/:id/accept',
    who: 'carer.use',
    action: 'carer.accepted',
    summary: 'Accept to be the carer of a patient who named the caller',
    params: Params,
    body: z.strictObject({}),
    data: Carer,
    fails: ['CARERS_OFF', 'TOO_MANY_CARERS', 'CONFLICT'],
    throttles: ['carerAnswer'],
  }),
  endCarer: call({
    method: 'post',
    path: '/carers/:id/end',
    who: 'carer.use',
    action: 'carer.ended',
    summary: 'End the access of a carer: the patient, or the carer, who also declines in this way',
    params: Params,
    body: z.strictObject({}),
    data: Carer,
    throttles: ['carerAnswer'],
  }),
  listCarerImages: call({
    method: 'get',
    path: '/carers/:id/images',
    who: 'carer.use',
    action: 'image.list',
    summary: 'The images that a patient has opened, for their carer, one row for a study; the newest share first',
    params: Params,
    query: PageQuery,
    data: z.array(Image),
    paged: true,
  }),
};
