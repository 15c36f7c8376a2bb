import { analysisCalls } from './analysis/calls.js';
import { annotationCalls } from './annotations/calls.js';
import { auditCalls } from './audit/calls.js';
import { authCalls } from './auth/calls.js';
import { securityCalls } from './auth/securityCalls.js';
import { carerCalls } from './carers/calls.js';
import { consentCalls } from './consents/calls.js';
import { dicomWebCalls } from './dicomWeb/calls.js';
import { otherViewerCalls } from './dicomWeb/otherViewer.js';
import { emergencyCalls } from './emergencies/calls.js';
import { fhirCalls } from './fhir/calls.js';
import { guestCalls } from './guests/calls.js';
import { imageCalls } from './images/calls.js';
import { legalHoldCalls } from './legalHolds/calls.js';
import { messageCalls } from './messages/calls.js';
import { notificationCalls } from './notifications/calls.js';
import { overviewCalls } from './overview/calls.js';
import { pushCalls } from './push/calls.js';
import { receiverCalls } from './receiver/calls.js';
import { requestCalls } from './requests/calls.js';
import { roleCalls } from './roles/calls.js';
import { scimCalls } from './scim/calls.js';
import { selfCheckCalls } from './selfCheck/calls.js';
import { settingCalls } from './settings/calls.js';
import { shareCalls } from './sharing/calls.js';
import { signOnCalls } from './signOn/calls.js';
import { studyCalls } from './studies/calls.js';
import { uploadCalls } from './uploads/calls.js';
import { userCalls } from './users/calls.js';
import { webhookCalls } from './webhooks/calls.js';

/** Every call of the API, by name. */
export const calls = {
  ...authCalls,
  ...securityCalls,
  ...signOnCalls,
  ...scimCalls,
  ...userCalls,
  ...legalHoldCalls,
  ...imageCalls,
  ...annotationCalls,
  ...studyCalls,
  ...uploadCalls,
  ...dicomWebCalls,
  ...otherViewerCalls,
  ...fhirCalls,
  ...shareCalls,
  ...guestCalls,
  ...requestCalls,
  ...emergencyCalls,
  ...carerCalls,
  ...analysisCalls,
  ...consentCalls,
  ...messageCalls,
  ...notificationCalls,
  ...pushCalls,
  ...auditCalls,
  ...roleCalls,
  ...settingCalls,
  ...overviewCalls,
  ...selfCheckCalls,
  ...webhookCalls,
  ...receiverCalls,
};
export type CallName = keyof typeof calls;
