import { z } from 'zod';
import { call } from '../call.js';
import { Id, Params, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { UserRef } from '../users/schemas.js';

/** The reason of a legal hold, or of its end, as a form checks it too. */
export const LegalHoldReason = text(limits.reviewTextLength).min(1, 'Please give a reason.');

const Said = z.object({ by: UserRef, at: Time, reason: z.string() });

/** One legal hold of a patient. `lifted` is absent while it lasts. */
export const LegalHold = Said.extend({ id: Id, lifted: Said.optional() });
export type LegalHold = z.infer<typeof LegalHold>;

/** The legal holds of a patient, the newest first, and whether one lasts. */
export const LegalHolds = z.object({ held: z.boolean(), holds: z.array(LegalHold) });
export type LegalHolds = z.infer<typeof LegalHolds>;

export const legalHoldCalls = {
  getLegalHold: call({
    method: 'get',
    path: '/users/:id/legal-hold',
    who: 'user.hold',
    action: 'user.holdRead',
    summary: 'The legal holds of a patient, the newest first',
    params: Params,
    data: LegalHolds,
  }),
  setLegalHold: call({
    method: 'put',
    path: '/users/:id/legal-hold',
    who: 'user.hold',
    action: 'user.holdSet',
    stepUp: 'recent',
    summary:
      'Set or lift the legal hold of a patient. While it lasts, nobody deletes the account, its images and studies or its messages',
    params: Params,
    body: z.strictObject({ held: z.boolean(), reason: LegalHoldReason }),
    data: LegalHolds,
  }),
};
