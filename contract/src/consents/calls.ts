import { z } from 'zod';
import { call } from '../call.js';

/** The answers of a patient to a question of consent. `unset`: they have not answered. */
export const consentAnswers = ['granted', 'refused', 'unset'] as const;
export type ConsentAnswer = (typeof consentAnswers)[number];

export const Consents = z.strictObject({
  /** Images that name the patient may be analysed by a computer. Asked when the setting `analysis.consent` is `ask`. */
  analysis: z.enum(consentAnswers),
});
export type Consents = z.infer<typeof Consents>;

export const consentCalls = {
  getConsents: call({
    method: 'get',
    path: '/users/profile/consents',
    who: 'consent.manage',
    action: 'consent.read',
    summary: 'The consents of the caller, a patient',
    data: Consents,
  }),
  setConsents: call({
    method: 'put',
    path: '/users/profile/consents',
    who: 'consent.manage',
    action: 'consent.changed',
    summary: 'Give, refuse or take back a consent; every answer is kept',
    body: Consents,
    data: Consents,
    throttles: ['consent'],
  }),
};
